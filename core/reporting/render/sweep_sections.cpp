#include "core/reporting/render/sweep_sections.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <functional>
#include <map>

#include "core/base/error.h"
#include "core/catalogue/strategy.h"
#include "core/reporting/record/report_json.h"
#include "core/reporting/render/sweep_words.h"
#include "core/reporting/render/text.h"

namespace scalemark::reporting {
namespace {

constexpr const char* kAbsent = "-";

template <class Row>
Column column(std::vector<std::string> head, bool left, const std::vector<Row>& rows,
              const std::function<std::string(const Row&)>& text) {
  Column result{std::move(head), left, {}};
  for (const Row& row : rows) result.cells.push_back(text(row));
  return result;
}

std::string or_absent(const std::optional<double>& value, std::string (*text)(double)) {
  return value ? text(*value) : kAbsent;
}

// A straggler's deviation is a difference of logarithms.
std::string slower_text(double ln_ratio) { return percent_text(std::expm1(ln_ratio)); }

std::string fixed_text(const std::map<std::string, std::string>& fixed) {
  std::string text;
  for (const auto& [name, value] : fixed) text += (text.empty() ? "" : ", ") + name + " " + value;
  return text;
}

std::string strategy_text(const ScalingRow& row) {
  return !catalogue::exchanges(row.strategy) && row.world_size > 1 ? "solo" : row.strategy;
}

// "comm 7.9 .. 10.1": what is lost to it, in points of efficiency.
std::string intervals_text(const LossIntervals& intervals) {
  std::string text;
  const auto add = [&](const char* name, const Bounds& bounds) {
    if (!bounds.low || !bounds.high) return;
    text += (text.empty() ? "" : ", ") + std::string(name) + " " +
            share_interval(bounds.low, bounds.high);
  };
  add("comm", intervals.communication);
  add("imbal", intervals.persistent_imbalance);
  add("run to run", intervals.run_imbalance);
  add("jitter", intervals.jitter);
  add("data", intervals.data_wait);
  add("slower", intervals.slower_compute);
  return text;
}

Section scaling_section(const ScalingTable& table, const std::vector<ScalingTable>& all) {
  using Row = ScalingRow;
  const auto& rows = table.rows;
  const auto loss = [&](const char* name, auto term) {
    return column<Row>({"lost:", name}, false, rows, [term](const Row& row) {
      if (!row.loss_of_efficiency) return std::string(kAbsent);
      const std::optional<double> share = (*row.loss_of_efficiency).*term;
      return share ? percent_text(*share) : std::string(kAbsent);
    });
  };
  Section section{"Scaling, " + slice_text(table, all), {}, {}};
  section.columns = {
      column<Row>({"ranks"}, false, rows,
                  [](const Row& row) { return std::to_string(row.world_size); }),
      column<Row>({"strategy"}, true, rows, strategy_text),
      column<Row>({"samples", "per s"}, false, rows,
                  [](const Row& row) { return readable(row.samples_per_sec); }),
      column<Row>({"speed-up"}, false, rows, [](const Row& row) { return readable(row.speedup); }),
      column<Row>({"effic. %"}, false, rows,
                  [](const Row& row) { return percent_text(row.efficiency); }),
      column<Row>({"95 %", "interval"}, true, rows,
                  [](const Row& row) {
                    return share_interval(row.efficiency_ci95_low, row.efficiency_ci95_high);
                  }),
      loss("comm", &LossOfEfficiency::communication),
      loss("imbal", &LossOfEfficiency::persistent_imbalance),
      loss("run to run", &LossOfEfficiency::run_imbalance),
      loss("jitter", &LossOfEfficiency::jitter),
      loss("data", &LossOfEfficiency::data_wait),
      loss("slower", &LossOfEfficiency::slower_compute),
  };
  section.lines.push_back("fixed: " + fixed_text(table.fixed));
  section.lines.push_back("efficiency relative to " + table.relative_to +
                          ", paired within blocks; what is lost in points of efficiency");
  for (const ScalingRow& row : rows) {
    if (row.in_words.empty() || row.world_size == 1) continue;
    section.lines.push_back(std::to_string(row.world_size) + " ranks, " + strategy_text(row) +
                            ": " + row.in_words);
    if (!row.loss_of_efficiency_ci95) continue;
    section.lines.push_back("95 % intervals of what these lose: " +
                            intervals_text(*row.loss_of_efficiency_ci95));
  }
  if (!table.left_out.empty()) {
    section.lines.push_back(std::to_string(table.left_out.size()) +
                            " runs left out: their baseline ran in another session");
  }
  return section;
}

std::string status_text(const GroupRecord& group) {
  std::string text;
  for (const auto& [status, count] : group.status_counts) {
    text += (text.empty() ? "" : ", ") + std::to_string(count) + " " + status;
  }
  return text;
}

bool any_group(const Report& report, const std::function<bool(const GroupRecord&)>& test) {
  return std::ranges::any_of(report.groups, test);
}

Section groups_section(const Report& report) {
  using Row = GroupRecord;
  const auto& rows = report.groups;
  Section section{"Points over their repetitions", {}, {}};
  section.columns = {
      column<Row>({"point"}, true, rows, [](const Row& g) { return g.group; }),
      column<Row>({"samples", "per s"}, false, rows,
                  [](const Row& g) { return or_absent(g.samples_per_sec, readable); }),
      column<Row>({"95 %", "interval"}, true, rows,
                  [](const Row& g) { return interval_text(g.ci95_low, g.ci95_high, readable); }),
      column<Row>({"CV %"}, false, rows,
                  [](const Row& g) { return or_absent(g.cv_between, percent_text); }),
      column<Row>({"runs"}, true, rows, status_text),
  };
  if (any_group(report, [](const Row& g) {
        return !g.stop_reason.empty() && g.stop_reason != "repetitions";
      })) {
    section.columns.push_back(
        column<Row>({"stopped by"}, true, rows, [](const Row& g) { return g.stop_reason; }));
  }
  if (any_group(report, [](const Row& g) { return g.samples_per_joule.has_value(); })) {
    section.columns.push_back(column<Row>({"samples", "per J"}, false, rows, [](const Row& g) {
      return or_absent(g.samples_per_joule, readable);
    }));
  }
  if (any_group(report, [](const Row& g) { return g.samples_per_dollar.has_value(); })) {
    section.columns.push_back(column<Row>({"samples", "per $"}, false, rows, [](const Row& g) {
      return or_absent(g.samples_per_dollar, readable);
    }));
  }
  return section;
}

// Rows without a number, and why: once for each point and reason.
Section not_measured_section(const Report& report) {
  struct Reason {
    const PointRecord* run;
    int runs = 0;
  };
  std::vector<Reason> reasons;
  for (const PointRecord& run : report.points) {
    if (run.status == PointStatus::kOk) continue;
    const auto same = [&](const Reason& known) {
      return known.run->group == run.group && known.run->status == run.status &&
             known.run->reason == run.reason;
    };
    const auto known = std::ranges::find_if(reasons, same);
    if (known == reasons.end()) {
      reasons.push_back({&run, 1});
    } else {
      ++known->runs;
    }
  }
  Section section{"Not measured", {}, {}};
  for (const auto& [run, runs] : reasons) {
    std::string line = run->group + ": " + std::string(name_of(run->status));
    if (runs > 1) line += " in " + counted(runs, "run");
    section.lines.push_back(line + (run->reason.empty() ? "" : ", " + run->reason));
  }
  return section;
}

Section stragglers_section(const Report& report) {
  using Row = Straggler;
  const auto& rows = report.stragglers;
  Section section{"Ranks that stand out", {}, {}};
  section.columns = {
      column<Row>({"point"}, true, rows, [](const Row& s) { return s.group; }),
      column<Row>({"rank"}, false, rows, [](const Row& s) { return std::to_string(s.rank); }),
      column<Row>({"host"}, true, rows, [](const Row& s) { return s.host; }),
      column<Row>({"device"}, true, rows, [](const Row& s) { return s.device; }),
      column<Row>({"slower", "by %"}, false, rows,
                  [](const Row& s) { return slower_text(s.deviation); }),
      column<Row>({"at least", "% (95 %)"}, false, rows,
                  [](const Row& s) { return or_absent(s.low95, slower_text); }),
      column<Row>({"slow", "in runs"}, true, rows,
                  [](const Row& s) {
                    return std::to_string(s.slow_runs) + " of " + std::to_string(s.runs);
                  }),
      column<Row>({"verdict"}, true, rows,
                  [](const Row& s) { return std::string(name_of(s.verdict)); }),
  };
  section.lines.push_back(
      "named when above 3 % and the usual spread of ranks (all points judged together), and above "
      "0 in the 95 % bound over runs");
  return section;
}

Section gaps_section(const Report& report) {
  using Row = DataGap;
  const auto& rows = report.data_gaps;
  Section section{"Real against synthetic data", {}, {}};
  section.columns = {
      column<Row>({"point"}, true, rows, [](const Row& g) { return g.real_group; }),
      column<Row>({"real", "per s"}, false, rows,
                  [](const Row& g) { return readable(g.real_samples_per_sec); }),
      column<Row>({"synthetic", "per s"}, false, rows,
                  [](const Row& g) { return readable(g.synthetic_samples_per_sec); }),
      column<Row>({"lost %"}, false, rows, [](const Row& g) { return percent_text(g.lost_share); }),
      column<Row>({"95 %", "interval"}, true, rows, [](const Row& g) {
        return share_interval(g.lost_share_ci95_low, g.lost_share_ci95_high);
      })};
  return section;
}

Section predictions_section(const Report& report) {
  using Row = Prediction;
  const auto& rows = report.predictions;
  Section section{"Predictions", {}, {}};
  section.columns = {
      column<Row>({"slice"}, true, rows, [](const Row& p) { return p.slice; }),
      column<Row>({"ranks"}, false, rows,
                  [](const Row& p) { return std::to_string(p.world_size); }),
      column<Row>({"samples", "per s"}, false, rows,
                  [](const Row& p) { return readable(p.samples_per_sec); }),
      column<Row>({"band"}, true, rows,
                  [](const Row& p) { return interval_text(p.low, p.high, readable); }),
      column<Row>({"effic. %"}, false, rows,
                  [](const Row& p) { return percent_text(p.efficiency); }),
      column<Row>({"basis"}, true, rows, [](const Row& p) { return p.basis; })};
  return section;
}

// A finding about many points is listed once, with their number.
Section findings_section(const Report& report) {
  std::vector<std::pair<const Finding*, int>> kinds;
  for (const Finding& finding : report.findings) {
    const auto same = [&](const auto& kind) {
      return kind.first->code == finding.code && kind.first->severity == finding.severity &&
             !finding.point.empty() && !kind.first->point.empty();
    };
    const auto known = std::ranges::find_if(kinds, same);
    if (known == kinds.end()) {
      kinds.emplace_back(&finding, 1);
    } else {
      ++known->second;
    }
  }
  const auto weight = [](const auto& kind) {
    return kind.first->severity == "error" ? 0 : kind.first->severity == "warning" ? 1 : 2;
  };
  std::ranges::stable_sort(kinds, {}, weight);
  Section section{"Findings", {}, {}};
  for (const auto& [finding, count] : kinds) {
    std::string line = finding->severity + " " + finding->code + ": ";
    if (!finding->point.empty()) line += finding->point + ": ";
    line += finding->text;
    if (count > 1) line += " (and " + counted(count - 1, "more run") + ")";
    section.lines.push_back(line);
  }
  return section;
}

Section state_section(const Report& report) {
  Section section{"State", {}, {}};
  if (report.status != ReportStatus::kComplete) {
    section.lines.push_back(
        "this report is " + std::string(name_of(report.status)) +
        (report.exit_code ? " (exit " + std::to_string(*report.exit_code) + ")" : ""));
  }
  for (const ErrorRecord& error : report.errors) section.lines.push_back(format_error_line(error));
  for (const SessionRecord& session : report.sessions) {
    if (report.sessions.size() < 2 && session.broke_with.empty()) continue;
    section.lines.push_back("session " + std::to_string(session.session) + ": from " +
                            session.started + " on " + session.hostname +
                            (session.broke_with.empty()
                                 ? ""
                                 : ", resumed although this changed: " + session.broke_with));
  }
  return section;
}

}  // namespace

bool is_sweep(const Report& report) { return !report.groups.empty(); }

std::vector<Section> sweep_sections(const Report& report) {
  std::vector<Section> sections;
  for (const ScalingTable& table : report.scaling) {
    sections.push_back(scaling_section(table, report.scaling));
  }
  if (!report.groups.empty()) sections.push_back(groups_section(report));
  if (Section section = not_measured_section(report); !section.lines.empty()) {
    sections.push_back(std::move(section));
  }
  if (!report.stragglers.empty()) sections.push_back(stragglers_section(report));
  if (!report.data_gaps.empty()) sections.push_back(gaps_section(report));
  if (!report.predictions.empty()) sections.push_back(predictions_section(report));
  for (Section& section : std::vector{findings_section(report), state_section(report)}) {
    if (!section.lines.empty()) sections.push_back(std::move(section));
  }
  return sections;
}

std::string sweeps_then_runs(std::span<const Report> reports,
                             const std::function<std::string(const Report&)>& sweep_text,
                             const std::function<std::string(std::span<const Report>)>& runs_text) {
  std::string text;
  std::vector<Report> runs;
  for (const Report& report : reports) {
    if (!is_sweep(report)) {
      runs.push_back(report);
    } else {
      text += (text.empty() ? "" : "\n") + sweep_text(report);
    }
  }
  if (!runs.empty() || reports.empty()) text += (text.empty() ? "" : "\n") + runs_text(runs);
  return text.ends_with('\n') ? text : text + "\n";
}

}  // namespace scalemark::reporting
