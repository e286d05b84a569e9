#include "core/reporting/record/doubts.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "core/base/text.h"
#include "core/reporting/record/finding_kinds.h"
#include "core/reporting/record/point_facts.h"
#include "core/reporting/record/surety.h"
#include "core/statistics/steadiness/pooled.h"

namespace scalemark::reporting {
namespace {

// 0 where that is not known.
int cpus_of(const Report& report, const std::string& hostname) {
  const monitoring::Host* host = find_host(report.environment.hosts, hostname);
  return host ? host->cores.logical : 0;
}

// "1.0 to 1.7 of 2 CPUs", of the machine where others took the most.
std::string used_by_others(const Report& report, const std::set<std::string>& runs) {
  std::map<std::string, std::pair<double, double>> by_host;
  for (const TelemetryRecord& one : report.telemetry) {
    if (one.values.source != kOtherCpus || !runs.contains(one.point)) continue;
    // Clocks of 10 ms count more than there is in a window of a few.
    const int cpus = cpus_of(report, one.host);
    const double used = cpus > 0 ? std::min<double>(one.values.mean, cpus) : one.values.mean;
    auto& [low, high] = by_host.try_emplace(one.host, used, used).first->second;
    low = std::min(low, used);
    high = std::max(high, used);
  }
  const auto most =
      std::ranges::max_element(by_host, {}, [](const auto& host) { return host.second.second; });
  if (most == by_host.end() || !(most->second.second >= 0.005)) return "";
  const int cpus = cpus_of(report, most->first);
  const auto [low, high] = most->second;
  const char* digits = high < 1 ? "%.2f" : "%.1f";
  const std::string least = printed(digits, low), largest = printed(digits, high);
  return (least == largest ? largest : least + " to " + largest) +
         (cpus == 0 ? " CPUs" : " of " + counted(cpus, "CPU"));
}

// A quota is nobody's hardware: whoever set it can lift it.
std::string what_slowed_down(const Report& report) {
  std::string all;
  for (const Finding& finding : report.findings)
    if (finding.code == finding_kinds::throttled.code) all += finding.text;
  const auto says = [&](const char* words) { return all.find(words) != std::string::npos; };
  if (!says("CPU quota")) return "the hardware was slowed down";
  return says("slowdown") || says("power brake") ? "the hardware and a CPU quota slowed ranks down"
                                                 : "a CPU quota held ranks back";
}

bool is_ok(const PointRecord& run) { return run.status == PointStatus::kOk; }

// Runs that are there: of rows that were taken out a group still counts.
std::map<std::string, int> runs_by_group(const Report& report) {
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
  explicit Doubts(const Report& report) : report_(report), runs_(runs_by_group(report)) {
    for (const PointRecord& run : report.points) ok_ += is_ok(run);
  }

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
    doubts_.push_back({std::move(code), std::move(text)});
  }

  void doubt_number_of_runs() {
    if (runs_.empty()) return;
    const int fewest =
        std::ranges::min_element(runs_, {}, [](const auto& one) { return one.second; })->second;
    const bool sweep = !report_.groups.empty() || !report_.collective_groups.empty();
    if (fewest == 1) {
      add(sweep ? finding_kinds::no_interval.code : finding_kinds::single_repetition.code,
          std::string(sweep ? "one run each" : "one run") + ": how much runs differ is not known");
    } else if (fewest < kRunsToQuote) {
      add("few_runs", counted(fewest, "run") + " of a point: how much runs differ is hardly known");
    }
  }

  // The widest interval of all that a table shows.
  void doubt_precision() {
    std::string widest;
    double factor = 0;
    int count = 0;
    const auto look = [&](Surety surety, const Bounds& ci95, const std::string& text) {
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
          look(surety_of(row), ci95, "the efficiency of " + counted(row.world_size, "rank"));
      }
    }
    for (const GroupRecord& group : report_.groups) look(surety_of(group), group.ci95, group.group);
    for (const CollectiveGroup& group : report_.collective_groups) {
      look(surety_of(group), group.time_s.ci95, group.group);
    }
    for (const EffectRecord& effect : report_.effects) {
      if (effect.verdict == statistics::EffectVerdict::kDisturbed) continue;
      look(surety_of(effect), effect.ratio_ci95, effect.axis + " " + effect.to);
    }
    if (count == 0) return;
    add("wide_interval", "the ends of an interval differ by more than a factor of four: " + widest +
                             (count > 1 ? " and " + std::to_string(count - 1) + " more" : "") +
                             "; more repetitions narrow it");
  }

