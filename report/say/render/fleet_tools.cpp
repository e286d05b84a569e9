// Renders a report in the forms of programs that watch a fleet: SuperBench and Prometheus.

#include <algorithm>
#include <map>
#include <utility>

#include "core/base/record_json.h"
#include "core/base/text.h"
#include "report/record/report_json.h"
#include "report/record/surety.h"
#include "report/say/render/render.h"
#include "report/say/render/text.h"

namespace scalemark::reporting {
namespace {

using Json = nlohmann::ordered_json;

// Returns "benchmark/metric". A name must not contain a further colon, since SuperBench cuts off
// the rank there.
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

using Metrics = std::map<std::string, Mean>;  // metric -> its mean over repetitions

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

// Adds values of the point as a whole, which are the same for every node that took part.
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

// Adds how far the metric may be trusted.
void add_standing(std::map<std::string, Metrics>& nodes, const std::string& group,
                  const std::string& metric, const Standing& standing) {
  if (const auto number = standing_number(standing)) {
    add_whole(nodes, group, metric + "_standing", *number);
  }
}

// The rows do not record which ranks are on which node, so each node of the report gets them all.
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
  // SuperBench uses the node as the name of the row, so there is one line per node, whatever the
  // number of reports.
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
    text += dumped(line) + "\n";
  }
  return text;
}

namespace {

using Labels = std::vector<std::pair<std::string, std::string>>;

// The samples of a metric stand together under one HELP and TYPE.
class Exposition {
 public:
  void add(const std::string& name, const char* help, const Labels& labels, double value) {
    auto& family = families_[name];
    family.help = help;
    std::string line = name + "{";
    for (const auto& [label, text] : labels) {
      line += (line.back() == '{' ? "" : ",") + prometheus_label(label, text);
    }
    family.samples += line + "} " + exact(value) + "\n";
  }

  std::string text() const {
    std::string result;
    for (const auto& [name, family] : families_) {
      result +=
          "# HELP " + name + " " + family.help + "\n# TYPE " + name + " gauge\n" + family.samples;
    }
    return result;
  }

