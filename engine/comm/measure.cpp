#include "engine/comm/measure.h"

#include <ATen/ops/empty_like.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/rand.h>
#include <c10/core/InferenceMode.h>
#include <c10/core/StreamGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/durations.h"
#include "core/base/error.h"
#include "core/collectives/check.h"
#include "engine/comm/timing.h"
#include "engine/device/device.h"
#include "engine/distributed/errors.h"
#include "engine/process/machines.h"
#include "engine/process/rank_group.h"
#include "report/record/collective_records.h"
#include "report/record/rank_fields.h"

namespace scalemark::communicating {
namespace {

// The results of a collective are known beforehand and exact in each type (core/collectives/check.h
// has the values). The functions below write the inputs and compare the results on any device.

// The buffers become zeros, since sums of zeros stay zeros over any number of calls.
void clear(const Buffers& buffers) {
  if (buffers.input.defined()) buffers.input.zero_();
  if (buffers.output.defined()) buffers.output.zero_();
}

// Writes what `rank` sends in `round`, after overwriting its receive buffer.
void fill(const Buffers& buffers, const planning::CollectivePoint& point, int rank, int round) {
  clear(buffers);
  if (!buffers.input.defined()) return;
  const at::Tensor host = at::empty_like(buffers.input, buffers.input.options().device(at::kCPU));
  fill_input(exchange_of(point, round), rank, point.dtype, host.mutable_data_ptr());
  buffers.input.copy_(host);
}

// Adds to `times` the elements of this rank that are not what the collective must give.
void count_wrong(const Buffers& buffers, const planning::CollectivePoint& point, int rank,
                 int round, reporting::CollectiveTimes& times) {
  const auto exchange = exchange_of(point, round);
  if (!buffers.output.defined() || output_elements(exchange, rank) == 0) return;
  const at::Tensor host = buffers.output.cpu();
  const auto wrong = wrong_elements(exchange, rank, point.dtype, host.const_data_ptr());
  if (wrong.count > 0 && times.wrong == 0) {
    times.first_wrong = wrong.first;
    times.wrong_from = wrong.from;
  }
  times.wrong += wrong.count;
}

// --- Other work beside a collective: matrix products of the same rank, or traffic of this program
// between the same ranks. Both run in a thread of their own while the object lives.

// Matrix products on the device: on a GPU in a stream of their own.
class BackgroundCompute {
 public:
  explicit BackgroundCompute(device::Device& device);

 private:
  std::jthread thread_;
};

// All-reduces of 4 MiB over Gloo, one after the other, whatever backend is measured: it loads the
// hosts' network, not links between GPUs. Made and stopped by every rank of the group.
class BackgroundTraffic {
 public:
  // Only this object may use `rank_group` while it exists.
  explicit BackgroundTraffic(process::RankGroup& rank_group);
  ~BackgroundTraffic();
  BackgroundTraffic(const BackgroundTraffic&) = delete;
  BackgroundTraffic& operator=(const BackgroundTraffic&) = delete;

  // Returns when every rank has called it, since the ranks end with the same all-reduce. Throws
  // what an all-reduce threw.
  void stop();

 private:
  void run() noexcept;

  process::RankGroup& rank_group_;
  std::atomic<bool> stop_{false};
  std::exception_ptr failed_;
  std::jthread thread_;
};

constexpr std::int64_t kProductSize = 512;             // side of the square matrices
constexpr std::size_t kTrafficValues = (4 << 20) / 8;  // doubles in one all-reduce
constexpr int kProductsAhead = 8;                      // products in a GPU's queue

void multiply_until(const std::stop_token& stop, c10::Device device) {
  const c10::InferenceMode no_gradients;
  std::optional<c10::StreamGuard> own_stream;
  if (device.is_cuda()) {
    const c10::impl::VirtualGuardImpl streams(device.type());
    own_stream.emplace(streams.getStreamFromGlobalPool(device));
  }
  const auto options = at::TensorOptions().dtype(at::kFloat).device(device);
  const at::Tensor a = at::rand({kProductSize, kProductSize}, options);
  at::Tensor product = at::empty_like(a);
  while (!stop.stop_requested()) {
    for (int i = 0; i < kProductsAhead && !stop.stop_requested(); ++i) at::mm_out(product, a, a);
    if (own_stream) own_stream->current_stream().synchronize();
  }
}

BackgroundCompute::BackgroundCompute(device::Device& device)
    : thread_([on = device.torch_device()](const std::stop_token& stop) {
        multiply_until(stop, on);
      }) {}

BackgroundTraffic::BackgroundTraffic(process::RankGroup& rank_group)
    : rank_group_(rank_group), thread_([this] { run(); }) {}

// Is reached without stop() when the run is left early or has failed. Peers that live end with the
// same all-reduce; where one is gone, Gloo's connection to it breaks.
BackgroundTraffic::~BackgroundTraffic() { stop_ = true; }

void BackgroundTraffic::stop() {
  stop_ = true;
  thread_.join();
  if (failed_) std::rethrow_exception(failed_);
}

// The first value says whether any rank wants to stop (the largest over ranks), so all leave in the
// same round.
void BackgroundTraffic::run() noexcept {
  try {
    std::vector<double> values(kTrafficValues, 0);
    do {
      values[0] = stop_ ? 1 : 0;
      rank_group_.control().max_over_ranks(values);
    } while (values[0] == 0);
  } catch (...) {
    failed_ = std::current_exception();
  }
}

using collectives::Collective;
using planning::CollectivePoint;
using reporting::CollectiveTimes;

// Returns what keeps this rank from running the point. Errors that end a run, such as a lost peer,
// are rethrown.
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

// Returns the first rank's problem on every rank.
std::string agreed(const std::string& problem, distributed::ControlGroup& control) {
  return distributed::answered(control, problem, [](const auto& of_ranks) {
    const auto first = std::ranges::find_if_not(of_ranks, &std::string::empty);
    return first == of_ranks.end() ? std::string() : *first;
  });
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

// Watching continues for a moment in which nothing is timed, since other users of the machine are
// seen then, too. All ranks wait for the machine that must be watched longest.
void watch_longer(const Surroundings& around, std::chrono::steady_clock::time_point since) {
  constexpr double kPollPeriod_s = 0.2;  // pause between two checks for a stop
  process::RankGroup& group = around.rank_group;
  const double least_s = process::least_watched_s(group.world().local_world_size);
  std::vector<double> missing_s{least_s - seconds_since(since)};
  group.max_over_ranks(missing_s);
  for (double left_s = missing_s[0]; left_s > 0; left_s -= kPollPeriod_s) {
    const std::chrono::duration<double> pause(std::min(left_s, kPollPeriod_s));
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

constexpr std::int64_t kVerifiedCalls = 2;  // calls before the timed ones, and again after them

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
  outcome.ranks = distributed::gathered(control, times);
  outcome.slowest_s = std::move(timing.slowest_s);
  if (around.telemetry) {
    auto& group = around.rank_group;
    outcome.readings = distributed::gathered(group.control(), process::readings(group.context()));
    around.telemetry->clear();
  }
  return outcome;
}

}  // namespace scalemark::communicating
