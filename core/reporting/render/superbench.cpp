#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "core/reporting/record/surety.h"
#include "core/reporting/render/render.h"

namespace scalemark::reporting {
namespace {

using Json = nlohmann::ordered_json;

// benchmark/metric: a name must not hold a further colon, since SuperBench splits the rank off
// there.
std::string metric_name(const std::string& group, const std::string& metric) {
  std::string name = "scalemark/" + group + "/" + metric;
  std::ranges::replace(name, ':', '_');
  return name;
}

struct Mean {
  double sum = 0;
  int n = 0;
  void add(double value) { sum += value, ++n; }
  void add(const Mean& more) { sum += more.sum, n += more.n; }
  double value() const { return sum / n; }
};

using Metrics = std::map<std::string, Mean>;  // over repetitions

void add_run(std::map<std::string, Metrics>& nodes, const PointRecord& run) {
  for (const RankRecord& rank : run.ranks) {
    Metrics& metrics = nodes[rank.host];
    const std::string of_rank = ":" + std::to_string(rank.rank);
    metrics[metric_name(run.group, "step_time") + of_rank].add(1000 * rank.step_s.mean);
    if (rank.own_mean_s) {
      metrics[metric_name(run.group, "own_time") + of_rank].add(1000 * *rank.own_mean_s);
    }
    if (rank.wall_s > 0) {
      metrics[metric_name(run.group, "throughput") + of_rank].add(
          static_cast<double>(rank.samples) / rank.wall_s);
    }
  }
}

// Values of the point as a whole: the same on every node that took part.
void add_whole(std::map<std::string, Metrics>& nodes, const std::string& group,
               const std::string& metric, double value) {
  for (auto& [node, metrics] : nodes) {
    if (metrics.lower_bound(metric_name(group, "")) == metrics.end()) continue;
    const bool took_part = std::ranges::any_of(metrics, [&](const auto& entry) {
      return entry.first.starts_with(metric_name(group, ""));
    });
    if (took_part) metrics[metric_name(group, metric)].add(value);
  }
}

// How far that metric may be trusted.
void add_standing(std::map<std::string, Metrics>& nodes, const std::string& group,
                  const std::string& metric, const Standing& standing) {
  if (const auto number = standing_number(standing)) {
    add_whole(nodes, group, metric + "_standing", *number);
  }
}

// Which ranks are on which node is not in their rows: each node of the report has them all.
void add_collectives(std::map<std::string, Metrics>& nodes, const Report& report) {
  for (const auto& host : report.environment.hosts) {
    for (const CollectiveGroup& group : report.collective_groups) {
      const auto add = [&](const char* metric, const OverRuns& number, double scale) {
        if (number.value) {
          nodes[host.hostname][metric_name(group.group, metric)].add(scale * *number.value);
        }
      };
      add("time", group.time_s, 1000);
      add("algbw", group.algbw_GBps, 1);
      add("busbw", group.busbw_GBps, 1);
      add("standing", {standing_number(group.standing), {}}, 1);
    }
  }
}

std::map<std::string, Metrics> nodes_of(const Report& report) {
  std::map<std::string, Metrics> nodes;
  for (const PointRecord& run : report.points) {
    if (run.status == PointStatus::kOk) add_run(nodes, run);
  }
  for (const PointRecord& run : report.points) {
    if (run.status != PointStatus::kOk || !report.groups.empty()) continue;
    add_whole(nodes, run.group, "throughput_total", run.samples_per_sec);
    add_standing(nodes, run.group, "throughput_total", run.standing);
  }
  for (const GroupRecord& group : report.groups) {
    if (group.samples_per_sec) {
      add_whole(nodes, group.group, "throughput_total", *group.samples_per_sec);
      add_standing(nodes, group.group, "throughput_total", group.standing);
    }
  }
  add_collectives(nodes, report);
  for (const ScalingTable& table : report.scaling) {
    const std::string kind = table.kind == "weak" ? "" : "_" + table.kind;
    for (const ScalingRow& row : table.rows) {
      if (!row.efficiency) continue;
      add_whole(nodes, row.group, "scaling_efficiency" + kind, *row.efficiency);
      add_standing(nodes, row.group, "scaling_efficiency" + kind, row.standing);
    }
  }
  return nodes;
}

}  // namespace

std::string render_superbench(std::span<const Report> reports) {
  // One line per node, whatever the number of reports: SuperBench uses the node as the row's name.
  std::map<std::string, Metrics> nodes;
  for (const Report& report : reports) {
    for (const auto& [node, metrics] : nodes_of(report)) {
      for (const auto& [name, mean] : metrics) nodes[node][name].add(mean);
    }
  }
  std::string text;
  for (const auto& [node, metrics] : nodes) {
    Json line = {{"node", node}};
    for (const auto& [name, mean] : metrics) line[name] = mean.value();
    text += line.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  }
  return text;
}

}  // namespace scalemark::reporting
