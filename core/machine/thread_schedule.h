// Reads what the scheduler gave threads of a process: /proc/PID/task/TID/schedstat.
#pragma once

#include <filesystem>
#include <map>
#include <optional>

#include "core/machine/text_file.h"

namespace scalemark::monitoring {

// Seconds of a thread by the scheduler: on a CPU, and ready without one. Kernel:
// Documentation/scheduler/sched-stats.rst.
struct ScheduleTimes {
  double ran_s = 0, queued_s = 0;
};
// Reads a file schedstat. Absent where the kernel keeps no such statistics.
std::optional<ScheduleTimes> schedule_times(KeptFile& file);
std::filesystem::path thread_schedule_file(const std::filesystem::path& process = "/proc/self");

// Returns them for each thread of this process, by its id.
std::map<int, ScheduleTimes> schedules_of_threads(
    const std::filesystem::path& process = "/proc/self");

// Returns what the thread `main` got between two readings, but `queued_s` of the thread that waited
// most among those that ran at least half as long: where several threads compute together, they
// wait for the one that waits for a CPU. Absent without statistics.
std::optional<ScheduleTimes> growth_of(const std::map<int, ScheduleTimes>& before,
                                       const std::map<int, ScheduleTimes>& after, int main);

// Adds what later stretches of a run got; absent where one of them is, but before the first.
void add(std::optional<ScheduleTimes>& all, const std::optional<ScheduleTimes>& more,
         bool is_first);

}  // namespace scalemark::monitoring
