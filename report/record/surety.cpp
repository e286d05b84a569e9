#include "report/record/surety.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "core/base/text.h"
#include "core/statistics/steadiness/steady.h"
#include "report/record/finding_kinds.h"
#include "report/record/point_facts.h"
#include "report/record/runs.h"
#include "report/record/verdict.h"

namespace scalemark::reporting {

Surety surety_of(std::int64_t runs, const Bounds& ci95) {
  if (!ci95) return runs == 1 ? Surety::kOneRun : Surety::kNoInterval;
  const double low = *ci95.low, high = *ci95.high;
  if (!(low > 0) || high > kUnknownFactor * low) return Surety::kNotKnown;
  return high > kWideFactor * low ? Surety::kWide : Surety::kInterval;
}

// A row has at_least only for one run or pair. More than all of the ideal may be true, but one pair
// does not show it.
Surety surety_of(const ScalingRow& row) {
  const Surety surety = surety_of(row.at_least ? 1 : std::ssize(row.points), row.efficiency_ci95);
  const bool beyond = surety == Surety::kOneRun && row.efficiency.value_or(0) > kBeyondIdeal;
  return beyond ? Surety::kNotKnown : surety;
}

Surety surety_of(const GroupRecord& group) {
  return surety_of(group.at_least ? 1 : group.n, group.ci95);
}

Surety surety_of(const CollectiveGroup& group) { return surety_of(group.n, group.time_s.ci95); }

Surety surety_of(const EffectRecord& effect) { return surety_of(effect.pairs, effect.ratio_ci95); }

bool is_rough(Surety surety) { return surety == Surety::kWide || surety == Surety::kNotKnown; }

bool is_disturbed(const Standing& standing) {
  return disturbs(standing.reason) && standing.reason != finding_kinds::others_unknown.code;
}

bool has_two_digits(const ScalingRow& row) {
  return row.unsteady_runs || is_disturbed(row.standing) || is_rough(surety_of(row));
}

bool has_two_digits(const GroupRecord& group) {
  return is_disturbed(group.standing) || is_rough(surety_of(group));
}

bool has_two_digits(const CollectiveGroup& group) {
  return is_disturbed(group.standing) || is_rough(surety_of(group));
}

std::optional<double> standing_number(const Standing& standing) {
  if (standing.level.empty()) return std::nullopt;
  return standing.is_withheld() ? 2 : standing.level == kShownWithCare ? 1 : 0;
}

std::string held_text(const Standing& standing, std::string text) {
  if (!standing.is_withheld()) return text;
  return text.empty() || text == "-" ? "withheld" : std::move(text) + " (withheld)";
}

bool is_known_share(const Bounds& ci95) { return *ci95.high - *ci95.low <= 1; }

std::string instead_of_interval(Surety surety, std::int64_t runs, std::string_view noun) {
  switch (surety) {
    case Surety::kOneRun:
      return "one run";
    case Surety::kNoInterval:
      return "-";
    case Surety::kNotKnown:
      return not_known(runs, noun);
    case Surety::kInterval:
    case Surety::kWide:
      break;
  }
  return "";
}

namespace {

constexpr const char* kMoreRuns = finding_kinds::no_interval.remedy;

bool is_ok(const PointRecord& run) { return run.status == PointStatus::kOk; }

// Counts runs by group. A group counts even if its runs were removed from the report.
std::map<std::string, int> counts_by_group(const Report& report) {
  std::map<std::string, int> runs;
  for (const PointRecord& run : report.points) {
    if (is_ok(run)) ++runs[run.group];
  }
  for (const GroupRecord& group : report.groups) {
    if (group.n == 0) continue;
    int& count = runs.try_emplace(group.group, group.n).first->second;
    count = std::min(count, group.n);
  }
  for (const ScalingTable& table : report.scaling) {
    for (const ScalingRow& row : table.rows) {
      const auto found = runs.find(row.group);
      const auto pairs = static_cast<int>(row.points.size());
      if (found != runs.end() && pairs > 0) found->second = std::min(found->second, pairs);
    }
  }
  for (const CollectiveGroup& group : report.collective_groups) {
    if (group.n > 0) runs[group.group] = group.n;
  }
  return runs;
}

class Doubts {
 public:
  explicit Doubts(const Report& report)
      : report_(report), runs_(counts_by_group(report)), ok_(counts_of(report).ok) {}

