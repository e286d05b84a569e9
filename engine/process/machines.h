// The ranks and their machines: which these are and who leads each, what is read of them as long as
// the ranks run, and counters of errors over a session.
#pragma once

#include <chrono>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/live/status.h"
#include "core/machine/health.h"
#include "core/machine/host.h"
#include "core/machine/telemetry/sampler.h"
#include "engine/process/rank_context.h"
#include "engine/process/task_loop.h"
#include "report/judge/point/telemetry.h"
#include "report/record/health.h"

namespace scalemark::process {

// A rank reads its machine as long as it runs: its own CPU time, its control group, its GPU, and as
// the first rank of its machine CPUs, memory, disks and network. core/machine/telemetry reads;
// this chooses.

// The sampler of this process. After RankContext::connect(), by the main thread; opens files and
// NVML. `context` must outlive it.
std::unique_ptr<monitoring::Sampler> open_telemetry(RankContext& context,
                                                    std::chrono::milliseconds period);

// The same sampler, for a measurement that begins: without earlier stretches. `leads_node`: whether
// this rank reads what all ranks of its machine share. Not within a timed region.
monitoring::Sampler& fresh_telemetry(RankContext& context, bool leads_node);

// The newest readings, for this rank's record: of its GPU, absent on a CPU; and of its machine,
// where the sampler reads what ranks share. `clock_s`: when, on the rank's clock.
using Latest = std::vector<monitoring::Sampler::Latest>;
std::optional<live::GpuStatus> latest_of_gpu(const Latest& latest);
live::NodeStatus latest_of_node(const Latest& latest, double clock_s, double sampler_cpu_s);

// How long this rank's machine must be watched until it can be told whether others use it, with a
// margin for the begin of a stretch: seconds. Cores that `ranks`, those that work on this machine,
// leave free shorten it.
double least_watched_s(int ranks);

// Waits until the machine was watched for so long since `since`, for `most_s` at most: who else
// uses it is seen as well in a moment in which nothing is measured.
void wait_until_watched(int ranks, std::chrono::steady_clock::time_point since,
                        double most_s = std::numeric_limits<double>::infinity());

// Returns this rank's readings, after end().
reporting::RankReadings readings(RankContext& context);

// Counters of errors over a session (--checks health): each rank reads those of its GPU, the first
// rank of a machine also the machine's, and rank 0 makes rows of the snapshots.
// core/machine/health.h reads; report/record/health.h says what rows tell.

// One rank's part. Xid errors are noted from its first snapshot on, as long as this object lives.
class HealthWatch {
 public:
  explicit HealthWatch(RankContext& context) : context_(context) {}

  // Reads the counters that this rank sees, as bytes for HealthCollector; members of a command call
  // it read_health(). Opens NVML: not within a timed region.
  std::string snapshot();

 private:
  RankContext& context_;
  bool is_opened_ = false;
  std::unique_ptr<monitoring::GpuHealth> gpu_;  // null on a CPU, or without driver
};

// Rank 0's part.
class HealthCollector {
 public:
  using Rows = std::vector<reporting::HealthRecord>;
  // `wanted`: false: collect() does nothing. `task`: the other ranks answer it with a snapshot;
  // `read`: this rank's own. `keep` gets the rows so far; it knows the session.
  struct Options {
    bool wanted = false;
    std::string task;
    std::function<std::string()> read;
    std::function<void(const Rows&)> keep;
  };
  HealthCollector(TaskLoop& loop, Options options) : loop_(loop), options_(std::move(options)) {}

  // Asks all ranks: call it at the begin of a session, and at its end. A rank that does not answer
  // is left out: the next task meets it.
  void collect();

 private:
  TaskLoop& loop_;
  Options options_;
  Rows rows_;
  std::optional<distributed::Clock::time_point> first_;
};

// One entry per machine, in rank order; empty on ranks above 0. Collective over the session.
std::vector<monitoring::Host> survey_hosts(RankContext& context);

// --bind divides the CPUs that all ranks of a machine may use: throws configuration() (78) where a
// launcher has given them different ones. `given_cpus`: those of this rank before it was bound;
// empty: it was not, and nothing is compared. Collective over all ranks.
void refuse_bound_by_launcher(RankContext& context, const std::string& given_cpus);

// Whether this rank is the first of its node among all ranks of the run: it does what is done once
// per machine.
bool leads_node(const RankContext& context);

}  // namespace scalemark::process
