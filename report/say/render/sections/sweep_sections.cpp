#include "report/say/render/sections/sweep_sections.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>

#include "core/base/error.h"
#include "core/base/text.h"
#include "report/record/report_json.h"
#include "report/record/surety.h"
#include "report/say/render/sections/claim_sections.h"
#include "report/say/render/text.h"
#include "report/say/table/table.h"
#include "report/say/words/words.h"

namespace scalemark::reporting {
namespace {

// The deviation of a straggler is a difference of logarithms.
std::string slower_text(double ln_ratio) { return percent_text(std::expm1(ln_ratio)); }

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

auto digits_of(const GroupRecord& group) { return has_two_digits(group) ? two_digits : readable; }

Section groups_section(const Report& report) {
  using Row = GroupRecord;
  const auto& rows = report.groups;
  Section section{"Points over their repetitions", {}, {}};
  section.columns = {
      column({"point"}, true, rows, &Row::group),
      column({"samples", "per s"}, false, rows,
             [](const Row& g) {
               return held_text(g.standing, or_absent(g.samples_per_sec, digits_of(g)));
             }),
      column({"step ms"}, false, rows,
             [](const Row& g) {
               return held_text(
                   g.standing,
                   or_absent(g.step_time_s, has_two_digits(g) ? two_digits_ms : in_milliseconds));
             }),
      column({"95 %", "interval"}, true, rows,
             [](const Row& g) {
               const std::string instead = instead_of_interval(surety_of(g), g.n);
               if (is_disturbed(g.standing)) return std::string(kAbsent);
               return instead.empty() ? interval_text(g.ci95, readable) : instead;
             }),
      column({"min to max", "of the runs"}, true, rows,
             [](const Row& g) {
               if (is_disturbed(g.standing)) return std::string(kAbsent);
               return interval_text(g.slowest, g.fastest, readable);
             }),
      numbers({"CV %"}, rows, &Row::cv_between, percent_text),
      column({"runs"}, true, rows, status_text),
  };
  if (any_group(report, [](const Row& g) {
        return !g.stop_reason.empty() && g.stop_reason != "repetitions";
      })) {
    section.columns.push_back(column({"stopped by"}, true, rows, &Row::stop_reason));
  }
  if (any_group(report, [](const Row& g) { return g.samples_per_joule.has_value(); })) {
    section.columns.push_back(column({"samples", "per J"}, false, rows, [](const Row& g) {
      return or_absent(g.samples_per_joule, digits_of(g));
    }));
  }
  if (any_group(report, [](const Row& g) { return g.samples_per_dollar.has_value(); })) {
    section.columns.push_back(column({"samples", "per $"}, false, rows, [](const Row& g) {
      return or_absent(g.samples_per_dollar, digits_of(g));
    }));
  }
  return section;
}

Section stragglers_section(const Report& report) {
  using Row = Straggler;
  const auto& rows = report.stragglers;
  Section section{"Ranks that stand out", {}, {}};
  section.columns = {
      column({"point"}, true, rows, &Row::group),
      column({"rank"}, false, rows, [](const Row& s) { return std::to_string(s.rank); }),
      column({"host"}, true, rows, &Row::host),
      column({"device"}, true, rows, &Row::device),
      numbers({"slower", "by %"}, rows, &Row::deviation, slower_text),
      numbers({"at least", "% (95 %)"}, rows, &Row::low95, slower_text),
      column({"slow", "in runs"}, true, rows,
             [](const Row& s) {
               return std::to_string(s.slow_runs) + " of " + std::to_string(s.runs);
             }),
      column({"verdict"}, true, rows, [](const Row& s) { return name_of(s.verdict); }),
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
      column({"point"}, true, rows, &Row::real_group),
      numbers({"real", "per s"}, rows, &Row::real_samples_per_sec, readable),
      numbers({"synthetic", "per s"}, rows, &Row::synthetic_samples_per_sec, readable),
      numbers({"lost %"}, rows, &Row::lost_share, percent_text),
      column({"95 %", "interval"}, true, rows,
             [](const Row& g) { return share_interval(g.lost_share_ci95); })};
  return section;
}

// Explains why a number is the prediction, in one line per reason.
std::vector<std::string> prediction_reasons(const std::vector<Prediction>& rows) {
  std::vector<std::string> lines;
  for (const Prediction& row : rows) {
    if (row.reason.empty()) continue;
    std::string line = row.predictor + ": " + row.reason;
    if (std::ranges::count(lines, line) == 0) lines.push_back(std::move(line));
  }
  return lines;
}

Section devices_section(const Report& report) {
  return {kDevicesTitle, device_columns(report.devices), {devices_note()}};
}

Section predictions_section(const Report& report) {
  using Row = Prediction;
  const auto& rows = report.predictions;
  Section section{"Predictions", {}, {}};
  section.columns = {
      column({"slice"}, true, rows, &Row::slice),
      column({"ranks"}, false, rows, [](const Row& p) { return std::to_string(p.world_size); }),
      numbers({"samples", "per s"}, rows, &Row::samples_per_sec, readable),
      column({"by"}, true, rows, &Row::predictor),
      column({"band"}, true, rows,
             [](const Row& p) {
               return p.low ? interval_text(p.low, p.high, readable) : "not testable";
             }),
      numbers({"held %", "in tests"}, rows, &Row::band_coverage, percent_text),
      numbers({"effic. %"}, rows, &Row::efficiency, efficiency_digits),
      column({"basis"}, true, rows, &Row::basis)};
  section.lines = prediction_reasons(rows);
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
  // A complete report keeps the errors that ended its earlier sessions.
  const std::string whose = report.status == ReportStatus::kComplete ? "an earlier session: " : "";
  for (const ErrorRecord& error : report.errors) {
    section.lines.push_back(whose + format_error_line(error));
  }
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

std::string two_digits_ms(double seconds) { return two_digits(1000 * seconds); }

bool is_sweep(const Report& report) {
  return !report.groups.empty() || measures_collectives(report);
}

std::vector<Section> sweep_sections(const Report& report) {
  std::vector<Section> sections;
  if (!report.claims.empty()) sections.push_back(claims_section(report.claims));
  for (const ScalingTable& table : report.scaling) {
    std::ranges::move(scaling_sections(table, report.scaling), std::back_inserter(sections));
  }
  auto of_options =
      measures_collectives(report) ? collective_sections(report) : effect_sections(report);
  std::ranges::move(of_options, std::back_inserter(sections));
  if (!report.groups.empty()) sections.push_back(groups_section(report));
  for (Section& section : precision_sections(report)) sections.push_back(std::move(section));
  if (Section section = not_measured_section(report.points); !section.lines.empty()) {
    sections.push_back(std::move(section));
  }
  if (!report.devices.empty()) sections.push_back(devices_section(report));
  if (!report.stragglers.empty()) sections.push_back(stragglers_section(report));
  if (!report.data_gaps.empty()) sections.push_back(gaps_section(report));
  if (!report.links.empty()) sections.push_back(links_section(report.links));
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