  std::vector<Doubt> all() && {
    doubt_precision();
    doubt_number_of_runs();
    doubt_means();
    doubt_data();
    doubt_steadiness();
    doubt_length();
    return std::move(doubts_);
  }

 private:
  void add(std::string code, std::string text) {
    doubts_.push_back({std::move(code), std::move(text), kMoreRuns});
  }
  void add(const FindingKind& kind, const AllNamed& values, std::size_t runs = 0) {
    Wording wording;
    for (const Named& one : values) wording.add(one);
    if (runs > 0) wording.add({"some_runs", some_runs(runs, ok_)});
    doubts_.push_back({kind.code, wording.filled(kind.brief).value_or(""),
                       wording.filled(kind.remedy).value_or("")});
  }

  void doubt_number_of_runs() {
    if (runs_.empty()) return;
    const int fewest =
        std::ranges::min_element(runs_, {}, [](const auto& one) { return one.second; })->second;
    const bool sweep = !report_.groups.empty() || !report_.collective_groups.empty();
    const bool of_pairs = std::ranges::any_of(report_.scaling, [&](const ScalingTable& table) {
      return std::ranges::any_of(
          table.rows, [&](const ScalingRow& row) { return std::ssize(row.points) == fewest; });
    });
    if (of_pairs && fewest < std::min(kRunsToQuote, runs_of_points(report_).fewest)) {
      add("few_runs", "an efficiency rests on " + counted(fewest, "pair") +
                          " of runs of one session, and is no ratio of the rates: how much pairs "
                          "differ is hardly known");
    } else if (fewest == 1) {
      add(sweep ? finding_kinds::no_interval : finding_kinds::single_repetition, {});
    } else if (fewest < kRunsToQuote) {
      add("few_runs", counted(fewest, "run") + " of a point: how much runs differ is hardly known");
    }
  }

  // Looks for the widest interval in any table.
  void doubt_precision() {
    std::string widest;
    double factor = 0;
    int count = 0;
    const auto consider = [&](Surety surety, const Bounds& ci95, const std::string& text) {
      if (!is_rough(surety)) return;
      ++count;
      const double found = *ci95.low > 0 ? *ci95.high / *ci95.low : kUnknownFactor;
      if (found <= factor) return;
      factor = found;
      widest = text;
    };
    for (const ScalingTable& table : report_.scaling) {
      for (const ScalingRow& row : table.rows) {
        const Bounds& ci95 = row.efficiency_ci95;
        if (ci95)
          consider(surety_of(row), ci95, "the efficiency of " + counted(row.world_size, "rank"));
      }
    }
    for (const GroupRecord& group : report_.groups)
      consider(surety_of(group), group.ci95, group.group);
    for (const CollectiveGroup& group : report_.collective_groups) {
      consider(surety_of(group), group.time_s.ci95, group.group);
    }
    for (const EffectRecord& effect : report_.effects) {
      if (effect.verdict == statistics::EffectVerdict::kDisturbed) continue;
      consider(surety_of(effect), effect.ratio_ci95, effect.axis + " " + effect.to);
    }
    if (count == 0) return;
    add("wide_interval", "the ends of an interval differ by more than a factor of four: " + widest +
                             (count > 1 ? " and " + std::to_string(count - 1) + " more" : "") +
                             "; more repetitions narrow it");
  }

