// These probes read what a machine does while ranks train on it, from files of Linux. Each function
// returns null where its files are not there. `root` is put before every path (tests).
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/machine/machine_numbers.h"

namespace scalemark::monitoring {

// busy_cpus: CPUs that ran anything but interrupts, of the machine that /proc/stat describes;
// steal_cpus: CPUs that were ready and that the hypervisor gave to others; interrupt_cpus: CPUs
// that ran interrupts, hard and soft. In steps of the kernel's tick, 10 ms for each CPU. Absent
// where the file counts nothing at all.
inline constexpr const char* kInterruptCpus = "interrupt_cpus";
std::unique_ptr<Probe> cpu_time_probe(const std::filesystem::path& root = "/");

// cpu_frequency_MHz: mean of scaling_cur_freq over 8 CPUs at most, evenly chosen.
std::unique_ptr<Probe> cpu_frequency_probe(const std::filesystem::path& root = "/");

// quota_throttled_cpus: CPUs that a CPU quota held back, in this process's cgroup and those above
// it (throttled_usec of cpu.stat, throttled_time of version 1); quota_throttled_periods_per_s:
// nr_throttled. Processes of one host may be in different groups, so each reads its own: this is
// none of host_probes().
inline constexpr const char* kThrottledPeriods = "quota_throttled_periods_per_s";
std::unique_ptr<Probe> cgroup_probe(const std::filesystem::path& root = "/");

// Names the control group whose quota cgroup_probe() reads: the same text for two processes of a
// machine that are in the same one. Empty: there is none.
std::string cpu_group_id(const std::filesystem::path& root = "/");

// received_bytes_per_s, sent_bytes_per_s of each interface that is hardware, and of lo; of all
// interfaces where none is hardware (a container).
std::unique_ptr<Probe> network_probe(const std::filesystem::path& root = "/");

// The same for each InfiniBand port ("mlx5_0/1"), at the ends only: some cards ask their firmware.
std::unique_ptr<Probe> infiniband_probe(const std::filesystem::path& root = "/");

// memory_available_bytes: what programs could still take; swapped_bytes_per_s: in and out.
std::unique_ptr<Probe> memory_probe(const std::filesystem::path& root = "/");

// pressure_cpu_share, ..._memory_..., ..._io_...: share of the time in which some task of the
// machine waited for it, as the kernel counts it.
std::unique_ptr<Probe> pressure_probe(const std::filesystem::path& root = "/");

// disk_read_bytes_per_s, disk_written_bytes_per_s: of all disks that are hardware.
std::unique_ptr<Probe> disk_probe(const std::filesystem::path& root = "/");

// tcp_retransmits_per_s: segments sent again.
std::unique_ptr<Probe> retransmit_probe(const std::filesystem::path& root = "/");

// network_errors_per_s: errors and drops of the interfaces of network_probe().
std::unique_ptr<Probe> network_error_probe(const std::filesystem::path& root = "/");

// All probes of the machine, as far as it has their files.
std::vector<std::unique_ptr<Probe>> host_probes(const std::filesystem::path& root = "/");

// Names the machine by its kernel's boot: containers on it have the same one. Empty: unknown.
std::string machine_id(const std::filesystem::path& root = "/");

}  // namespace scalemark::monitoring
