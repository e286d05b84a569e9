#include "engine/communicating/timing.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "core/base/durations.h"

namespace scalemark::communicating {
namespace {

using std::chrono::steady_clock;

constexpr std::int64_t kFirstCalls = 2;  // connections and buffers are made in them
constexpr double kWarmUp_s = 0.02;

struct Bounds {
  std::int64_t least, most;
};
// The least numbers count where a call takes seconds (4 GiB over Gloo): every one is waited for.
constexpr Bounds kWarmUpCalls{1, 2'000}, kLoopCalls{5, 100'000}, kIsolatedCalls{1, 2'000};
constexpr Bounds kFewIsolatedCalls{5, 20};  // twenty have a 95th percentile
constexpr double kFewIsolated_s = 2;
constexpr std::int64_t kTrialCalls = 5;  // that tell how long one takes
constexpr double kLongTrial_s = 0.5;     // of which one call tells as much

double seconds_of(const Call& call, std::int64_t count) {
  const auto begin = steady_clock::now();
  for (std::int64_t i = 0; i < count; ++i) call.start();
  call.finish();
  return seconds_since(begin);
}

void run_once(const Call& call) {
  call.start();
  call.finish();
}

// The same on all ranks: from the slowest one's time of one call.
std::int64_t agreed_count(double call_s, double wanted_s, Bounds bounds,
                          distributed::ControlGroup& control) {
  std::vector<double> slowest{call_s};
  control.max_over_ranks(slowest);
  const double count = std::ceil(wanted_s / std::max(slowest[0], 1e-9));
  return std::clamp(static_cast<std::int64_t>(std::min(count, 1e9)), bounds.least, bounds.most);
}

struct WarmUp {
  std::int64_t calls = 0;
  double call_s = 0;  // at its end
};

// As many on all ranks.
std::int64_t trial_calls(double call_s, distributed::ControlGroup& control) {
  return agreed_count(call_s, kLongTrial_s, {1, kTrialCalls}, control);
}

WarmUp warm_up(const Call& call, distributed::ControlGroup& control) {
  const double first_s = seconds_of(call, kFirstCalls) / static_cast<double>(kFirstCalls);
  const auto trial = trial_calls(first_s, control);
  const double rough = seconds_of(call, trial) / static_cast<double>(trial);
  const auto count = agreed_count(rough, kWarmUp_s, kWarmUpCalls, control);
  return {.calls = kFirstCalls + trial + count,
          .call_s = seconds_of(call, count) / static_cast<double>(count)};
}

std::vector<double> isolated(const Call& call, const Call& barrier, std::int64_t count) {
  std::vector<double> seconds(static_cast<std::size_t>(count));
  for (double& one : seconds) {
    run_once(barrier);
    const auto begin = steady_clock::now();
    run_once(call);
    one = seconds_since(begin);
  }
  return seconds;
}

}  // namespace

Timing time_call(const Call& call, const Call& barrier, distributed::ControlGroup& control,
                 const std::function<void()>& heartbeat, const Effort& effort) {
  Timing timing;
  const WarmUp warm = warm_up(call, control);
  heartbeat();
  timing.iterations = agreed_count(warm.call_s, effort.loop_s, kLoopCalls, control);
  run_once(barrier);
  timing.time_s = seconds_of(call, timing.iterations) / static_cast<double>(timing.iterations);
  heartbeat();

  const auto trial = trial_calls(timing.time_s, control);
  const auto begin = steady_clock::now();
  isolated(call, barrier, trial);
  const double with_barrier = seconds_since(begin) / static_cast<double>(trial);
  const auto count =
      std::max(agreed_count(with_barrier, kFewIsolated_s, kFewIsolatedCalls, control),
               agreed_count(with_barrier, effort.isolated_s, kIsolatedCalls, control));
  heartbeat();
  timing.slowest_s = isolated(call, barrier, count);
  control.max_over_ranks(timing.slowest_s);
  timing.calls = warm.calls + timing.iterations + trial + count;
  return timing;
}

}  // namespace scalemark::communicating
