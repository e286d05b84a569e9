// The scaling efficiency of a fleet: the rate of one training over several nodes, as a share of the
// sum of what its nodes reach by themselves in the same training. And its MFU: that rate as a share
// of what the datasheets of all its GPUs promise.
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "core/base/characters.h"
#include "core/base/text.h"
#include "core/launch/slurm_lists.h"
#include "core/statistics/summary.h"
#include "report/accept/acceptance.h"
#include "report/accept/forms.h"
#include "report/accept/inventory.h"
#include "report/record/point_facts.h"
#include "report/record/runs.h"

namespace scalemark::acceptance {
namespace {

using reporting::PointRecord;
using reporting::Report;

// ln of the rates of the runs of one group that count, or of their MFU, and why others do not.
struct FleetRuns {
  std::vector<double> logs;
  std::string why;
  const PointRecord* first = nullptr;
};

// A skipped run was on no node: it was planned for those of its report.
int node_count(const Report& report, const PointRecord& run) {
  return run.status == reporting::PointStatus::kSkipped
             ? static_cast<int>(report.environment.hosts.size())
             : run.nodes;
}

// The group that one node by itself has in the node stage: the same training on its own ranks.
// "resnet50-b128-amp-bf16-w512-ddp" on 64 nodes gives "...-w8-ddp", on nodes of one rank, which
// exchanges nothing, "...-w1-none"; empty: nodes have different numbers of ranks.
std::string group_of_one_node(const PointRecord& run, int nodes) {
  if (run.world_size % nodes != 0) return "";
  const auto end_of_group = [&](int ranks) {
    return "-w" + std::to_string(ranks) + "-" + (ranks == 1 ? "none" : run.strategy);
  };
  const std::string all = end_of_group(run.world_size);
  const auto at = run.group.rfind(all);
  if (at == run.group.npos) return "";
  std::string group = run.group;
  return group.replace(at, all.size(), end_of_group(run.world_size / nodes));
}

// Adds what the metric says of a run that nothing disturbed.
void add_run(FleetRuns& runs, Metric metric, const PointRecord& run) {
  if (metric == Metric::kMfu && !run.mfu) {
    runs.why = "the peak of its GPUs is not known";
  } else if (metric == Metric::kMfu && !(*run.mfu <= 1)) {
    runs.why = "an MFU above 100 % cannot be";
  } else if (const double value = metric == Metric::kMfu ? *run.mfu : run.samples_per_sec;
             value > 0 && std::isfinite(value)) {
    runs.logs.push_back(std::log(value));
  } else {
    runs.why = "no rate";
  }
}

std::map<std::string, FleetRuns> runs_of_fleet(const Rule& rule, const Report& report) {
  const reporting::FitOfRuns fit(report);
  std::map<std::string, FleetRuns> groups;
  const int most = widest(report);
  for (const PointRecord& run : report.points) {
    if (node_count(report, run) < 2 || run.world_size != most) continue;
    if (run.strategy == "none") continue;
    if (!is_selected(rule.where, run)) continue;
    FleetRuns& runs = groups[run.group];
    if (!runs.first) runs.first = &run;
    if (std::string why = why_left_out(run, fit); !why.empty()) {
      runs.why = std::move(why);
    } else {
      add_run(runs, rule.metric, run);
    }
  }
  return groups;
}

// The rates of a fleet's nodes by themselves, added up.
struct Alone {
  double sum = 0;
  double share_variance = 0;               // variance of ln sum
  double start_variance = 0, degrees = 0;  // one start's, pooled over nodes
  std::vector<std::string> lacking;
};

// After an update of the software the fleet is held against what its nodes reached with the same.
Alone rates_alone(const std::vector<Series>& nodes, const std::string& group,
                  const Report& report) {
  Alone alone;
  std::vector<std::pair<double, double>> rates;  // and how many starts it rests on
  double squares = 0;
  for (const monitoring::Host& host : report.environment.hosts) {
    const Series* found = nullptr;
    for (const Series& series : nodes) {
      if (series.part.host != host.hostname || !series.of_class.ends_with(", " + group)) continue;
      found = &series;
      if (series.software == software_of(report, host.hostname)) break;
    }
    const auto logs = found == nullptr ? std::vector<double>{} : logarithms_of(*found);
    if (logs.empty()) {
      alone.lacking.push_back(host.hostname);
      continue;
    }
    const double mean = statistics::mean(logs);
    squares += statistics::sum_of_squares(logs, mean);
    alone.degrees += static_cast<double>(logs.size()) - 1;
    rates.emplace_back(std::exp(mean), static_cast<double>(logs.size()));
    alone.sum += rates.back().first;
  }
  if (alone.degrees > 0) alone.start_variance = squares / alone.degrees;
  for (const auto& [rate, starts] : rates) {
    const double share = rate / alone.sum;
    alone.share_variance += share * share * alone.start_variance / starts;
  }
  return alone;
}

// Returns why there is no value; empty: there is one.
std::string why_without(Metric metric, const FleetRuns& fleet, const Alone& alone) {
  const bool is_of_alone = metric == Metric::kScalingEfficiency;
  if (fleet.logs.empty()) return "no run of it counts: " + fleet.why;
  if (is_of_alone && !alone.lacking.empty())
    return "no training by itself of " + listed(alone.lacking, 3);
  if (alone.start_variance > 0) return "";
  if (is_of_alone) return "its nodes have one start each: how sure it is is not known";
  return fleet.logs.size() < 2 ? "one run of it: how sure it is is not known" : "";
}

// The fleet's training is one start, whose own effect is taken to vary as that of a node does. An
// MFU needs no node by itself: where none has several starts, its runs alone say how sure it is.
Start start_of(Metric metric, const FleetRuns& fleet, const Alone& alone) {
  Start start;
  start.why = why_without(metric, fleet, alone);
  if (!start.why.empty()) return start;
  const bool is_of_alone = metric == Metric::kScalingEfficiency;
  const auto runs = static_cast<double>(fleet.logs.size());
  const double mean = statistics::mean(fleet.logs);
  const double ln = is_of_alone ? mean - std::log(alone.sum) : mean;
  start.value = 100 * std::exp(ln);
  // A single run is taken to vary as a start does.
  const double own = runs < 2 ? alone.start_variance
                              : statistics::sum_of_squares(fleet.logs, mean) / (runs - 1) / runs;
  const double others = alone.start_variance + (is_of_alone ? alone.share_variance : 0);
  const double sum = own + others;
  // Welch and Satterthwaite's degrees of freedom of a sum of two estimated variances.
  const double parts =
      own * own / std::max(1.0, runs - 1) + (others > 0 ? others * others / alone.degrees : 0);
  const double half = parts > 0 ? statistics::students_t_quantile(1 - (1 - kConfidenceOfFloors) / 2,
                                                                  sum * sum / parts) *
                                      std::sqrt(sum)
                                : 0;
  start.low = 100 * std::exp(ln - half);
  start.high = 100 * std::exp(ln + half);
  return start;
}

}  // namespace

bool is_selected(const std::map<std::string, std::string>& where, const PointRecord& run) {
  return std::ranges::all_of(where, [&](const auto& selector) {
    const auto& [key, value] = selector;
    if (key == "workload") return run.workload == value;
    if (key == "strategy") return run.strategy == value;
    return run.precision == value;
  });
}

namespace {

// Names the nodes of a training where other ones were in the same training: in another wave.
class TrainingNames {
 public:
  TrainingNames(const Rule& rule, std::span<const NamedReport> reports) {
    for (const NamedReport& one : reports) {
      for (const auto& [group, fleet] : runs_of_fleet(rule, one.report)) {
        nodes_[group].insert(nodes_in_words(one.report));
      }
    }
  }
  std::string of(const std::string& group, const Report& report) const {
    return nodes_.at(group).size() < 2 ? group : group + ", on " + nodes_in_words(report);
  }

