#include "core/live/rates.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <ranges>
#include <unordered_map>
#include <utility>

#include "core/base/record_json.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/live/marks.h"

namespace scalemark::live {
namespace {

constexpr double kSpan_s = 10, kLongestSpan_s = 60;
constexpr std::int64_t kSteps = 10;
constexpr double kShortest_s = 0.5;  // over a shorter time the jitter of heartbeats shows

using Amount = std::optional<double>;

// How much a counter grew; absent where either end is, or where it began anew.
Amount growth(const Amount& before, const Amount& now) {
  if (!before || !now || *now < *before) return std::nullopt;
  return *now - *before;
}

Amount per(const Amount& amount, double seconds) {
  return amount ? Amount(*amount / seconds) : std::nullopt;
}

// When its last step ended, on the rank's own clock.
Amount step_end(const RankStatus& rank) {
  return rank.since_step_s ? Amount(rank.clock_s - *rank.since_step_s) : std::nullopt;
}

bool is_on_gpu(const RankStatus& rank) {
  return rank.gpu.has_value() || rank.device.starts_with("cuda");
}

bool can_be_compared(const RankStatus& before, const RankStatus& now) {
  return before.phase == now.phase && before.beats < now.beats &&
         before.clock_s + kShortest_s <= now.clock_s && before.samples <= now.samples &&
         before.collectives <= now.collectives && before.data_wait_s <= now.data_wait_s;
}

// The time from the end of one step to that of another, so that half a step at either end does not
// count; the time by the clock while a step takes twice as long as usual.
double rate_span(const RankStatus& before, const RankStatus& now, RankNow& rates) {
  const double by_clock = now.clock_s - before.clock_s;
  const Amount first = step_end(before), last = step_end(now);
  if (rates.steps <= 0 || !first || !last || *last <= *first) return by_clock;
  rates.step_s = (*last - *first) / static_cast<double>(rates.steps);
  return now.since_step_s.value() > 2 * *rates.step_s ? by_clock : *last - *first;
}

void add_waits(const RankStatus& before, const RankStatus& now, RankNow& rates) {
  const double seconds = *rates.interval_s, data = now.data_wait_s - before.data_wait_s;
  rates.data_wait_share = std::min(1.0, data / seconds);
  const Amount queued = growth(before.main_queued_s, now.main_queued_s);
  const Amount ran = growth(before.main_ran_s, now.main_ran_s);
  rates.queued_share = per(queued, seconds);
  if (is_on_gpu(now) || !ran || !queued) return;
  if (rates.steps > 0 && rates.collectives == 0)
    return;  // nothing is exchanged: the rank waits elsewhere
  rates.exchange_wait_share = std::max(0.0, seconds - *ran - *queued - data) / seconds;
}

RankNow rank_rates(const RankStatus* before, const RankStatus& now) {
  RankNow rates{.rank = now.rank};
  if (!before || !can_be_compared(*before, now)) return rates;
  const double seconds = now.clock_s - before->clock_s;
  rates.interval_s = seconds;
  rates.collectives = now.collectives - before->collectives;
  rates.cpus = per(growth(before->cpu_s, now.cpu_s), seconds);
  rates.late_wakeups_per_s =
      static_cast<double>(std::max<std::int64_t>(0, now.late_wakeups - before->late_wakeups)) /
      seconds;
  if (!is_measuring(now.phase)) return rates;
  if (before->step && now.step) rates.steps = std::max<std::int64_t>(0, *now.step - *before->step);
  const auto samples = static_cast<double>(now.samples - before->samples);
  rates.samples_per_s = samples / rate_span(*before, now, rates);
  add_waits(*before, now, rates);
  return rates;
}

// No rank of a phase is spared the network's part of the waits; the rest is a wait for peers.
void split_exchange_waits(const Status& now, std::vector<RankNow>& ranks) {
  struct Phase {
    double smallest = std::numeric_limits<double>::infinity();
    int ranks = 0;
  };
  std::map<std::string_view, Phase> phases;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    if (!ranks[i].exchange_wait_share) continue;
    Phase& phase = phases[now.ranks[i].phase];
    phase.smallest = std::min(phase.smallest, *ranks[i].exchange_wait_share);
    ++phase.ranks;
  }
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    if (!ranks[i].exchange_wait_share) continue;
    const Phase& phase = phases[now.ranks[i].phase];
    if (phase.ranks < 2) continue;
    ranks[i].network_wait_share = phase.smallest;
    ranks[i].peer_wait_share = *ranks[i].exchange_wait_share - phase.smallest;
  }
}

// The rate of all ranks that train; absent while one is unknown, unless its rank has long been
// silent.
Amount whole_rate(const Status& now, const std::vector<RankNow>& ranks) {
  Amount sum;
  std::int64_t samples = 0;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    if (!is_measuring(now.ranks[i].phase)) continue;
    samples += now.ranks[i].samples;
    if (!ranks[i].samples_per_s && now.ranks[i].silent_s < kOldStatus_s) return std::nullopt;
    sum = sum.value_or(0) + ranks[i].samples_per_s.value_or(0);
  }
  return samples > 0 ? sum : std::nullopt;
}

