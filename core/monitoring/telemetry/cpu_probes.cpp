#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string>

#include "core/monitoring/environment.h"
#include "core/monitoring/telemetry/host_probes.h"
#include "core/monitoring/telemetry/kept_file.h"
#include "core/monitoring/text_file.h"

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

}  // namespace

// "cpu  user nice system idle iowait irq softirq steal ...", in ticks. Interrupts are apart: those
// of a rank's own traffic are nobody's process, and yet a part of the time that its clock counts.
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

// Containers may see different groups under the same path: the folder's number tells them apart.
std::string cpu_group_id(const fs::path& root) {
  for (const fs::path& folder : cgroup_cpu_folders(root)) {
    struct stat found = {};
    if (::stat(folder.c_str(), &found) == 0) {
      return folder.lexically_relative(root).string() + ":" + std::to_string(found.st_ino);
    }
  }
  return {};
}

}  // namespace scalemark::monitoring
