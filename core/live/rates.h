// Rates, shares and ages of a run, from two of its records (status.h): for the screen of `top` and
// its JSON. Pure; marks.h decides which ranks are marked.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/live/status.h"

namespace scalemark::live {

struct RankNow {
  int rank = 0;
  std::optional<double> interval_s, samples_per_s, step_s;
  std::optional<double> data_wait_share, exchange_wait_share, network_wait_share, peer_wait_share;
  std::optional<double> cpus, queued_share, late_wakeups_per_s, last_step_age_s;
  std::int64_t steps = 0, collectives = 0;
  std::string mark, reason;
};
template <class A>
constexpr void fields(A& a, typename A::template Field<RankNow>& r) {
  a.record("rank_now", "A rank between two records");
  a("rank", r.rank, {"its number"});
  a("interval_s", r.interval_s, {"between its two signs of life; absent without two", "s"});
  a("samples_per_s", r.samples_per_s, {"trained on", "1/s"});
  a("step_s", r.step_s, {"from the end of one step to that of the next", "s"});
  a("data_wait_share", r.data_wait_share, {"of the time, waiting for data"});
  a("exchange_wait_share", r.exchange_wait_share,
    {"of the time in which its main thread neither ran, nor was ready, nor waited for data"});
  a("network_wait_share", r.network_wait_share,
    {"the smallest exchange_wait_share of the ranks in its phase"});
  a("peer_wait_share", r.peer_wait_share, {"exchange_wait_share above the smallest"});
  a("cpus", r.cpus, {"CPUs that its process used, all threads"});
  a("queued_share", r.queued_share, {"of the time, its main thread ready and without a CPU"});
  a("late_wakeups_per_s", r.late_wakeups_per_s, {"its sampler woke more than 5 ms late", "1/s"});
  a("last_step_age_s", r.last_step_age_s, {"since its last step ended, until now", "s"});
  a("steps", r.steps, {"that ended between the two"});
  a("collectives", r.collectives, {"begun between the two"});
  a.text("mark", r.mark, {"silent | behind | slowest; absent where nothing is wrong"});
  a.text("reason", r.reason, {"why it is marked"});
}

struct NodeNow {
  std::string host;
#define SCALEMARK_NODE_RATE(rate, ...) std::optional<double> rate;
#define SCALEMARK_INTERFACE_RATE(rate, ...) std::optional<double> rate;
#include "core/machine/machine_numbers.inc"
  std::optional<double> other_cpus;
};
// A counter of the machine, or of all its interfaces but lo, grows by this number in a second.
struct NodeRate : NumberIn<NodeNow> {
  std::optional<double> NodeStatus::*counter = nullptr;
  double InterfaceStatus::*traffic = nullptr;
};
inline constexpr auto kNodeRates = std::to_array<NodeRate>({
#define SCALEMARK_NODE_RATE(rate, member, ...) \
  {{#rate, &NodeNow::rate, monitoring::numbers::member}, &NodeStatus::member},
#define SCALEMARK_INTERFACE_RATE(rate, member, ...) \
  {{#rate, &NodeNow::rate, monitoring::numbers::member}, nullptr, &InterfaceStatus::member},
#include "core/machine/machine_numbers.inc"
});
template <class A>
constexpr void fields(A& a, typename A::template Field<NodeNow>& n) {
  a.record("node_now", "A machine between two records");
  a("host", n.host, {"its name"});
  for (const NodeRate& one : kNodeRates) a(one.name, n.*one.value, one.is.rate);
  a("other_cpus", n.other_cpus, {"of busy_cpus, for programs that are no ranks of this run"});
}

struct RunNow {
  double age_s = 0;
  std::optional<double> interval_s, samples_per_s;
  std::string alarm;
  std::vector<RankNow> ranks;
  std::vector<NodeNow> nodes;
};
template <class A>
constexpr void fields(A& a, typename A::template Field<RunNow>& r) {
  a.record("now", "A run between two records, and how old the newer one is");
  a("age_s", r.age_s, {"of the status", "s"});
  a("interval_s", r.interval_s, {"between the two, on rank 0's clock; absent without two", "s"});
  a("samples_per_s", r.samples_per_s, {"of all ranks that train", "1/s"});
  a.text("alarm", r.alarm, {"says so where rank 0 shows no sign of life"});
  a.list("ranks", r.ranks, {"in the order of the status"});
  a.list("nodes", r.nodes, {"in the order of the status"});
}

// Whether steps are made in the phase: warmup, window or epochs.
bool is_measuring(std::string_view phase);

inline constexpr std::string_view kRunning = "running";

// A running status that is older shows that rank 0 is not well: it writes one every 2 s.
inline constexpr double kOldStatus_s = 10;

// The record to compare `now` with: the newest of `earlier` (oldest first) that is 10 s and 10
// steps older, or 60 s; else the oldest of the same phase and point. Null: there is none.
const Status* base_of(const std::deque<Status>& earlier, const Status& now);

// Makes rates without marks. `before` may be null, and does not count when the run has ended.
// `age_s`: seconds since `now` was written.
RunNow rates_of(const Status* before, const Status& now, double age_s);

// The newest records of a run, as many as rates need: one memory for the screen of `top` and the
// live page. Reads no file and no network.
class Recent {
 public:
  // `status` is the newest from now on. Records that come faster than one a second are not all
  // kept, so that those that are span a minute however often they come.
  void add(Status status);

  const std::optional<Status>& newest() const { return newest_; }
  // Rates of the newest record, which must exist, without and with marks (marks.h). `age_s`:
  // seconds since it was written.
  RunNow rates(double age_s) const;
  RunNow now(double age_s) const;

 private:
  const Status* base() const { return base_of(earlier_, *newest_); }

  std::optional<Status> newest_;
  std::deque<Status> earlier_;  // oldest first
};

// One JSON object in one line, without a line end: {"source", "status", "now"}.
std::string frame_json(const std::string& source, const Status& status, const RunNow& now);

}  // namespace scalemark::live