 private:
  std::map<std::string, std::set<std::string>> nodes_;
};

}  // namespace

std::vector<Series> read_of_fleet(const Rule& rule, std::span<const NamedReport> reports) {
  SeriesOfParts parts;
  // Nodes of one rank train alone.
  std::map<bool, std::vector<Series>> of_kind;
  const auto of_nodes = [&](bool alone) -> const std::vector<Series>& {
    const auto [found, is_new] = of_kind.try_emplace(alone);
    Rule own{.metric = alone ? Metric::kDeviceRate : Metric::kNodeRate, .where = rule.where};
    if (alone) own.where.erase("strategy");
    if (is_new) found->second = read_series(own, reports);
    return found->second;
  };
  const TrainingNames names(rule, reports);
  for (const NamedReport& one : reports) {
    for (const auto& [group, fleet] : runs_of_fleet(rule, one.report)) {
      // A node that ended the training is named by the end of its report.
      if (fleet.logs.empty() && !one.report.errors.empty()) continue;
      const int count = node_count(one.report, *fleet.first);
      const std::string own = group_of_one_node(*fleet.first, count);
      auto& starts = parts.at(whole_fleet(), names.of(group, one.report)).starts;
      if (own.empty() && rule.metric == Metric::kScalingEfficiency) {
        starts.emplace_back().why = "its nodes have different numbers of ranks";
        continue;
      }
      const Alone alone =
          own.empty() ? Alone()
                      : rates_alone(of_nodes(fleet.first->world_size == count), own, one.report);
      starts.push_back(start_of(rule.metric, fleet, alone));
    }
  }
  return std::move(parts).all();
}

namespace {

bool says_how_it_scales(const Report& report, const std::string& group) {
  return std::ranges::any_of(report.scaling, [&](const reporting::ScalingTable& table) {
    return std::ranges::find(table.rows, group, &reporting::ScalingRow::group) != table.rows.end();
  });
}

}  // namespace

std::optional<FleetTraining> badly_scaling(const Acceptance& acceptance, const Rules& rules,
                                           std::span<const NamedReport> reports) {
  const CheckResult* worst = nullptr;
  const Rule* of_worst = nullptr;
  for (const CheckResult& result : acceptance.results) {
    const auto rule = std::ranges::find_if(rules.checks, [&](const Rule& one) {
      return one.metric == Metric::kScalingEfficiency && one.name == result.check;
    });
    if (rule == rules.checks.end() || !result.value) continue;
    if (result.outcome <= (worst == nullptr ? Outcome::kPassed : worst->outcome)) continue;
    worst = &result;
    of_worst = &*rule;
  }
  if (worst == nullptr) return std::nullopt;
  const TrainingNames names(*of_worst, reports);
  std::optional<FleetTraining> newest;
  for (const NamedReport& one : reports) {
    for (const auto& [group, fleet] : runs_of_fleet(*of_worst, one.report)) {
      // The last one with a rate was judged, and another one may scale well.
      if (fleet.logs.empty() || names.of(group, one.report) != worst->of_class) continue;
      newest = FleetTraining{.name = worst->of_class, .group = group, .report = &one};
    }
  }
  if (newest && !says_how_it_scales(newest->report->report, newest->group)) return std::nullopt;
  return newest;
}

}  // namespace scalemark::acceptance
