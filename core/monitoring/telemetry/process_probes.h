// CPU time of this process and of one thread, as sources.
#pragma once

#include <atomic>
#include <filesystem>
#include <memory>
#include <vector>

#include "core/monitoring/telemetry/source.h"

namespace scalemark::monitoring {

// CPUs that this process uses, all threads together: its CPU time per second, by its clock
// (CLOCK_PROCESS_CPUTIME_ID), and again by the ticks of /proc/self/stat, where that is there. The
// kernel makes both of the same sums, so that they differ by less than a tick. At the ends only.
inline constexpr const char* kProcessCpus = "process_cpus";
inline constexpr const char* kProcessCpusByTicks = "process_cpus_by_ticks";
std::unique_ptr<Probe> process_cpu_probe(const std::filesystem::path& root = "/");
double process_cpu_s();

// CPUs that this process may keep busy: its compute threads, which may change. Free CPUs are what
// is left of all.
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