// How much a counter of all interfaces but lo grew.
Amount traffic(double InterfaceStatus::*bytes, const NodeStatus& before, const NodeStatus& now) {
  Amount sum;
  for (const InterfaceStatus& is : now.interfaces) {
    const auto was = std::ranges::find(before.interfaces, is.name, &InterfaceStatus::name);
    if (is.name == "lo" || was == before.interfaces.end()) continue;
    sum = sum.value_or(0) + growth((*was).*bytes, is.*bytes).value_or(0);
  }
  return sum;
}

NodeNow node_rates(const NodeStatus* before, const NodeStatus& now) {
  NodeNow rates{.host = now.host};
  if (!before || before->clock_s + kShortest_s > now.clock_s) return rates;
  for (const NodeRate& one : kNodeRates) {
    const Amount grew = one.traffic ? traffic(one.traffic, *before, now)
                                    : growth(before->*one.counter, now.*one.counter);
    rates.*one.value = per(grew, now.clock_s - before->clock_s);
  }
  return rates;
}

bool is_same_work(const Status& before, const Status& now) {
  return before.run_id == now.run_id && before.point == now.point;
}

void add_ranks(const Status* before, const Status& now, RunNow& run) {
  std::unordered_map<int, const RankStatus*> earlier;
  if (before) {
    for (const RankStatus& rank : before->ranks) earlier[rank.rank] = &rank;
  }
  for (const RankStatus& rank : now.ranks) {
    run.ranks.push_back(rank_rates(value_at(earlier, rank.rank), rank));
    if (now.state == kRunning && is_measuring(rank.phase) && rank.since_step_s) {
      run.ranks.back().last_step_age_s = *rank.since_step_s + rank.silent_s + run.age_s;
    }
  }
  split_exchange_waits(now, run.ranks);
}

void add_nodes(const Status* before, const Status& now, RunNow& run) {
  std::unordered_map<std::string_view, const NodeStatus*> earlier;
  if (before) {
    for (const NodeStatus& node : before->nodes) earlier[node.host] = &node;
  }
  for (const NodeStatus& node : now.nodes) {
    run.nodes.push_back(node_rates(value_at(earlier, node.host), node));
  }
}

// Leaves other_cpus absent where one of the machine's ranks is not known.
void add_others(const Status& now, RunNow& run) {
  for (NodeNow& node : run.nodes) {
    Amount others = node.busy_cpus;
    for (std::size_t i = 0; i < run.ranks.size(); ++i) {
      if (now.ranks[i].host != node.host || !others) continue;
      others = run.ranks[i].cpus ? Amount(*others - *run.ranks[i].cpus) : std::nullopt;
    }
    if (others) node.other_cpus = std::max(0.0, *others);
  }
}

// Whether time has passed between them by rank 0's clock, which begins anew with another process.
bool are_apart(const Status& before, const Status& now) {
  constexpr double kApart_s = 1;
  if (before.ranks.empty() || now.ranks.empty()) return true;
  const double seconds = now.ranks.front().clock_s - before.ranks.front().clock_s;
  return seconds >= kApart_s || seconds < 0;
}

}  // namespace

bool is_measuring(std::string_view phase) {
  return phase == "warmup" || phase == "window" || phase == "epochs";
}

const Status* base_of(const std::deque<Status>& earlier, const Status& now) {
  const Status* base = nullptr;
  for (const Status& before : earlier | std::views::reverse) {
    if (!is_same_work(before, now) || before.phase != now.phase) break;
    if (before.ranks.empty() || now.ranks.empty()) break;
    const RankStatus &was = before.ranks.front(), &is = now.ranks.front();
    if (was.clock_s > is.clock_s) break;  // another process
    base = &before;
    const double span = is.clock_s - was.clock_s;
    const std::int64_t steps = was.step && is.step ? *is.step - *was.step : 0;
    if (span >= kLongestSpan_s || (span >= kSpan_s && steps >= kSteps)) break;
  }
  return base;
}

RunNow rates_of(const Status* before, const Status& now, double age_s) {
  RunNow run{.age_s = age_s};
  if (now.state != kRunning) before = nullptr;
  add_nodes(before && before->run_id == now.run_id ? before : nullptr, now, run);
  add_ranks(before && is_same_work(*before, now) ? before : nullptr, now, run);
  add_others(now, run);
  if (!run.ranks.empty()) run.interval_s = run.ranks.front().interval_s;
  run.samples_per_s = whole_rate(now, run.ranks);
  if (now.state == kRunning && age_s > kOldStatus_s) {
    run.alarm = "rank 0 has given no sign of life for " + seconds_text(std::round(age_s)) +
                ": killed, stopped, or a slow disk";
  }
  return run;
}

void Recent::add(Status status) {
  constexpr std::size_t kKept = 40;  // a minute and more, at one each 2 s
  if (newest_ && (earlier_.empty() || are_apart(earlier_.back(), *newest_)))
    earlier_.push_back(std::move(*newest_));
  newest_ = std::move(status);
  if (earlier_.size() > kKept) earlier_.pop_front();
}

RunNow Recent::rates(double age_s) const { return rates_of(base(), *newest_, age_s); }

RunNow Recent::now(double age_s) const {
  RunNow run = rates(age_s);
  mark_ranks(base(), *newest_, run);
  return run;
}

std::string frame_json(const std::string& source, const Status& status, const RunNow& now) {
  FieldJson frame;
  frame["source"] = source;
  frame["status"] = as_json(status, "status");
  frame["now"] = as_json(now, "now");
  return dumped(frame);
}

}  // namespace scalemark::live
