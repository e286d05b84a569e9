// Plain numbers of the machine that settings must know; the precisions it supports, the places of
// its ranks and the name of the output folder follow from them. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/machine/places.h"
#include "core/settings/problem.h"
#include "core/settings/settings.h"

namespace scalemark::settings {

struct ComputeCapability {
  int major = 0;
  int minor = 0;
};

struct PrecisionDevice {
  DeviceKind device = DeviceKind::kCpu;
  std::string_view cpu_flags;            // the "flags" line of /proc/cpuinfo; used for cpu only
  std::optional<ComputeCapability> gpu;  // used for cuda only; absent: unknown, refuses nothing
};

// Why `precision` cannot be used on `device`, in words that fit after "precision amp-bf16: "; empty
// when it can. tf32 and bf16 need tensor cores of compute capability 8.0; on a CPU bf16 needs
// avx512_bf16 or amx_bf16 (without them autocast is 5x slower than fp32, METRICS.md), and fp16
// autocast and tf32 are not supported there.
std::optional<std::string> why_unsupported(Precision precision, const PrecisionDevice& device);

struct Gpu {
  std::string name;                             // empty: unknown
  std::optional<ComputeCapability> capability;  // unset: unknown
  std::string pci = {};                         // address; empty: unknown
  std::optional<int> memory_node = {};          // read where ranks are bound
};

struct Machine {
  std::string cpu_flags;              // the "flags" line of /proc/cpuinfo
  int cores = 1;                      // this process may use so many
  std::vector<Gpu> gpus;              // visible ones
  placement::Topology topology = {};  // read where ranks are bound
};

// How many ranks there are, once a launcher or the launch options decide it. The two numbers differ
// in what they count where processes are not one per training rank (processes.h).
struct RankCount {
  int world_size = 1;        // training ranks; of a launch: its processes
  int local_world_size = 1;  // processes of the node that has most
};

// These fill the placeholders of --output.
struct Place {
  std::string host = "host";
  std::string job = "none";  // run id or job number
  std::string date;          // UTC, "20260102T030405Z"
};

struct Surroundings {
  Machine machine;
  std::optional<RankCount> ranks;  // unset: --nproc-per-node and --nnodes decide
  Place place;
};

// `pattern` with {host}, {job} and {date} filled in; absent when it holds another {word}, or a
// brace without its partner.
std::optional<std::string> fill_placeholders(std::string_view pattern, const Place& place);

// --bind: places all ranks of this node, by local rank.
placement::Answer place_ranks(const Machine& machine, placement::Bind bind, DeviceKind device,
                              int local_world_size);

// The automatic number of threads: the cores divided by the ranks that compute, and no more than a
// rank's CPUs among the `local_world_size` ranks of the launch. At least 1.
int threads_per_rank(const Machine& machine, placement::Bind bind, DeviceKind device,
                     int local_world_size, int computing);

// The problem of a --bind that the ranks of this launch cannot have.
std::optional<Problem> impossible_binding(const Settings& settings, const Machine& machine,
                                          const RankCount& ranks);

}  // namespace scalemark::settings