  // A stop is in the mean; an interval over runs that all had one knows nothing of it.
  void doubt_means() {
    std::map<std::string, std::pair<double, int>> slow;  // sum of shares, runs
    std::map<std::string, double> within;                // half the interval of a run by its rate
    for (const PointRecord& run : report_.points) {
      if (!is_ok(run)) continue;
      auto& [sum, count] = slow[run.group];
      sum += slow_steps_share(run);
      ++count;
      if (const auto half = within_run_share(run)) within[run.group] = *half;
    }
    double most = 0, beside = 0;
    const auto look = [&](const std::string& group, double half) {
      const auto& [sum, count] = slow.at(group);
      if (sum / count <= half || sum / count <= most) return;
      most = sum / count;
      beside = half;
    };
    for (const GroupRecord& group : report_.groups) {
      if (!slow.contains(group.group) || !group.ci95 || !group.samples_per_sec) continue;
      look(group.group, (*group.ci95.high - *group.ci95.low) / 2 / *group.samples_per_sec);
      within.erase(group.group);
    }
    for (const auto& [group, half] : within) look(group, half);
    if (most == 0) return;
    add(finding_kinds::slow_steps.code,
        "steps that took more than 5 times the median lower a mean by " + percent(most) +
            ", and its interval is +-" + percent(beside));
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
    add(finding_kinds::data_wait.code, (count > 1 ? "up to " : "") + percent(most) +
                                           " of the step waits for data" + in_runs(count, ok_));
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
    const auto at = [&](int points) {
      return std::to_string(points) + " of " + counted(measured, "point");
    };
    if (unsteady > 0) {
      add(finding_kinds::windows_not_steady.code,
          "step times changed over the measured window at " + at(unsteady));
    }
    if (unknown > 0) {
      add(finding_kinds::windows_unknown.code,
          (largest ? "a bias up to " + percent(*largest) + " could hide in the windows of "
                   : "whether the windows were steady is not known at ") +
              at(unknown));
    }
    doubt_single_windows(pooled);
  }

  // The windows of groups that have too few to judge them together.
  void doubt_single_windows(const std::set<std::string>& pooled) {
    std::size_t unsteady = 0, unknown = 0;
    for (const PointRecord& run : report_.points) {
      if (!is_ok(run) || pooled.contains(run.group)) continue;
      unsteady += run.steady == false;
      unknown += !run.steady;
    }
    if (unsteady > 0) {
      add(finding_kinds::not_steady.code,
          "step times changed over the measured window" + in_runs(unsteady, ok_));
    }
    if (unknown > 0) {
      add(finding_kinds::steady_unknown.code,
          "whether the window was steady is not known" + in_runs(unknown, ok_));
    }
  }

  void doubt_length() {
    const auto count = std::ranges::count_if(
        report_.points, [](const PointRecord& run) { return is_ok(run) && is_short_window(run); });
    if (count == 0) return;
    add(finding_kinds::short_window.code, "the window holds fewer than 100 steps or 2 s" +
                                              in_runs(static_cast<std::size_t>(count), ok_));
  }

  const Report& report_;
  std::map<std::string, int> runs_;
  int ok_ = 0;
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

std::string in_runs(std::size_t some, int all) {
  if (all == 1) return "";
  const bool whole = static_cast<int>(some) >= all;
  return (whole ? " in all " : " in " + std::to_string(some) + " of ") + counted(all, "run");
}

std::string disturbance_text(const Report& report, const FindingKind& kind,
                             const std::string& first, const std::set<std::string>& runs, int all) {
  const std::string where = in_runs(runs.size(), all);
  if (kind.code == std::string_view(finding_kinds::throttled.code)) {
    return what_slowed_down(report) + where;
  }
  if (kind.code == std::string_view(finding_kinds::machine_busy.code)) {
    return "the machine was busy before" + (all == 1 ? " the run" : where.substr(3));
  }
  const bool by_cpus = first.find("other processes used") != std::string::npos;
  const std::string used = by_cpus ? used_by_others(report, runs) : "";
  return (used.empty() ? first : "other programs used " + used) + where;
}

}  // namespace scalemark::reporting
