#include "engine/communicating/measure.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <thread>
#include <utility>

#include "core/base/durations.h"
#include "core/base/error.h"
#include "core/base/wire.h"
#include "core/reporting/record/rank_fields.h"
#include "engine/communicating/background.h"
#include "engine/communicating/exact_data.h"
#include "engine/communicating/timing.h"
#include "engine/distributed/foreign_error.h"
#include "engine/process/telemetry.h"

namespace scalemark::communicating {
namespace {

using collectives::Collective;
using planning::CollectivePoint;
using reporting::CollectiveTimes;

// Returns what keeps this rank from running the point. Errors that end a run, such as a lost peer,
// are thrown on.
template <class Work>
std::string problem_of(const Work& work) {
  try {
    work();
  } catch (const Error&) {
    throw;
  } catch (const std::exception& exception) {
    switch (distributed::meaning_of(exception)) {
      case distributed::Meaning::kOutOfMemory:
        return "memory does not hold its buffers";
      case distributed::Meaning::kOther:
        return distributed::one_line(exception);
      default:
        throw;
    }
  }
  return {};
}

// The first rank's problem, on every rank.
std::string agreed(const std::string& problem, distributed::ControlGroup& control) {
  for (std::string& one : control.all_gather(problem)) {
    if (!one.empty()) return std::move(one);
  }
  return {};
}

bool supported_directly(const CollectivePoint& point, const Surroundings& around) {
  return around.direct && around.direct->supports(point.collective, point.dtype);
}

Call make_call(Collective collective, const CollectivePoint& point, const Buffers& buffers,
               const Surroundings& around) {
  if (point.via == collectives::Via::kC10d) {
    return c10d_call(collective, buffers, around.rank_group.group(), around.rank_group.device());
  }
  return direct_call(collective, buffers, point.elements, point.dtype, *around.direct);
}

// Each round has data of its own, so that no result of an earlier call can pass.
void verify(const Call& call, const Buffers& buffers, const CollectivePoint& point, int rank,
            int round, CollectiveTimes& times) {
  fill(buffers, point, rank, round);
  call.start();
  call.finish();
  count_wrong(buffers, point, rank, round, times);
}

// Who else uses the machine is seen as well in a moment in which nothing is timed. All ranks wait
// for the machine that must be watched longest.
void watch_longer(const Surroundings& around, std::chrono::steady_clock::time_point since) {
  constexpr double kBetweenLooks_s = 0.2;  // for a stop
  process::RankGroup& group = around.rank_group;
  const double least_s = process::least_watched_s(group.world().local_world_size);
  std::vector<double> missing_s{least_s - seconds_since(since)};
  group.max_over_ranks(missing_s);
  for (double left_s = missing_s[0]; left_s > 0; left_s -= kBetweenLooks_s) {
    const std::chrono::duration<double> pause(std::min(left_s, kBetweenLooks_s));
    std::this_thread::sleep_for(pause);
    around.between();
  }
}

Timing time_beside(const Call& call, const Call& barrier, const CollectivePoint& point,
                   const Surroundings& around) {
  std::optional<BackgroundTraffic> traffic;
  std::optional<BackgroundCompute> compute;
  if (point.congestion) traffic.emplace(*around.background);
  if (point.overlap_compute) compute.emplace(around.rank_group.device());
  const auto begun = std::chrono::steady_clock::now();
  if (around.telemetry) around.telemetry->begin();
  Timing timing = time_call(call, barrier, around.rank_group.control(), around.between);
  if (traffic) traffic->stop();
  compute.reset();
  if (!around.telemetry) return timing;
  watch_longer(around, begun);
  around.telemetry->end();
  return timing;
}

constexpr std::int64_t kVerifiedCalls = 2;  // before and after the timed ones

std::vector<reporting::RankReadings> gather_readings(const Surroundings& around) {
  auto& group = around.rank_group;
  const auto mine = to_wire(process::readings(group.context()));
  around.telemetry->clear();
  std::vector<reporting::RankReadings> all;
  for (const std::string& bytes : group.control().gather(mine)) {
    all.push_back(from_wire<reporting::RankReadings>(bytes));
  }
  return all;
}

// Everything that is made before the first call.
struct Prepared {
  Buffers buffers;
  Call call, barrier;
};

Prepared prepare(const CollectivePoint& point, const Surroundings& around) {
  Prepared made;
  made.buffers = make_buffers(point, around.rank_group.world().rank,
                              around.rank_group.device().torch_device());
  made.call = make_call(point.collective, point, made.buffers, around);
  made.barrier = make_call(Collective::kBarrier, point, {}, around);
  return made;
}

}  // namespace

CollectiveOutcome measure(const CollectivePoint& point, const Surroundings& around) {
  if (point.via == collectives::Via::kDirect && !supported_directly(point, around)) {
    return {
        .skipped = point.backend + " has no call of its own for it", .ranks = {}, .slowest_s = {}};
  }
  auto& control = around.rank_group.control();
  const int rank = around.rank_group.world().rank;
  CollectiveTimes times;
  Prepared made;
  CollectiveOutcome outcome;
  outcome.skipped = agreed(problem_of([&] { made = prepare(point, around); }), control);
  if (!outcome.skipped.empty()) return outcome;
  const auto first = [&] { verify(made.call, made.buffers, point, rank, 0, times); };
  outcome.skipped = agreed(problem_of(first), control);
  if (!outcome.skipped.empty()) return outcome;

  around.between();
  clear(made.buffers);
  Timing timing = time_beside(made.call, made.barrier, point, around);
  around.between();
  verify(made.call, made.buffers, point, rank, 1, times);

  times.iterations = timing.iterations;
  times.calls = timing.calls + kVerifiedCalls;
  times.time_s = timing.time_s;
  for (const std::string& bytes : control.gather(to_wire(times))) {
    outcome.ranks.push_back(from_wire<CollectiveTimes>(bytes));
  }
  outcome.slowest_s = std::move(timing.slowest_s);
  if (around.telemetry) outcome.readings = gather_readings(around);
  return outcome;
}

}  // namespace scalemark::communicating
