#include "core/machine/process_reading.h"

#include <fcntl.h>
#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <ctime>
#include <string>
#include <utility>

#include "core/base/error.h"
#include "core/base/number_words.h"
#include "core/base/text.h"
#include "core/base/threads.h"
#include "core/machine/telemetry/host_probes.h"
#include "core/machine/text_file.h"

namespace scalemark::monitoring {
namespace {

std::uint64_t status_field(std::string_view field) {
  const auto text = read_text("/proc/self/status");
  const auto bytes = text ? kilobyte_field(*text, field) : std::nullopt;
  if (!bytes) {
    throw system_error("/proc/self/status has no field " + std::string(field),
                       "a mounted /proc of Linux");
  }
  return *bytes;
}

}  // namespace

std::optional<std::uint64_t> stat_field(std::string_view stat, int number) {
  std::size_t at = stat.rfind(')');  // ends field 2
  for (int field = 2; field < number && at != stat.npos; ++field) at = stat.find(' ', at + 1);
  if (at == stat.npos) return std::nullopt;
  return leading_number<std::uint64_t>(stat.substr(at + 1));
}

std::optional<std::chrono::duration<double>> process_age() {
  constexpr int kStarted = 22;  // in clock ticks since boot
  const auto text = read_text("/proc/self/stat");
  const auto ticks = text ? stat_field(*text, kStarted) : std::nullopt;
  timespec now{};
  const long per_second = sysconf(_SC_CLK_TCK);
  if (!ticks || per_second <= 0 || clock_gettime(CLOCK_BOOTTIME, &now) != 0) return std::nullopt;
  const double began_s = static_cast<double>(*ticks) / static_cast<double>(per_second);
  const double now_s = static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
  return std::chrono::duration<double>(std::max(0.0, now_s - began_s));
}

std::optional<std::uint64_t> kilobyte_field(std::string_view text, std::string_view field) {
  const auto value = behind_key(text, std::string(field) + ":");
  const auto kilobytes = value ? leading_number<std::uint64_t>(*value) : std::nullopt;
  return kilobytes ? std::optional(*kilobytes * 1024) : std::nullopt;
}

std::uint64_t peak_rss_bytes() { return status_field("VmHWM"); }

std::uint64_t rss_bytes() { return status_field("VmRSS"); }

bool reset_peak_rss() {
  malloc_trim(0);
  const int file = ::open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC);
  if (file < 0) return false;
  const bool written = ::write(file, "5", 1) == 1;  // 5: reset the peak (proc(5))
  ::close(file);
  return written;
}

ProcessReader::ProcessReader(const std::filesystem::path& process)
    : memory_(process / "statm"), schedule_(thread_schedule_file(process)) {}

std::int64_t major_faults() {
  rusage usage{};
  return ::getrusage(RUSAGE_SELF, &usage) == 0 ? usage.ru_majflt : 0;
}

ProcessReading ProcessReader::read() {
  ProcessReading reading;
  // proc(5): statm has pages, the second number is those that are resident.
  if (const auto pages = first_numbers(memory_))
    reading.resident_bytes = static_cast<std::int64_t>((*pages)[1]) * ::sysconf(_SC_PAGESIZE);
  reading.major_faults = major_faults();
  reading.cpu_s = process_cpu_s();
  if (const auto times = schedule_times(schedule_)) {
    reading.main_ran_s = times->ran_s;
    reading.main_queued_s = times->queued_s;
  }
  return reading;
}

