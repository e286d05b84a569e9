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

class SlowProbe : public Probe {
 public:
  using Probe::Probe;
  int every() const override { return 10; }
};

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
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string_view line = text.substr(begin, end - begin);
    begin = end + 1;
    if (!line.starts_with(key)) continue;
    line.remove_prefix(key.size());
    return take_number(line);
  }
  return std::nullopt;
}

class Memory final : public SlowProbe {
 public:
  Memory(KeptFile meminfo, KeptFile vmstat)
      : SlowProbe({{.source = kMemoryAvailable, .device = {}}, counter_named(kSwappedBytes)}),
        meminfo_(std::move(meminfo)),
        vmstat_(std::move(vmstat)) {}

  void read(std::span<std::optional<double>> values) override {
    if (const auto kib = number_of_line(meminfo_.text(), "MemAvailable:")) values[0] = 1024 * *kib;
    const std::string_view text = vmstat_.text();
    const auto in = number_of_line(text, "pswpin "), out = number_of_line(text, "pswpout ");
    if (in && out) values[1] = page_ * (*in + *out);
  }

 private:
  KeptFile meminfo_, vmstat_;
  double page_ = static_cast<double>(::sysconf(_SC_PAGESIZE));
};

// Kernel: Documentation/accounting/psi.rst; total is in microseconds.
class Pressure final : public SlowProbe {
 public:
  explicit Pressure(std::vector<KeptFile> files, std::vector<SourceName> names)
      : SlowProbe(std::move(names)), files_(std::move(files)) {}

  void read(std::span<std::optional<double>> values) override {
    for (std::size_t i = 0; i < files_.size(); ++i) {
      std::string_view text = files_[i].text();
      const std::size_t at = text.find("total=");
      if (!text.starts_with("some") || at == std::string_view::npos) continue;
      text.remove_prefix(at);
      if (const auto us = take_number(text)) values[i] = 1e-6 * *us;
    }
  }

 private:
  std::vector<KeptFile> files_;
};

// Kernel: Documentation/block/stat.rst; sectors are 512 bytes whatever the disk's are.
class Disks final : public SlowProbe {
 public:
  explicit Disks(std::vector<KeptFile> disks)
      : SlowProbe({counter_named(kDiskReadBytes), counter_named(kDiskWrittenBytes)}),
        disks_(std::move(disks)) {}

  void read(std::span<std::optional<double>> values) override {
    constexpr int kReadSectors = 2, kWrittenSectors = 6;
    for (KeptFile& disk : disks_) {
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
  }

 private:
  std::vector<KeptFile> disks_;
};

class Retransmits final : public SlowProbe {
 public:
  explicit Retransmits(KeptFile snmp)
      : SlowProbe({counter_named(kRetransmits)}), snmp_(std::move(snmp)) {}

  void read(std::span<std::optional<double>> values) override {
    values[0] = retransmits(snmp_.text());
  }

 private:
  // "Tcp: RtoAlgorithm ... RetransSegs ...", and below it the numbers.
  static std::optional<double> retransmits(std::string_view text) {
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

  KeptFile snmp_;
};

}  // namespace

std::unique_ptr<Probe> memory_probe(const fs::path& root) {
  KeptFile meminfo(root / "proc/meminfo");
  if (!meminfo.is_open()) return nullptr;
  return std::make_unique<Memory>(std::move(meminfo), KeptFile(root / "proc/vmstat"));
}

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
  return std::make_unique<Pressure>(std::move(files), std::move(names));
}

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
  return std::make_unique<Disks>(std::move(disks));
}

std::unique_ptr<Probe> retransmit_probe(const fs::path& root) {
  KeptFile snmp(root / "proc/net/snmp");
  if (!snmp.is_open()) return nullptr;
  return std::make_unique<Retransmits>(std::move(snmp));
}

}  // namespace scalemark::monitoring
