// Memory, pressure, disks and segments sent again: what a machine may run short of. Read once a
// second in between: their files are longer than those of the CPUs.
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <string>
#include <utility>

#include "core/monitoring/telemetry/host_probes.h"
#include "core/monitoring/telemetry/kept_file.h"
#include "core/monitoring/text_file.h"

namespace scalemark::monitoring {
namespace {

namespace fs = std::filesystem;

constexpr ProbeTimes kSlowly{.every = 10};

// The next number of `text`, which is shortened by what was read.
std::optional<double> take_number(std::string_view& text) {
  const std::size_t at = text.find_first_of("0123456789");
  if (at == std::string_view::npos) return std::nullopt;
  double number = 0;
  const auto parsed = std::from_chars(text.data() + at, text.data() + text.size(), number);
  text.remove_prefix(static_cast<std::size_t>(parsed.ptr - text.data()));
  return number;
}

// The number behind `key`, which begins a line.
std::optional<double> number_of_line(std::string_view text, std::string_view key) {
  return leading_number<double>(behind_key(text, key).value_or(""));
}

// "Tcp: RtoAlgorithm ... RetransSegs ...", and below it the numbers.
std::optional<double> retransmits(std::string_view text) {
  const std::size_t heads = text.find("Tcp: ");
  if (heads == std::string_view::npos) return std::nullopt;
  const std::size_t end = text.find('\n', heads);
  const std::size_t name = text.find("RetransSegs", heads);
  if (end == std::string_view::npos || name > end) return std::nullopt;
  const auto blanks = std::count(text.begin() + static_cast<std::ptrdiff_t>(heads),
                                 text.begin() + static_cast<std::ptrdiff_t>(name), ' ');
  std::string_view numbers = text.substr(end);
  std::optional<double> number;
  for (std::ptrdiff_t i = 0; i < blanks; ++i) number = take_number(numbers);
  return number;
}

}  // namespace

std::unique_ptr<Probe> memory_probe(const fs::path& root) {
  KeptFile meminfo(root / "proc/meminfo");
  if (!meminfo.is_open()) return nullptr;
  const auto page = static_cast<double>(::sysconf(_SC_PAGESIZE));
  auto fill = [meminfo = std::move(meminfo), vmstat = KeptFile(root / "proc/vmstat"),
               page](ProbeValues values) mutable {
    if (const auto kib = number_of_line(meminfo.text(), "MemAvailable:")) values[0] = 1024 * *kib;
    const std::string_view text = vmstat.text();
    const auto in = number_of_line(text, "pswpin "), out = number_of_line(text, "pswpout ");
    if (in && out) values[1] = page * (*in + *out);
  };
  return probe_of({{.source = kMemoryAvailable, .device = {}}, counter_named(kSwappedBytes)},
                  std::move(fill), kSlowly);
}

// Kernel: Documentation/accounting/psi.rst; total is in microseconds.
std::unique_ptr<Probe> pressure_probe(const fs::path& root) {
  std::vector<KeptFile> files;
  std::vector<SourceName> names;
  for (const auto& [resource, name] :
       {std::pair{"cpu", kPressureCpu}, {"memory", kPressureMemory}, {"io", kPressureIo}}) {
    KeptFile file(root / "proc/pressure" / resource);
    if (!file.is_open()) continue;
    files.push_back(std::move(file));
    names.push_back(counter_named(name));
  }
  if (files.empty()) return nullptr;
  auto fill = [files = std::move(files)](ProbeValues values) mutable {
    for (std::size_t i = 0; i < files.size(); ++i) {
      std::string_view text = files[i].text();
      const std::size_t at = text.find("total=");
      if (!text.starts_with("some") || at == std::string_view::npos) continue;
      text.remove_prefix(at);
      if (const auto us = take_number(text)) values[i] = 1e-6 * *us;
    }
  };
  return probe_of(std::move(names), std::move(fill), kSlowly);
}

// Kernel: Documentation/block/stat.rst; sectors are 512 bytes whatever the disk's are.
std::unique_ptr<Probe> disk_probe(const fs::path& root) {
  std::vector<KeptFile> disks;
  std::error_code error;
  for (const fs::path& disk : entries_of(root / "sys/block")) {
    // Loops, RAM disks and mappings repeat what the disks below them do.
    if (!fs::exists(disk / "device", error)) continue;
    KeptFile stat(disk / "stat");
    if (stat.is_open()) disks.push_back(std::move(stat));
  }
  if (disks.empty()) return nullptr;
  auto fill = [disks = std::move(disks)](ProbeValues values) mutable {
    constexpr int kReadSectors = 2, kWrittenSectors = 6;
    for (KeptFile& disk : disks) {
      std::string_view text = disk.text();
      for (int field = 0; field <= kWrittenSectors; ++field) {
        const auto number = take_number(text);
        if (!number) {  // a disk that is gone: the sum of the others is another number
          values[0].reset();
          values[1].reset();
          return;
        }
        if (field != kReadSectors && field != kWrittenSectors) continue;
        auto& value = values[field == kReadSectors ? 0 : 1];
        value = value.value_or(0) + 512 * *number;
      }
    }
  };
  return probe_of({counter_named(kDiskReadBytes), counter_named(kDiskWrittenBytes)},
                  std::move(fill), kSlowly);
}

std::unique_ptr<Probe> retransmit_probe(const fs::path& root) {
  KeptFile snmp(root / "proc/net/snmp");
  if (!snmp.is_open()) return nullptr;
  auto fill = [snmp = std::move(snmp)](ProbeValues values) mutable {
    values[0] = retransmits(snmp.text());
  };
  return probe_of({counter_named(kRetransmits)}, std::move(fill), kSlowly);
}

}  // namespace scalemark::monitoring