namespace {

double seconds_on(clockid_t clock) {
  timespec time = {};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

}  // namespace

std::unique_ptr<Probe> process_cpu_probe(const std::filesystem::path& root) {
  const auto ticks_per_s = static_cast<double>(::sysconf(_SC_CLK_TCK));
  auto fill = [stat = KeptFile(root / "proc/self/stat"), ticks_per_s](ProbeValues values) mutable {
    // Where ranks share cores this thread may wait between two reads, while others of this process
    // run.
    constexpr int kTries = 5;
    constexpr double kTicksApart = 2;
    for (int tries = 0; tries < kTries; ++tries) {
      values[0] = process_cpu_s();
      if (!stat.is_open()) return;
      const std::string_view text = stat.text();
      const auto user = stat_field(text, 14), system = stat_field(text, 15);
      if (!user || !system) return;
      if (process_cpu_s() - *values[0] > kTicksApart / ticks_per_s) continue;
      values[1] = static_cast<double>(*user + *system) / ticks_per_s;
      return;
    }
  };
  return probe_of({counter_named(kProcessCpus), counter_named(kProcessCpusByTicks)},
                  std::move(fill), kOnlyAtEnds);
}

std::unique_ptr<Probe> thread_cpu_probe(const char* source) {
  return probe_of(
      {counter_named(source)}, [](ProbeValues values) { values[0] = thread_cpu_s(); }, kOnlyAtEnds);
}

std::vector<std::unique_ptr<Probe>> process_probes(const std::atomic<int>& threads,
                                                   const std::filesystem::path& root) {
  std::vector<std::unique_ptr<Probe>> probes;
  probes.push_back(process_cpu_probe(root));
  probes.push_back(probe_of(
      {counter_named(kWatchingCost)}, [](ProbeValues values) { values[0] = watching_cpu_s(); },
      kOnlyAtEnds));
  probes.push_back(probe_of(
      {{.source = kWantedCpus, .device = {}}},
      [&threads](ProbeValues values) { values[0] = threads.load(); }, kOnlyAtEnds));
  if (auto probe = cgroup_probe(root)) probes.push_back(std::move(probe));
  return probes;
}

double process_cpu_s() { return seconds_on(CLOCK_PROCESS_CPUTIME_ID); }

double thread_cpu_s() { return seconds_on(CLOCK_THREAD_CPUTIME_ID); }

namespace {

namespace fs = std::filesystem;

// v1 says "no limit" with the largest multiple of a page; no machine has 2^60 bytes.
constexpr std::uint64_t kUnlimitedFrom = 1ULL << 60;

template <class T>
void tighten(std::optional<T>& limit, T value) {
  if (!limit || value < *limit) limit = value;
}

void tighten_cpus(CgroupLimits& limits, std::optional<std::int64_t> quota_us,
                  std::optional<std::int64_t> period_us) {
  if (!quota_us || !period_us || *quota_us <= 0 || *period_us <= 0) return;
  tighten(limits.cpus, static_cast<double>(*quota_us) / static_cast<double>(*period_us));
}

void tighten_memory(CgroupLimits& limits, const fs::path& file) {
  const auto bytes = number_in<std::int64_t>(file);  // "max" is no number
  if (!bytes || *bytes < 0 || static_cast<std::uint64_t>(*bytes) >= kUnlimitedFrom) return;
  tighten(limits.memory_bytes, static_cast<std::uint64_t>(*bytes));
}

// Calls read(folder) for `group` and each group above it, up to the mount itself. In a container
// the group's path may not exist below the mount: then only the mount is read.
template <class Read>
void walk_up(const fs::path& mount, fs::path group, Read read) {
  for (group = group.relative_path(); !group.empty(); group = group.parent_path()) {
    read(mount / group);
  }
  read(mount);
}

// "0::/user.slice" or "4:cpu,cpuacct:/job": the path of `controller`, "" for v2.
std::string group_path(const std::string& text, const std::string& controller) {
  for (const std::string_view line : lines_of(text)) {
    const auto first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const auto controllers = split(line.substr(first + 1, second - first - 1), ",");
    if (std::ranges::count(controllers, controller) > 0) {
      return std::string(line.substr(second + 1));
    }
  }
  return "/";
}

void read_v2(CgroupLimits& limits, const fs::path& folder) {
  if (const auto line = read_line(folder / "cpu.max")) {
    const auto blank = line->find(' ');
    if (blank != std::string::npos) {
      tighten_cpus(limits, leading_number<std::int64_t>(*line),
                   leading_number<std::int64_t>(line->substr(blank + 1)));
    }
  }
  tighten_memory(limits, folder / "memory.max");
}

void read_v1_cpu(CgroupLimits& limits, const fs::path& folder) {
  tighten_cpus(limits, number_in<std::int64_t>(folder / "cpu.cfs_quota_us"),
               number_in<std::int64_t>(folder / "cpu.cfs_period_us"));
}

}  // namespace

std::vector<fs::path> cgroup_cpu_folders(const fs::path& root) {
  const fs::path mount = root / "sys/fs/cgroup";
  const auto groups = read_text(root / "proc/self/cgroup").value_or("");
  std::vector<fs::path> folders;
  const auto add = [&](const fs::path& folder) { folders.push_back(folder); };
  std::error_code ignored;
  if (fs::exists(mount / "cgroup.controllers", ignored)) {
    walk_up(mount, group_path(groups, ""), add);
  } else if (fs::exists(mount / "cpu", ignored)) {
    walk_up(mount / "cpu", group_path(groups, "cpu"), add);
  }
  return folders;
}

CgroupLimits cgroup_limits(const fs::path& root) {
  CgroupLimits limits;
  const fs::path mount = root / "sys/fs/cgroup";
  const auto groups = read_text(root / "proc/self/cgroup").value_or("");
  std::error_code ignored;
  if (fs::exists(mount / "cgroup.controllers", ignored)) {
    limits.version = 2;
    walk_up(mount, group_path(groups, ""), [&](const fs::path& f) { read_v2(limits, f); });
  } else if (fs::exists(mount / "memory", ignored) || fs::exists(mount / "cpu", ignored)) {
    limits.version = 1;
    walk_up(mount / "cpu", group_path(groups, "cpu"),
            [&](const fs::path& f) { read_v1_cpu(limits, f); });
    walk_up(mount / "memory", group_path(groups, "memory"),
            [&](const fs::path& f) { tighten_memory(limits, f / "memory.limit_in_bytes"); });
  }
  return limits;
}

}  // namespace scalemark::monitoring
