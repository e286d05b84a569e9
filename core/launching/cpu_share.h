// How many processor cores and GPUs this process may use, and what a rank's share of the cores is.
// Knows nothing of what computes on them.
#pragma once

#include <optional>
#include <string>

#include "core/launching/environment.h"

namespace scalemark::launching {

// The smaller of the affinity mask and the cgroup quota (v1 and v2, over every level up to the
// root), rounded down, at least 1.
int available_cores();

// The quota in cores that "max 100000" or "150000 100000" (cgroup v2, cpu.max) means; absent for no
// limit or a text that is none.
std::optional<double> quota_of_cpu_max(const std::string& text);

// --threads auto: cores / ranks on this node, rounded down, at least 1. The same at every world
// size of a sweep only when it is asked with the largest local world size.
int threads_per_rank(int cores, int local_world_size);

// GPUs that CUDA would show: /dev/nvidia0, /dev/nvidia1, ... narrowed by CUDA_VISIBLE_DEVICES,
// which ends at its first entry that names none of them, as in CUDA. Needs no driver.
int visible_gpus(const Environment& environment);
int visible_gpus(const std::optional<std::string>& cuda_visible_devices, int device_files);

// --nproc-per-node auto: one rank per GPU; without GPUs, or on the CPU, as many ranks as `threads`
// compute threads each fit the cores; 1 when the threads are automatic, because one rank then uses
// all cores.
int auto_nproc_per_node(int gpus, int cores, std::optional<int> threads);

}  // namespace scalemark::launching
