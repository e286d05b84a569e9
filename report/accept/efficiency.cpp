// The scaling efficiency of a fleet: the rate of one training over several nodes, as a share of the
// sum of what its nodes reach by themselves in the same training.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "core/base/text.h"
#include "core/statistics/summary.h"
#include "report/accept/inventory.h"
#include "report/accept/single_values.h"
#include "report/record/point_facts.h"
#include "report/record/runs.h"

namespace scalemark::acceptance {
namespace {

using reporting::PointRecord;
using reporting::Report;

constexpr double kConfidence = 0.98;  // each side is wrong in 1 % at the limit

// ln of the rates of the runs of one group that count, and why others do not.
struct FleetRuns {
  std::vector<double> logs;
  std::string why;
  const PointRecord* first = nullptr;
};

// The group that one node by itself has in the node stage: the same training on its own ranks.
// "resnet50-b128-amp-bf16-w512-ddp" on 64 nodes gives "...-w8-ddp"; empty: nodes have different
// numbers of ranks.
std::string group_of_one_node(const PointRecord& run) {
  if (run.nodes < 2 || run.world_size % run.nodes != 0) return "";
  const std::string all = "-w" + std::to_string(run.world_size);
  const auto at = run.group.find(all);
  if (at == run.group.npos) return "";
  std::string group = run.group;
  return group.replace(at, all.size(), "-w" + std::to_string(run.world_size / run.nodes));
}

std::map<std::string, FleetRuns> runs_of_fleet(const Rule& rule, const Report& report) {
  const reporting::FitOfRuns fit(report);
  std::map<std::string, FleetRuns> groups;
  const int most = widest(report);
  for (const PointRecord& run : report.points) {
    if (run.nodes < 2 || run.world_size != most || !reporting::has_exchange(run)) continue;
    if (!is_selected(rule.where, run)) continue;
    FleetRuns& runs = groups[run.group];
    if (!runs.first) runs.first = &run;
    if (run.status != reporting::PointStatus::kOk) {
      runs.why = run.reason.empty() ? std::string(name_of(run.status)) : run.reason;
    } else if (!fit.is_fit(run.id)) {
      runs.why = kSharedWhy;
    } else if (run.samples_per_sec > 0) {
      runs.logs.push_back(std::log(run.samples_per_sec));
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

Alone rates_alone(const std::vector<Series>& nodes, const std::string& group,
                  const std::vector<monitoring::Host>& hosts) {
  Alone alone;
  std::vector<std::pair<double, double>> rates;  // and how many starts it rests on
  double squares = 0;
  for (const monitoring::Host& host : hosts) {
    const auto found = std::ranges::find_if(nodes, [&](const Series& series) {
      return series.part.host == host.hostname && series.of_class.ends_with(", " + group);
    });
    const auto logs = found == nodes.end() ? std::vector<double>{} : logarithms_of(*found);
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

// The fleet's training is one start, whose own effect is taken to vary as that of a node does.
Start start_of(const FleetRuns& fleet, const Alone& alone) {
  Start start;
  if (fleet.logs.empty() || !alone.lacking.empty()) {
    start.why = fleet.logs.empty() ? "no run of it counts: " + fleet.why
                                   : "no training by itself of " + listed(alone.lacking, 3);
    return start;
  }
  const double ln = statistics::mean(fleet.logs) - std::log(alone.sum);
  start.value = 100 * std::exp(ln);
  const auto runs = static_cast<double>(fleet.logs.size());
  if (runs < 2 || !(alone.degrees > 0)) return start;
  const double mean = statistics::mean(fleet.logs);
  const double own = statistics::sum_of_squares(fleet.logs, mean) / (runs - 1) / runs;
  const double others = alone.start_variance + alone.share_variance;
  const double sum = own + others;
  if (!(sum > 0)) return start;
  // Welch and Satterthwaite's degrees of freedom of a sum of two estimated variances.
  const double degrees =
      sum * sum / (own * own / (runs - 1) + others * others / std::max(1.0, alone.degrees));
  const double half =
      statistics::students_t_quantile(1 - (1 - kConfidence) / 2, degrees) * std::sqrt(sum);
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

std::vector<Series> read_efficiency(const Rule& rule, std::span<const NamedReport> reports) {
  SeriesOfParts parts;
  std::optional<std::vector<Series>> nodes;
  for (const NamedReport& one : reports) {
    for (const auto& [group, fleet] : runs_of_fleet(rule, one.report)) {
      const std::string own = group_of_one_node(*fleet.first);
      if (own.empty()) continue;
      if (!nodes) nodes = read_series({.metric = Metric::kNodeRate, .where = rule.where}, reports);
      Part part;
      part.kind = PartKind::kFleet;
      part.host = kTheFleet;
      parts.at(std::move(part), group)
          .starts.push_back(
              start_of(fleet, rates_alone(*nodes, own, one.report.environment.hosts)));
    }
  }
  return std::move(parts).all();
}

}  // namespace scalemark::acceptance
