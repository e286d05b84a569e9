// Reads from this process's files in /proc and from its control group how old the process is, what
// memory it holds, what CPU time it and its threads have used, and how much they may use. Knows
// nothing of allocators or devices.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "core/machine/host.h"
#include "core/machine/telemetry/source.h"
#include "core/machine/text_file.h"
#include "core/machine/thread_schedule.h"

namespace scalemark::monitoring {

// How long ago Linux created this process, which is before its first instruction. Absent where
// /proc does not say.
std::optional<std::chrono::duration<double>> process_age();

// The number in field `number`, 3 or more, of a /proc/PID/stat text (proc(5)). Pure. The program's
// name before it, in parentheses, may hold any characters.
std::optional<std::uint64_t> stat_field(std::string_view stat, int number);

// Highest resident size since the process began or reset_peak_rss() was called. Throws
// system_error() where /proc cannot be read.
std::uint64_t peak_rss_bytes();
std::uint64_t rss_bytes();

// Gives free heap pages back and resets the peak, so that one point's peak does not count for the
// next. False where the kernel refuses (some sandboxes): the peak then remains that of the process.
bool reset_peak_rss();

// "VmHWM:   123 kB" of a /proc/self/status text, in bytes. Pure.
std::optional<std::uint64_t> kilobyte_field(std::string_view text, std::string_view field);

// Pages that this process has read from a disk; 0 where that cannot be read.
std::int64_t major_faults();

// Whatever cannot be read is absent or 0.
struct ProcessReading {
  std::int64_t resident_bytes = 0, major_faults = 0;
  double cpu_s = 0;  // all its threads together
  // Seconds of the thread that made the reader, by the scheduler: on a CPU, and ready without one.
  // The kernel may keep no such statistics: then these are absent.
  std::optional<double> main_ran_s, main_queued_s;
};

class ProcessReader {
 public:
  // The main thread makes the reader; another one may call read().
  explicit ProcessReader(const std::filesystem::path& process = "/proc/self");

  ProcessReading read();

 private:
  KeptFile memory_, schedule_;
};

// Folders of the group that limits this process's CPU time and of each group above it, up to the
// mount; of version 2, or of version 1's controller "cpu". Some may not exist: in a container the
// group's own path is not below the mount. Empty: no control groups.
std::vector<std::filesystem::path> cgroup_cpu_folders(const std::filesystem::path& root);

CgroupLimits cgroup_limits(const std::filesystem::path& root = "/");

// --- CPU time of this process and of one thread, as sources.

// CPUs that this process uses, all threads together: its CPU time per second, by its clock
// (CLOCK_PROCESS_CPUTIME_ID), and again by the ticks of /proc/self/stat, where that is there. The
// kernel makes both of the same sums, so that what they grow by differs by four ticks at most: two
// counts are rounded down, and both are read within two. They are read at the ends only.
inline constexpr const char* kProcessCpus = "process_cpus";
inline constexpr const char* kProcessCpusByTicks = "process_cpus_by_ticks";
std::unique_ptr<Probe> process_cpu_probe(const std::filesystem::path& root = "/");
double process_cpu_s();

// CPUs that this process may keep busy: its compute threads, whose number may change. The free CPUs
// are all CPUs less these.
inline constexpr const char* kWantedCpus = "wanted_cpus";

// CPU time of all threads that watch the run (core/base/threads.h), per second.
inline constexpr const char* kWatchingCost = "watching_cpu_share";

// All that a process reads of itself: these sources, and the CPU quota of its control group
// (host_probes.h) where there is one. `threads`: its compute threads; it outlives the probes.
std::vector<std::unique_ptr<Probe>> process_probes(const std::atomic<int>& threads,
                                                   const std::filesystem::path& root = "/");

// CPU time of the thread that reads it, per second, under the name `source`.
std::unique_ptr<Probe> thread_cpu_probe(const char* source);
double thread_cpu_s();

}  // namespace scalemark::monitoring
