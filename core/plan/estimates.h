// How long a point takes and how much memory it needs, estimated before it runs, and how much
// memory a rank may use. Pure; machines arrive as numbers.
#pragma once

#include <cstdint>
#include <optional>

#include "core/catalogue/memory.h"
#include "core/plan/plan.h"
#include "core/settings/problem.h"
#include "core/settings/settings.h"

namespace scalemark::planning {

// Times are rough: they rest on nominal rates of a typical machine, within a factor of 3 or so.
// Memory is meant to be within 20 % (core/catalogue/memory.h).

// Batches that a rank holds at once: of synthetic data all of them, used in turn; of a data set the
// two that the loader keeps ready and the one in training. Four are enough to keep a value cache
// from flattering the first layer, and few enough for any memory.
inline constexpr int kSyntheticBatches = 4;
inline constexpr int kLoadedBatches = 3;

// `shape` is resolved. Where the device is a CPU it asks for the whole process, as a run measures
// that.
catalogue::MemoryQuestion memory_question(const settings::Settings& settings,
                                          const catalogue::ModelShape& shape, int world_size);

// Estimates the bytes of one rank. Returns 0 for a workload that does not exist.
std::uint64_t estimated_memory_bytes(const settings::Settings& settings, int world_size);

// One optimizer step: FLOPs at a nominal rate of the device, gradients at a nominal rate of the
// backend, and a fixed share.
double estimated_step_s(const settings::Settings& settings, int world_size);

// A sweep spends the first once, and a run the second outside warm-up and window.
double estimated_start_s(const settings::Settings& settings);
double estimated_setup_s(const settings::Settings& settings);

// A window is planned so much longer than asked for: its steps may be faster than the warm-up's.
inline constexpr double kWindowMargin = 1.1;

// Blocks of --communication-cost, in quadruples of with, without, without, with: so few quadruples
// give an interval, and blocks so short that a drift is straight within each.
inline constexpr std::int64_t kCostBlocks = 4 * 4;

// Steps rounded up to whole settings::exchange_period()s.
std::int64_t whole_periods(std::int64_t steps, std::int64_t period);

// Steps of each block: a sixteenth of the window's, rounded up, at least 5, in whole periods.
std::int64_t cost_block_steps(std::int64_t window_steps, std::int64_t period = 1);

// The time at which a warm-up ends although step times still change: max_warmup_s (5 x the least
// time), within what a preset allows.
double latest_warmup_s(const RunLength& length);

// Warm-up (its least time) and window of a run whose step takes `step_s`, and the blocks of
// --communication-cost (0 without): half of their steps lack communication, and it is not known
// before by how much they are shorter.
double estimated_warmup_s(const RunLength& length, double step_s);
double estimated_window_s(const RunLength& length, double step_s);
double estimated_abba_s(const settings::Settings& settings, const RunLength& length, double step_s);

// Steps after the window in which each gradient bucket is timed.
inline constexpr std::int64_t kBucketSteps = 5;
// And so many exchanges without a step; at most as long as these steps.
inline constexpr std::int64_t kExchangesAlone = 3;

// The time of the steps of --trace; 0 without.
double estimated_trace_s(const settings::Settings& settings, double step_s);

// The length of a run without a plan: what --iters and similar options say, else at least 20 steps
// and 2 s (10 s on CUDA) of warm-up, or less than that with --max-warmup; 100 steps and 2 s of
// window.
RunLength run_length_of(const settings::Settings& settings);

// The length before --iters and similar options are applied.
RunLength default_length(const settings::Settings& settings);
// Applies those options, which override the limits of a preset.
void apply_options(const settings::MeasuringSettings& measuring, RunLength& length);

// The size of the inputs that the network is given.
catalogue::ModelShape shape_of(const catalogue::Workload& workload,
                               const settings::Settings& settings);

// The time of all steps of a run but those of --trace, which the first repetition has.
double estimated_steps_s(const settings::Settings& settings, const RunLength& length,
                         double step_s);

// Estimates all of a `train`: start, setup and steps, without the epochs that it may have.
double estimated_train_s(const settings::Settings& settings, int world_size);

// The memory that one rank may use follows from the options and its machine, alike for the printed
// plan and for the rank that obeys it.

// The memory of the machine that a rank runs on, as far as it is known.
struct AvailableMemory {
  std::uint64_t host_bytes = 0;  // 0: unknown
  std::optional<std::uint64_t> cgroup_bytes;
  std::optional<std::uint64_t> gpu_bytes;  // memory of the rank's own GPU
  int ranks = 1;                           // so many share the host
};

// The rank's part of the host's memory, or of the cgroup's where that is less. Absent: unknown.
std::optional<std::uint64_t> share_of_host(const AvailableMemory& there);

// Tensors of `rank` may hold so many bytes: its own --memory-limit, else that of all ranks, else on
// a CPU 80 % of its share of the host. Absent: no limit.
std::optional<std::uint64_t> memory_limit(const settings::ParallelSettings& parallel, int rank,
                                          const AvailableMemory& there);

// Bytes that `rank` can use: its limit, or less where its GPU, or on a CPU its share of the host,
// has less.
std::optional<std::uint64_t> memory_available(const settings::ParallelSettings& parallel, int rank,
                                              const AvailableMemory& there);

// The least of memory_available() over ranks 0 .. world_size - 1, all on equal machines.
std::optional<std::uint64_t> least_memory_available(const settings::ParallelSettings& parallel,
                                                    int world_size, const AvailableMemory& there);

// The problem of a --memory-limit for a rank that a launch of `world_size` ranks does not have.
std::optional<settings::Problem> unknown_rank_in_memory_limit(const settings::Settings& settings,
                                                              int world_size);

// The smaller of two amounts that may be unknown.
std::optional<std::uint64_t> least(std::optional<std::uint64_t> a, std::optional<std::uint64_t> b);

}  // namespace scalemark::planning
