#include "core/live/marks.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <ranges>
#include <unordered_map>

#include "core/base/text.h"

namespace scalemark::live {
namespace {

using Members = std::vector<std::size_t>;  // places in Status::ranks and RunNow::ranks

// Compares one value of each rank with those of the others.
class AgainstOthers {
 public:
  AgainstOthers(const Members& members, const std::function<double(std::size_t)>& value)
      : value_(value) {
    for (const std::size_t member : members) sorted_.push_back(value(member));
    std::ranges::sort(sorted_);
  }
  bool any() const { return sorted_.size() >= 2; }
  double of(std::size_t member) const { return value_(member); }
  // The lower median of the others: so at most half of all are clearly above or below it.
  double others(std::size_t member) const {
    const std::size_t middle = (sorted_.size() - 2) / 2;
    const auto own = std::ranges::lower_bound(sorted_, of(member)) - sorted_.begin();
    return sorted_[static_cast<std::size_t>(own) <= middle ? middle + 1 : middle];
  }
  double above(std::size_t member) const { return of(member) - others(member); }
  double largest() const { return sorted_.back(); }
  double largest_of_others(std::size_t member) const {
    return of(member) == sorted_.back() ? sorted_[sorted_.size() - 2] : sorted_.back();
  }

 private:
  std::function<double(std::size_t)> value_;
  std::vector<double> sorted_;
};

class Marker {
 public:
  Marker(const Status* before, const Status& now, RunNow& run)
      : before_(before), now_(now), run_(run) {}

  void mark_silent();
  void mark_earlier_phases();
  void mark_phase(std::string_view phase);

 private:
  RankNow& rates(std::size_t i) const { return run_.ranks[i]; }
  const RankStatus& status(std::size_t i) const { return now_.ranks[i]; }
  Members those(const std::function<bool(std::size_t)>& fits) const;
  void mark(std::size_t i, const char* word, std::string reason) const {
    if (!rates(i).mark.empty()) return;
    rates(i).mark = word;
    rates(i).reason = std::move(reason);
  }

  bool stands_still(std::size_t i) const;
  bool mark_behind(const Members& members) const;
  bool mark_last_steps(const Members& members) const;
  bool mark_waited_for(const Members& members) const;
  bool mark_short_of_data(const Members& members) const;
  bool mark_slow_clocks(const Members& members) const;
  void mark_woken_late(const Members& members) const;
  std::string cause(std::size_t i, const Members& members, double lead) const;