  // The mean contains a stop, but an interval over runs that all had one does not show it.
  void doubt_means() {
    std::map<std::string, std::pair<double, int>> slow;  // sum of shares; runs
    std::map<std::string, double> within;  // half the interval of a run, relative to its rate
    for (const PointRecord& run : report_.points) {
      if (!is_ok(run)) continue;
      auto& [sum, count] = slow[run.group];
      sum += slow_steps_share(run);
      ++count;
      if (const auto half = within_run_share(run)) within[run.group] = *half;
    }
    double most = 0, beside = 0;
    const auto consider = [&](const std::string& group, double half) {
      const auto& [sum, count] = slow.at(group);
      if (sum / count <= half || sum / count <= most) return;
      most = sum / count;
      beside = half;
    };
    for (const GroupRecord& group : report_.groups) {
      if (!slow.contains(group.group) || !group.ci95 || !group.samples_per_sec) continue;
      consider(group.group, (*group.ci95.high - *group.ci95.low) / 2 / *group.samples_per_sec);
      within.erase(group.group);
    }
    for (const auto& [group, half] : within) consider(group, half);
    if (most == 0) return;
    add(finding_kinds::slow_steps, {{"lowered", most}, {"interval", beside}});
  }

  void doubt_data() {
    double most = 0;
    std::size_t count = 0;
    for (const PointRecord& run : report_.points) {
      const double share = is_ok(run) ? data_wait_share(run) : 0;
      count += share > kDataWaitShare;
      most = std::max(most, share);
    }
    if (count == 0) return;
    const auto several = count > 1 ? std::optional<double>(count) : std::nullopt;
    add(finding_kinds::data_wait, {{"share", most}, {"several", several}}, count);
  }

  void doubt_steadiness() {
    int measured = 0, unknown = 0, unsteady = 0;
    std::optional<double> largest;
    std::set<std::string> pooled;
    for (const GroupRecord& group : report_.groups) {
      if (group.n < static_cast<int>(statistics::kRunsToPool)) continue;
      pooled.insert(group.group);
      ++measured;
      unsteady += group.steady == false;
      if (group.steady == false || !may_hide_a_bias(report_, group)) continue;
      ++unknown;
      largest = std::max(largest, group.bias_bound);
    }
    const Named of_all{"measured", measured};
    if (unsteady > 0) add(finding_kinds::windows_not_steady, {{"unsteady", unsteady}, of_all});
    if (unknown > 0) {
      add(finding_kinds::windows_unknown, {{"unknown", unknown}, {"bias", largest}, of_all});
    }
    doubt_single_windows(pooled);
  }

  // Doubts single windows, for groups with too few to judge them together.
  void doubt_single_windows(const std::set<std::string>& pooled) {
    std::size_t unsteady = 0, unknown = 0;
    for (const PointRecord& run : report_.points) {
      if (!is_ok(run) || pooled.contains(run.group)) continue;
      unsteady += run.steady == false;
      unknown += !run.steady;
    }
    if (unsteady > 0) add(finding_kinds::not_steady, {}, unsteady);
    if (unknown > 0) add(finding_kinds::steady_unknown, {}, unknown);
  }

  void doubt_length() {
    const auto count = std::ranges::count_if(
        report_.points, [](const PointRecord& run) { return is_ok(run) && is_short_window(run); });
    if (count > 0) add(finding_kinds::short_window, {}, static_cast<std::size_t>(count));
  }

  const Report& report_;
  std::map<std::string, int> runs_;
  int ok_;
  std::vector<Doubt> doubts_;
};

}  // namespace

std::vector<Doubt> doubts_of(const Report& report) { return Doubts(report).all(); }

bool may_hide_a_bias(const Report& report, const GroupRecord& group) {
  if (group.steady) return false;
  if (group.bias_bound) return true;
  return std::ranges::any_of(report.points, [&](const PointRecord& run) {
    return run.group == group.group && is_ok(run) && !run.steady;
  });
}

std::string some_runs(std::size_t some, int all) {
  if (all == 1) return "";
  const bool whole = static_cast<int>(some) >= all;
  return (whole ? "all " : std::to_string(some) + " of ") + counted(all, "run");
}

}  // namespace scalemark::reporting
