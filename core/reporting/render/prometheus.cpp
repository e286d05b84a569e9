#include <map>
#include <utility>

#include "core/reporting/record/report_json.h"
#include "core/reporting/record/surety.h"
#include "core/reporting/render/render.h"
#include "core/reporting/render/text.h"

namespace scalemark::reporting {
namespace {

using Labels = std::vector<std::pair<std::string, std::string>>;

std::string escaped(const std::string& value) {
  std::string text;
  for (const char c : value) {
    if (c == '\\' || c == '"') text += '\\';
    text += c == '\n' ? std::string("\\n") : std::string(1, c);
  }
  return text;
}

// A metric's samples are grouped under one HELP and TYPE.
class Exposition {
 public:
  void add(const std::string& name, const char* help, const Labels& labels, double value) {
    auto& family = families_[name];
    family.help = help;
    std::string line = name + "{";
    for (const auto& [label, text] : labels) {
      line += (line.back() == '{' ? "" : ",") + label + "=\"" + escaped(text) + "\"";
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

// `what`: the series whose numbers have this standing.
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