  const Status* before_;
  const Status& now_;
  RunNow& run_;
};

Members Marker::those(const std::function<bool(std::size_t)>& fits) const {
  Members members;
  for (std::size_t i = 0; i < run_.ranks.size(); ++i) {
    if (fits(i)) members.push_back(i);
  }
  return members;
}

void Marker::mark_silent() {
  constexpr double kSilent_s = 8, kLonger_s = 6, kAnyway_s = 30;
  const AgainstOthers silence(those([](std::size_t) { return true; }),
                              [&](std::size_t i) { return status(i).silent_s; });
  for (std::size_t i = 0; i < run_.ranks.size(); ++i) {
    const bool is_old = status(i).rank == 0 && run_.age_s > kOldStatus_s;
    const double silent_s = status(i).silent_s + (is_old ? run_.age_s : 0);
    const bool longer = silence.any() && silence.above(i) >= kLonger_s;
    if (is_old || (silent_s >= kSilent_s && (longer || silent_s >= kAnyway_s))) {
      mark(i, "silent", "no sign of life for " + seconds_text(std::round(silent_s)));
    }
  }
}

// Where phases stand in their order; absent for those that ranks enter one by one.
std::optional<std::size_t> order_of(std::string_view phase) {
  constexpr auto kOrder = std::to_array<std::string_view>(
      {"rendezvous", "data", "preflight", "model", "warmup", "window", "epochs"});
  const auto found = std::ranges::find(kOrder, phase);
  if (found == kOrder.end()) return std::nullopt;
  return static_cast<std::size_t>(found - kOrder.begin());
}

void Marker::mark_earlier_phases() {
  constexpr double kLong_s = 5;
  if (!before_) return;
  std::unordered_map<int, std::string_view> was;
  for (const RankStatus& rank : before_->ranks) was[rank.rank] = rank.phase;
  const auto place = [&](std::size_t i) {  // the earlier of the rank's two phases
    const auto then = order_of(was[status(i).rank]), is = order_of(status(i).phase);
    return then && is ? static_cast<double>(std::min(*then, *is)) : 0;
  };
  const AgainstOthers places(those([&](std::size_t i) {
                               return order_of(status(i).phase) && order_of(was[status(i).rank]);
                             }),
                             place);
  if (!places.any()) return;
  for (std::size_t i = 0; i < run_.ranks.size(); ++i) {
    const auto is = order_of(status(i).phase);
    if (!is || was[status(i).rank] != status(i).phase) continue;
    if (rates(i).interval_s.value_or(0) < kLong_s) continue;
    if (places.others(i) > static_cast<double>(*is)) {
      mark(i, "behind", "still in phase " + status(i).phase);
    }
  }
}

// No step has ended for long, measured by earlier steps, or by the clock where those are unknown.
bool Marker::stands_still(std::size_t i) const {
  constexpr double kShortest_s = 5, kSteps = 10, kUnknown_s = 20, kCount_s = 4;
  const RankNow& rank = rates(i);
  if (rank.interval_s.value_or(0) >= kCount_s && rank.collectives == 0 && rank.steps == 0)
    return true;
  const double limit = rank.step_s ? std::max(kShortest_s, kSteps * *rank.step_s) : kUnknown_s;
  return status(i).since_step_s.value_or(0) >= limit;
}

bool Marker::mark_behind(const Members& members) const {
  if (!std::ranges::all_of(members, [&](std::size_t i) { return stands_still(i); })) return false;
  const auto begun = [&](std::size_t i) { return status(i).collectives; };
  const auto [least, front] = std::ranges::minmax(members | std::views::transform(begun));
  // One that waits for it may itself be behind others that go on.
  const auto is_behind = [&](std::size_t i) { return begun(i) == least; };
  const auto behind = std::ranges::count_if(members, is_behind);
  if (least == front || 2 * static_cast<std::size_t>(behind) > members.size()) return false;
  for (const std::size_t i : members) {
    if (!is_behind(i)) continue;
    mark(i, "behind",
         "behind: " + std::to_string(status(i).collectives) + " of " + std::to_string(front) +
             " exchanges");
  }
  return true;
}

// Marks ranks whose last step is far older than that of the others: where ranks keep step, all last
// steps are equally old.
bool Marker::mark_last_steps(const Members& members) const {
  constexpr double kLong_s = 8, kTimes = 5, kMore_s = 5;
  const auto age = [&](std::size_t i) {
    return status(i).since_step_s.value_or(0) + status(i).silent_s;
  };
  const AgainstOthers ages(members, age);
  bool any = false;
  for (const std::size_t i : members) {
    if (age(i) < kLong_s || age(i) < kTimes * ages.others(i) + kMore_s) continue;
    mark(i, "behind", "last step " + seconds_text(std::round(age(i))) + " ago");
    any = true;
  }
  return any;
}

// Between two records n steps ended; at either end a wait may be cut in two. Returns twice the
// largest share divided by n.
double cut_waits(const RunNow& run, const Members& members, double largest_share) {
  std::int64_t steps = run.ranks[members.front()].steps;
  for (const std::size_t i : members) steps = std::min(steps, run.ranks[i].steps);
  return steps > 0 ? 2 * largest_share / static_cast<double>(steps) : 1;
}

std::string Marker::cause(std::size_t i, const Members& members, double lead) const {
  const AgainstOthers data(members,
                           [&](std::size_t m) { return rates(m).data_wait_share.value_or(0); });
  const AgainstOthers queued(members,
                             [&](std::size_t m) { return rates(m).queued_share.value_or(0); });
  const AgainstOthers late(members,
                           [&](std::size_t m) { return rates(m).late_wakeups_per_s.value_or(0); });
  const double enough = lead / 3;
  if (data.above(i) >= std::max(enough, queued.above(i))) return ": loads data";
  if (queued.above(i) >= enough) return ": lacks a CPU";
  if (late.of(i) >= 1 && late.of(i) >= 4 * late.others(i)) return ": is stopped";
  return "";
}

bool Marker::mark_waited_for(const Members& members) const {
  constexpr double kSpread = 0.05;
  const Members known = those([&](std::size_t i) {
    return std::ranges::binary_search(members, i) && rates(i).peer_wait_share.has_value();
  });
  if (known.size() < 2) return false;
  const AgainstOthers waits(known, [&](std::size_t i) { return *rates(i).peer_wait_share; });
  const double network = rates(known.front()).network_wait_share.value();
  const double limit = kSpread + cut_waits(run_, known, network + waits.largest());
  bool any = false;
  for (const std::size_t i : known) {
    const double lead = -waits.above(i);
    if (lead <= limit || waits.of(i) > waits.others(i) / 2) continue;
    mark(i, "slowest", "others wait " + percent(lead, 0) + cause(i, known, lead));
    any = true;
  }
  return any;
}

// A loader that a rank waits for again and again is slower than the rank. If only one rank has such
// a loader, all others wait for that rank.
bool Marker::mark_short_of_data(const Members& members) const {
  constexpr double kMore = 0.1;
  const AgainstOthers data(members,
                           [&](std::size_t i) { return rates(i).data_wait_share.value_or(0); });
  const double limit = kMore + cut_waits(run_, members, data.largest());
  bool any = false;
  for (const std::size_t i : members) {
    if (data.above(i) <= limit) continue;
    mark(i, "slowest", "waits for data " + percent(data.of(i), 0));
    any = true;
  }
  return any;
}

bool Marker::mark_slow_clocks(const Members& members) const {
  constexpr double kLower = 0.9;
  const auto clock = [&](std::size_t i) { return status(i).gpu->sm_clock_MHz.value(); };
  const Members known = those([&](std::size_t i) {
    return std::ranges::binary_search(members, i) && status(i).gpu && status(i).gpu->sm_clock_MHz;
  });
  const AgainstOthers clocks(known, clock);
  if (!clocks.any()) return false;
  bool any = false;
  for (const std::size_t i : known) {
    const auto& held = status(i).gpu->held_down_by;
    if (held.empty() || clock(i) >= kLower * clocks.others(i)) continue;
    mark(i, "slowest",
         "clock " + percent(1 - clock(i) / clocks.others(i), 0) + " lower: " + joined(held, ", "));
    any = true;
  }
  return any;
}

// A rank that is stopped within an exchange waits as long as the others do: only its sampler shows
// it.
void Marker::mark_woken_late(const Members& members) const {
  constexpr double kOften = 1, kTimes = 8, kWait = 0.05, kLong_s = 5;
  const AgainstOthers late(members,
                           [&](std::size_t i) { return rates(i).late_wakeups_per_s.value_or(0); });
  const AgainstOthers waits(
      members, [&](std::size_t i) { return rates(i).exchange_wait_share.value_or(0); });
  for (const std::size_t i : members) {
    const double seconds = rates(i).interval_s.value_or(0);
    if (seconds < kLong_s || waits.others(i) < kWait || late.of(i) < kOften) continue;
    if (late.of(i) < kTimes * std::max(1 / seconds, late.largest_of_others(i))) continue;
    mark(i, "slowest", "stopped now and then");
  }
}

void Marker::mark_phase(std::string_view phase) {
  const Members members = those([&](std::size_t i) { return status(i).phase == phase; });
  const auto is_silent = [&](std::size_t i) { return rates(i).mark == "silent"; };
  // A silent rank explains that the others stand still or wait.
  if (members.size() < 2 || std::ranges::any_of(members, is_silent)) return;
  if (mark_behind(members) || mark_last_steps(members)) return;
  if (mark_waited_for(members)) return;
  const auto is_known = [&](std::size_t i) { return rates(i).peer_wait_share.has_value(); };
  if (std::ranges::none_of(members, is_known)) {
    if (mark_short_of_data(members) || mark_slow_clocks(members)) return;
  }
  mark_woken_late(members);
}

}  // namespace

void mark_ranks(const Status* before, const Status& now, RunNow& run) {
  if (now.state != kRunning || run.ranks.empty()) return;
  Marker marker(before, now, run);
  marker.mark_silent();
  marker.mark_earlier_phases();
  for (const char* phase : {"warmup", "window", "epochs"}) marker.mark_phase(phase);
}

}  // namespace scalemark::live