 private:
  struct Family {
    const char* help = "";
    std::string samples;
  };
  std::map<std::string, Family> families_;
};

Labels with(Labels labels, const Labels& more) {
  labels.insert(labels.end(), more.begin(), more.end());
  return labels;
}

// `what` names the series whose numbers have this standing.
void add_standing(Exposition& page, const std::string& what, const Labels& labels,
                  const Standing& standing) {
  const auto number = standing_number(standing);
  if (!number) return;
  page.add("scalemark_" + what + "_standing", "0 shown, 1 with care, 2 withheld from people.",
           labels, *number);
}

void add_report(Exposition& page, const Report& report, const Labels& base) {
  page.add("scalemark_report_info", "What the report is of; always 1.",
           with(base, {{"command", report.invocation.command},
                       {"commit", report.tool.git_commit},
                       {"status", std::string(name_of(report.status))},
                       {"version", report.tool.version}}),
           1);
  if (report.exit_code) {
    page.add("scalemark_exit_code", "Exit code of the run.", base, *report.exit_code);
  }
  std::map<std::string, int> findings = {{"info", 0}, {"warning", 0}, {"error", 0}};
  for (const Finding& finding : report.findings) ++findings[finding.severity];
  for (const auto& [severity, count] : findings) {
    page.add("scalemark_findings", "Findings of the report.", with(base, {{"severity", severity}}),
             count);
  }
}

void add_over_runs(Exposition& page, const std::string& name, const char* help,
                   const Labels& labels, const OverRuns& number) {
  if (!number.value) return;
  page.add(name, help, labels, *number.value);
  if (!number.ci95) return;
  page.add(name + "_ci95_low", "Lower end of the 95 % interval.", labels, *number.ci95.low);
  page.add(name + "_ci95_high", "Upper end of the 95 % interval.", labels, *number.ci95.high);
}

void add_group(Exposition& page, const GroupRecord& group, const Labels& labels) {
  for (const auto& [status, count] : group.status_counts) {
    page.add("scalemark_repetitions", "Repetitions of a point by status.",
             with(labels, {{"status", status}}), count);
  }
  if (!group.samples_per_sec) return;
  add_over_runs(page, "scalemark_samples_per_second", "Throughput over repetitions.", labels,
                {group.samples_per_sec, group.ci95});
  add_standing(page, "samples_per_second", labels, group.standing);
  if (group.samples_per_joule) {
    page.add("scalemark_samples_per_joule", "Samples per joule of the devices.", labels,
             *group.samples_per_joule);
  }
}

void add_run(Exposition& page, const PointRecord& run, const Labels& base) {
  if (run.status != PointStatus::kOk) return;
  const Labels labels = with(base, {{"point", run.id}, {"session", std::to_string(run.session)}});
  page.add("scalemark_run_samples_per_second", "Throughput of one run.", labels,
           run.samples_per_sec);
  page.add("scalemark_run_step_seconds", "Mean step of one run, slowest rank of each step.", labels,
           run.step_s.mean);
  add_standing(page, "run", labels, run.standing);
  page.add("scalemark_run_memory_peak_bytes", "Largest peak of a rank.", labels,
           static_cast<double>(run.memory_peak_bytes));
}

void add_scaling(Exposition& page, const Report& report, const Labels& base) {
  for (std::size_t i = 0; i < report.scaling.size(); ++i) {
    const ScalingTable& table = report.scaling[i];
    for (const ScalingRow& row : table.rows) {
      if (!row.efficiency || !row.speedup) continue;
      const Labels labels = with(base, {{"group", row.group},
                                        {"kind", table.kind},
                                        {"slice", std::to_string(i)},
                                        {"world_size", std::to_string(row.world_size)}});
      page.add("scalemark_speedup_ratio", "Speed-up against the baseline.", labels, *row.speedup);
      page.add("scalemark_efficiency_ratio", "Scaling efficiency, never clipped.", labels,
               *row.efficiency);
      add_standing(page, "efficiency", labels, row.standing);
    }
  }
}

void add_collective(Exposition& page, const CollectiveGroup& group, const Labels& base) {
  const Labels labels = with(base, {{"group", group.group},
                                    {"collective", std::string(name_of(group.collective))},
                                    {"backend", group.backend},
                                    {"bytes", std::to_string(group.bytes)},
                                    {"world_size", std::to_string(group.world_size)}});
  add_over_runs(page, "scalemark_collective_seconds", "Time of one call over repetitions.", labels,
                group.time_s);
  add_standing(page, "collective", labels, group.standing);
  add_over_runs(page, "scalemark_collective_latency_p99_seconds",
                "99 of 100 isolated calls are shorter.", labels, group.latency_p99_s);
  add_over_runs(page, "scalemark_collective_busbw_gigabytes_per_second",
                "Bus bandwidth as nccl-tests defines it.", labels, group.busbw_GBps);
  if (group.wrong) {
    page.add("scalemark_collective_wrong_elements", "Wrong elements of all repetitions.", labels,
             static_cast<double>(*group.wrong));
  }
}

}  // namespace

std::string render_prometheus(std::span<const Report> reports) {
  Exposition page;
  for (std::size_t i = 0; i < reports.size(); ++i) {
    const Report& report = reports[i];
    Labels base = {{"run_id", report.run_id}};
    if (reports.size() > 1) base.emplace_back("report", std::to_string(i));
    add_report(page, report, base);
    for (const GroupRecord& group : report.groups) {
      add_group(page, group, with(base, {{"group", group.group}}));
    }
    for (const PointRecord& run : report.points) add_run(page, run, base);
    add_scaling(page, report, base);
    for (const CollectiveGroup& group : report.collective_groups) {
      add_collective(page, group, base);
    }
  }
  return page.text();
}

}  // namespace scalemark::reporting
