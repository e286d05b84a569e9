// These probes read what a machine does while ranks train on it, from files of Linux. Each function
// returns null where its files are not there. `root` is put before every path (tests).
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/monitoring/telemetry/source.h"

namespace scalemark::monitoring {

// busy_cpus: CPUs that ran anything but interrupts, of the machine that /proc/stat describes;
// steal_cpus: CPUs that were ready and that the hypervisor gave to others. In steps of the kernel's
// tick, 10 ms for each CPU.
inline constexpr const char* kBusyCpus = "busy_cpus";
inline constexpr const char* kStealCpus = "steal_cpus";
std::unique_ptr<Probe> cpu_time_probe(const std::filesystem::path& root = "/");

// cpu_frequency_MHz: mean of scaling_cur_freq over 8 CPUs at most, evenly chosen.
std::unique_ptr<Probe> cpu_frequency_probe(const std::filesystem::path& root = "/");

// quota_throttled_cpus: CPUs that a CPU quota held back, in this process's cgroup and those above
// it (throttled_usec of cpu.stat, throttled_time of version 1); quota_throttled_periods_per_s:
// nr_throttled.
inline constexpr const char* kThrottledCpus = "quota_throttled_cpus";
std::unique_ptr<Probe> cgroup_probe(const std::filesystem::path& root = "/");

// received_bytes_per_s, sent_bytes_per_s of each interface that is hardware, and of lo; of all
// interfaces where none is hardware (a container).
inline constexpr const char* kReceivedBytes = "received_bytes_per_s";
inline constexpr const char* kSentBytes = "sent_bytes_per_s";
std::unique_ptr<Probe> network_probe(const std::filesystem::path& root = "/");

// The same of each InfiniBand port ("mlx5_0/1"), at the ends only: some cards ask their firmware.
std::unique_ptr<Probe> infiniband_probe(const std::filesystem::path& root = "/");

// All of them that there are.
std::vector<std::unique_ptr<Probe>> host_probes(const std::filesystem::path& root = "/");

// Names the machine by its kernel's boot: containers on it have the same one. Empty: unknown.
std::string machine_id(const std::filesystem::path& root = "/");

}  // namespace scalemark::monitoring
