#include "core/machine/telemetry/host_probes.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <utility>

#include "core/machine/process_reading.h"
#include "core/machine/text_file.h"

namespace scalemark::monitoring {
namespace {

namespace fs = std::filesystem;

// The first numbers after the first blank of `line`; those that are not there are 0.
template <std::size_t kCount>
std::array<double, kCount> numbers_of(std::string_view line) {
  std::array<double, kCount> numbers{};
  std::size_t at = line.find(' ');
  for (double& number : numbers) {
    at = std::min(line.find_first_not_of(' ', at), line.size());
    const auto parsed = std::from_chars(line.data() + at, line.data() + line.size(), number);
    at = static_cast<std::size_t>(parsed.ptr - line.data());
  }
  return numbers;
}

std::optional<double> value_of(std::string_view text, const char* key) {
  return leading_number<double>(behind_key(text, key + std::string(" ")).value_or(""));
}

std::vector<std::string> interfaces(const fs::path& root) {
  std::vector<std::string> hardware, all;
  bool has_lo = false;
  std::error_code error;
  for (const fs::path& entry : entries_of(root / "sys/class/net")) {
    const std::string name = entry.filename();
    all.push_back(name);
    has_lo = has_lo || name == "lo";
    if (fs::exists(entry / "device", error)) hardware.push_back(name);
  }
  if (hardware.empty()) return all;
  if (has_lo) hardware.emplace_back("lo");
  return hardware;
}

struct Traffic {
  KeptFile received, sent;
  double bytes_per_count = 1;
};

// Reads two files for each interface or port; null without one.
std::unique_ptr<Probe> traffic_probe(std::vector<std::pair<std::string, Traffic>> ports,
                                     ProbeTimes times) {
  std::erase_if(ports, [](const auto& port) {
    return !port.second.received.is_open() || !port.second.sent.is_open();
  });
  if (ports.empty()) return nullptr;
  std::vector<SourceName> names;
  for (const auto& [device, port] : ports) {
    for (const char* source : {kReceivedBytes, kSentBytes})
      names.push_back(counter_named(source, device));
  }
  auto fill = [ports = std::move(ports)](ProbeValues values) mutable {
    for (std::size_t i = 0; i < ports.size(); ++i) {
      Traffic& port = ports[i].second;
      const auto received = port.received.number(), sent = port.sent.number();
      if (received) values[2 * i] = port.bytes_per_count * *received;
      if (sent) values[2 * i + 1] = port.bytes_per_count * *sent;
    }
  };
  return probe_of(std::move(names), std::move(fill), times);
}

// Memory, pressure, disks and segments sent again are read once a second in between: their files
// are longer than those of the CPUs.
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

// "cpu  user nice system idle iowait irq softirq steal ...", in ticks. Interrupts are apart: those
// of a rank's own traffic belong to no process, and yet its clock counts their time.
std::unique_ptr<Probe> cpu_time_probe(const fs::path& root) {
  KeptFile stat(root / "proc/stat");
  if (!stat.is_open()) return nullptr;
  const auto ticks_per_s = static_cast<double>(::sysconf(_SC_CLK_TCK));
  auto fill = [stat = std::move(stat), ticks_per_s](ProbeValues values) mutable {
    std::string_view line = stat.text();
    line = line.substr(0, line.find('\n'));
    if (!line.starts_with("cpu ")) return;
    const auto ticks = numbers_of<8>(line);
    // A sandbox may have the file and count nothing in it.
    if (std::ranges::all_of(ticks, [](double count) { return count == 0; })) return;
    values[0] = (ticks[0] + ticks[1] + ticks[2]) / ticks_per_s;
    values[1] = ticks[7] / ticks_per_s;
    values[2] = (ticks[5] + ticks[6]) / ticks_per_s;
  };
  return probe_of(
      {counter_named(kBusyCpus), counter_named(kStealCpus), counter_named(kInterruptCpus)},
      std::move(fill));
}

std::unique_ptr<Probe> cpu_frequency_probe(const fs::path& root) {
  constexpr std::size_t kMost = 8;
  std::vector<fs::path> found;
  std::error_code error;
  for (const fs::path& entry : entries_of(root / "sys/devices/system/cpu")) {
    const fs::path file = entry / "cpufreq/scaling_cur_freq";
    if (fs::exists(file, error)) found.push_back(file);
  }
  if (found.empty()) return nullptr;
  std::vector<KeptFile> files;
  const std::size_t count = std::min(kMost, found.size());
  for (std::size_t i = 0; i < count; ++i) files.emplace_back(found[i * found.size() / count]);
  auto fill = [files = std::move(files)](ProbeValues values) mutable {
    double sum_kHz = 0;
    for (KeptFile& file : files) {
      const auto kHz = file.number();
      if (!kHz) return;
      sum_kHz += *kHz;
    }
    values[0] = 1e-3 * sum_kHz / static_cast<double>(files.size());
  };
  return probe_of({{.source = "cpu_frequency_MHz", .device = {}}}, std::move(fill));
}

std::unique_ptr<Probe> cgroup_probe(const fs::path& root) {
  std::vector<KeptFile> files;
  for (const fs::path& folder : cgroup_cpu_folders(root)) {
    KeptFile file(folder / "cpu.stat");
    if (file.is_open() && value_of(file.text(), "nr_throttled")) files.push_back(std::move(file));
  }
  if (files.empty()) return nullptr;
  // A group and the group above it are throttled at different times: their times add up.
  auto fill = [files = std::move(files)](ProbeValues values) mutable {
    for (KeptFile& file : files) {
      const std::string_view text = file.text();
      const auto us = value_of(text, "throttled_usec"), ns = value_of(text, "throttled_time");
      const auto periods = value_of(text, "nr_throttled");
      if (us) values[0] = values[0].value_or(0) + 1e-6 * *us;
      if (ns) values[0] = values[0].value_or(0) + 1e-9 * *ns;
      if (periods) values[1] = values[1].value_or(0) + *periods;
    }
  };
  return probe_of({counter_named(kThrottledCpus), counter_named(kThrottledPeriods)},
                  std::move(fill));
}

// Containers may see different groups under the same path: the folder's number distinguishes them.
std::string cpu_group_id(const fs::path& root) {
  for (const fs::path& folder : cgroup_cpu_folders(root)) {
    struct stat found = {};
    if (::stat(folder.c_str(), &found) == 0) {
      return folder.lexically_relative(root).string() + ":" + std::to_string(found.st_ino);
    }
  }
  return {};
}

std::unique_ptr<Probe> network_probe(const fs::path& root) {
  std::vector<std::pair<std::string, Traffic>> ports;
  for (const std::string& name : interfaces(root)) {
    const fs::path counters = root / "sys/class/net" / name / "statistics";
    ports.emplace_back(name, Traffic{.received = KeptFile(counters / "rx_bytes"),
                                     .sent = KeptFile(counters / "tx_bytes")});
  }
  return traffic_probe(std::move(ports), {});
}

std::unique_ptr<Probe> network_error_probe(const fs::path& root) {
  std::vector<KeptFile> files;
  for (const std::string& name : interfaces(root)) {
    for (const char* counter : {"rx_errors", "tx_errors", "rx_dropped", "tx_dropped"}) {
      KeptFile file(root / "sys/class/net" / name / "statistics" / counter);
      if (file.is_open()) files.push_back(std::move(file));
    }
  }
  if (files.empty()) return nullptr;
  auto fill = [files = std::move(files)](ProbeValues values) mutable {
    double sum = 0;
    for (KeptFile& file : files) {
      const auto number = file.number();
      if (!number) return;  // an interface that is gone
      sum += *number;
    }
    values[0] = sum;
  };
  return probe_of({counter_named(kNetworkErrors)}, std::move(fill), {.every = 10});
}

std::unique_ptr<Probe> infiniband_probe(const fs::path& root) {
  std::vector<std::pair<std::string, Traffic>> ports;
  for (const fs::path& card : entries_of(root / "sys/class/infiniband")) {
    for (const fs::path& port : entries_of(card / "ports")) {
      const fs::path counters = port / "counters";
      // The counters are in words of 4 bytes (kernel:
      // Documentation/ABI/stable/sysfs-class-infiniband).
      ports.emplace_back(card.filename().string() + "/" + port.filename().string(),
                         Traffic{.received = KeptFile(counters / "port_rcv_data"),
                                 .sent = KeptFile(counters / "port_xmit_data"),
                                 .bytes_per_count = 4});
    }
  }
  return traffic_probe(std::move(ports), kOnlyAtEnds);
}

std::vector<std::unique_ptr<Probe>> host_probes(const fs::path& root) {
  std::vector<std::unique_ptr<Probe>> probes;
  for (const auto open :
       {cpu_time_probe, cpu_frequency_probe, network_probe, infiniband_probe, memory_probe,
        pressure_probe, disk_probe, retransmit_probe, network_error_probe}) {
    if (auto probe = open(root)) probes.push_back(std::move(probe));
  }
  return probes;
}

std::string machine_id(const fs::path& root) {
  return read_line(root / "proc/sys/kernel/random/boot_id").value_or("");
}

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
