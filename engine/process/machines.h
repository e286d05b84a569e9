// The ranks' machines: which they are, which rank leads each, what is read of them while the ranks
// run, and counters of errors over a session.
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
#include "report/record/health_figures.h"

namespace scalemark::process {

// --- A rank reads its machine as long as it runs: its own CPU time, its control group and its GPU;
// the first rank of a machine also reads CPUs, memory, disks and network. core/machine/telemetry
// reads; the functions here choose what is read.

// Opens the sampler of this process, with its files and NVML. Call it on the main thread after
// RankContext::connect(). `context` must outlive it.
std::unique_ptr<monitoring::Sampler> open_telemetry(RankContext& context,
                                                    std::chrono::milliseconds period);

// Returns the same sampler for a new measurement, without earlier stretches. `leads_node`: whether
// this rank reads what all ranks of its machine share. Not within a timed region.
monitoring::Sampler& fresh_telemetry(RankContext& context, bool leads_node);

// The newest readings for this rank's record: of its GPU, absent on a CPU; and of its machine,
// where the sampler reads what ranks share. `clock_s` is their time on the rank's clock.
using Latest = std::vector<monitoring::Sampler::Latest>;
std::optional<live::GpuStatus> latest_of_gpu(const Latest& latest);
live::NodeStatus latest_of_node(const Latest& latest, double clock_s, double sampler_cpu_s);

// Returns for how many seconds this rank's machine must be watched until it is clear whether others
// use it, with a margin for the begin of a stretch. Cores that the `ranks` on this machine leave
// free shorten the time.
double least_watched_s(int ranks);

// Waits until the machine was watched for that long since `since`, at most `most_s`: other users of
// the machine are also seen while nothing is measured.
void wait_until_watched(int ranks, std::chrono::steady_clock::time_point since,
                        double most_s = std::numeric_limits<double>::infinity());

// Returns this rank's readings, after end().
reporting::RankReadings readings(RankContext& context);

// --- Counters of errors over a session (--checks health): each rank reads those of its GPU, the
// first rank of a machine also the machine's, and rank 0 makes rows of the snapshots.
// core/machine/health.h reads; report/record/health_figures.h explains the rows.

// One rank's part. Xid errors are noted from the first snapshot on, as long as this object lives.
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
  // `wanted`: false: collect() does nothing. `task` asks the other ranks for a snapshot, and `read`
  // returns this rank's own. `keep` gets the rows so far and adds the session.
  struct Options {
    bool wanted = false;
    std::string task;
    std::function<std::string()> read;
    std::function<void(const Rows&)> keep;
  };
  HealthCollector(TaskLoop& loop, Options options) : loop_(loop), options_(std::move(options)) {}

  // Asks all ranks. Call it at the beginning of a session and at its end. A rank that does not
  // answer is left out; the next task will notice its loss.
  void collect();

 private:
  TaskLoop& loop_;
  Options options_;
  Rows rows_;
  std::optional<distributed::Clock::time_point> first_;
};

// Returns one entry per machine, in rank order; empty on ranks above 0. Collective over the
// session.
std::vector<monitoring::Host> survey_hosts(RankContext& context);

// Throws configuration() (78) where a launcher has given the ranks of a machine different CPUs,
// since --bind divides the CPUs that all of them may use. `given_cpus` are those of this rank
// before it was bound; empty: it was not bound, and nothing is compared. Collective over all ranks.
void refuse_bound_by_launcher(RankContext& context, const std::string& given_cpus);

// Whether this rank is the first of its node among all ranks of the run, and so does the work that
// is done once per machine.
bool leads_node(const RankContext& context);

}  // namespace scalemark::process
