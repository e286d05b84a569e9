// Makes answers for reports that are not of a sweep: reports of `comm` and `train`, and several
// reports side by side.

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "core/base/text.h"
#include "report/judge/collectives/words.h"
#include "report/record/finding_kinds.h"
#include "report/record/point_facts.h"
#include "report/record/surety.h"
#include "report/record/verdict.h"
#include "report/say/render/answer/answer.h"
#include "report/say/render/sections/sweep_sections.h"
#include "report/say/render/text.h"
#include "report/say/table/table.h"
#include "report/say/words/words.h"

namespace scalemark::reporting {
namespace {

using Groups = std::vector<const CollectiveGroup*>;

struct CollectiveAxis {
  const char* name;
  std::function<std::string(const CollectiveGroup&)> text;
};

const std::vector<CollectiveAxis>& axes() {
  using Group = CollectiveGroup;
  static const std::vector<CollectiveAxis> kAxes{
      {"collective", [](const Group& g) { return std::string(name_of(g.collective)); }},
      {"type", [](const Group& g) { return std::string(name_of(g.dtype)); }},
      {"ranks", [](const Group& g) { return counted(g.world_size, "rank"); }},
      {"nodes", [](const Group& g) { return g.nodes > 1 ? counted(g.nodes, "node") : ""; }},
      {"placement", [](const Group& g) { return g.nodes > 1 ? g.placement : ""; }},
      {"backend", [](const Group& g) { return g.backend; }},
      {"via", [](const Group& g) { return "via " + std::string(name_of(g.via)); }},
      {"device", [](const Group& g) { return g.device; }},
      {"place", [](const Group& g) { return g.in_place ? "in place" : "out of place"; }},
      {"beside", [](const Group& g) { return g.overlap_compute ? "beside compute" : ""; }},
      {"traffic", [](const Group& g) { return g.congestion ? "with congestion" : ""; }},
  };
  return kAxes;
}

bool varies(const CollectiveAxis& axis, const Groups& groups) {
  return std::ranges::any_of(groups, [&](const CollectiveGroup* group) {
    return axis.text(*group) != axis.text(*groups.front());
  });
}

std::string time_cell(const CollectiveGroup& group) {
  if (group.time_s.value || group.standing.is_withheld()) {
    const double time_s = group.time_s.value.value_or(0);
    const std::string text =
        has_two_digits(group) ? two_digits(1e6 * time_s) : in_microseconds(time_s);
    return held_text(group.standing, group.time_s.value ? text : "");
  }
  return group.status_counts.empty() ? kAbsent : group.status_counts.begin()->first;
}

std::string time_interval(const CollectiveGroup& group) {
  const std::string instead = instead_of_interval(surety_of(group), group.n);
  if (!instead.empty()) return instead;
  return interval_text(group.time_s.ci95, in_microseconds);
}

std::vector<Column> collectives_table(const Groups& groups) {
  using Group = CollectiveGroup;
  std::vector<Column> columns;
  for (const CollectiveAxis& axis : axes()) {
    if (varies(axis, groups)) columns.push_back(column({axis.name}, true, groups, axis.text));
  }
  const auto any = [&](auto test) {
    return std::ranges::any_of(groups, [&](const Group* group) { return test(*group); });
  };
  if (any([](const Group& g) { return g.bytes > 0; })) {
    columns.push_back(column({"size"}, false, groups,
                             [](const Group& g) { return g.bytes > 0 ? size_text(g.bytes) : ""; }));
  }
  columns.push_back(column({"us"}, false, groups, time_cell));
  if (any([](const Group& g) { return g.n > 1; })) {
    columns.push_back(column({"95 %"}, true, groups, time_interval));
    columns.back().may_go = true;
  }
  if (any([](const Group& g) { return g.busbw_GBps.value.has_value(); })) {
    columns.push_back(numbers(
        {"busbw GB/s"}, groups, [](const Group& g) { return g.busbw_GBps.value; }, readable));
  }
  if (any([](const Group& g) { return g.expected_share.value.has_value(); })) {
    columns.push_back(numbers(
        {"of expected"}, groups, [](const Group& g) { return g.expected_share.value; },
        [](double share) { return percent(share, 0); }));
    columns.back().may_go = true;
  }
  if (any([](const Group& g) { return g.wrong.value_or(0) > 0; })) {
    columns.push_back(column({"wrong"}, false, groups, [](const Group& g) {
      return g.wrong ? std::to_string(*g.wrong) : kAbsent;
    }));
  }
  return columns;
}

// The slowest links come first, since these are what a reader looks for.
std::vector<Column> links_table(std::vector<LinkRecord> links) {
  std::ranges::stable_sort(links, {}, &LinkRecord::bandwidth_GBps);
  if (links.size() > kMostRows) links.resize(kMostRows);
  using Link = LinkRecord;
  return {column({"from"}, true, links, &Link::first), column({"to"}, true, links, &Link::second),
          numbers({"latency us"}, links, &Link::latency_s, in_microseconds),
          numbers({"GB/s"}, links, &Link::bandwidth_GBps, readable)};
}

// If there are too many rows, the smallest sizes are removed first.
std::size_t leave_out(Groups& groups) {
  if (groups.size() <= kMostRows) return 0;
  Groups by_size = groups;
  std::ranges::stable_sort(by_size, std::greater{}, &CollectiveGroup::bytes);
  by_size.resize(kMostRows);
  return std::erase_if(groups, [&](const CollectiveGroup* group) {
    return std::ranges::find(by_size, group) == by_size.end();
  });
}

std::string what_of(const Groups& groups) {
  std::string text;
  for (const CollectiveAxis& axis : axes()) {
    const std::string value = axis.text(*groups.front());
    if (value.empty() || value == "via c10d" || varies(axis, groups)) continue;
    text += (text.empty() ? "" : ", ") + value;
  }
  return text;
}

}  // namespace

// The table has a line per size and whatever else varies, or a line per link.
Answer answer_of_collectives(const Report& report, const std::string& folder) {
  Answer answer;
  Groups groups;
  for (const CollectiveGroup& group : report.collective_groups) {
    if (group.n == 0 && group.status_counts.contains("skipped")) continue;
    groups.push_back(&group);
  }
  std::size_t left_out = 0;
  if (!groups.empty()) {
    answer.effort = effort_text(report);
    const auto* largest = *std::ranges::max_element(groups, {}, [](const CollectiveGroup* group) {
      return std::pair(group->bytes, group->busbw_GBps.value.value_or(0));
    });
    left_out = leave_out(groups);
    answer.what = what_of(groups);
    answer.table = collectives_table(groups);
    if (largest->busbw_GBps.value) {
      answer.figures.push_back({readable(*largest->busbw_GBps.value),
                                "GB/s bus bandwidth at " + size_text(largest->bytes)});
    }
  } else if (!report.links.empty()) {
    answer.what = counted(std::ssize(report.links), "link") + ", each by itself";
    left_out = report.links.size() > kMostRows ? report.links.size() - kMostRows : 0;
    answer.table = links_table(report.links);
  } else {
    answer.what = "nothing was measured";
  }
  constexpr std::size_t kMostWinners = 3;
  for (const CollectiveWinners& winners : report.collective_winners) {
    if (answer.found.size() < kMostWinners) answer.found.push_back(winners.in_words);
  }
  if (folder.empty()) return answer;
  answer.next.emplace_back(left_out > 0 ? std::to_string(left_out) + " more rows" : "details",
                           "scalemark report " + shell_word(folder) + " --details");
  answer.next.emplace_back("charts", folder + "/report.html");
  return answer;
}

namespace {

// The first and the last row of a range, both included, counted from 1.
using RowRange = std::pair<std::size_t, std::size_t>;

// Returns which rows of the common table are each report's.
std::vector<RowRange> rows_of_reports(std::span<const Report> reports) {
  std::vector<RowRange> rows;
  std::size_t last = 0;
  for (const Report& report : reports) {
    const std::size_t first = last + 1;
    last += report.points.size();
    rows.emplace_back(first, last);
  }
  return rows;
}

// Writes "row 1", "rows 1 to 4", "rows 1, 3 to 5 and 9".
std::string rows_text(const std::vector<RowRange>& all) {
  std::vector<RowRange> rows;
  for (const RowRange& next : all) {
    if (!rows.empty() && rows.back().second + 1 == next.first) {
      rows.back().second = next.second;
    } else {
      rows.push_back(next);
    }
  }
  std::string text;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto& [first, last] = rows[i];
    text += (i == 0                ? ""
             : i + 1 < rows.size() ? ", "
                                   : " and ") +
            std::to_string(first) + (last > first ? " to " + std::to_string(last) : "");
  }
  const bool is_one = rows.size() == 1 && rows.front().first >= rows.front().second;
  return (is_one ? "row " : "rows ") + text;
}

// Writes what speaks against rows, the gravest first. Reports with the same reason share a note.
std::vector<std::string> notes_on_rows(std::span<const Report> runs,
                                       const std::vector<RowRange>& rows) {
  std::map<VerdictLevel, std::map<std::string, std::vector<RowRange>>, std::greater<>> by_level;
  std::map<std::string, std::vector<RowRange>> changed;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const auto& verdict = runs[i].verdict;
    if (!verdict) continue;
    if (const VerdictReason* change = rejudged_reason(*verdict))
      changed[change->text].push_back(rows[i]);
    if (verdict->level == VerdictLevel::kQuotable) continue;
    by_level[verdict->level][verdict->reasons.front().text].push_back(rows[i]);
  }
  std::vector<std::string> notes;
  for (const auto& [level, reasons] : by_level) {
    for (const auto& [reason, of_reason] : reasons) {
      notes.push_back(rows_text(of_reason) + ": " + reason +
                      (level == VerdictLevel::kDoNotQuote ? ": " + quoting_words(level) : ""));
    }
  }
  if (notes.size() > kMostNotes) {
    const std::size_t more = notes.size() - kMostNotes;
    notes.resize(kMostNotes);
    notes.push_back("and " + counted(more, "note") + " more: report each run by itself");
  }
  for (const auto& [change, of_change] : changed) {
    notes.push_back(rows_text(of_change) + ": " + change);
  }
  return notes;
}

}  // namespace

Answer answer_of_several(std::span<const Report> runs, const std::vector<std::string>& places) {
  RunsTable table = runs_table(runs);
  Answer answer{.what = std::move(table.what), .table = std::move(table.columns)};
  const std::vector<RowRange> rows = rows_of_reports(runs);
  std::string legend;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const std::string folder = folder_of(places[i]);
    legend +=
        (i == 0 ? "" : "; ") + rows_text({rows[i]}) + ": " + (folder.empty() ? places[i] : folder);
  }
  if (!legend.empty()) answer.found.push_back(legend);
  answer.notes = notes_on_rows(runs, rows);
  return answer;
}

namespace {

void add_next_of_run(Answer& answer, const Report& report, const std::string& folder) {
  const NextCommand next = next_command(report);
  if (!next.command.empty()) answer.next.emplace_back(next.when, next.command);
  if (folder.empty()) return;
  answer.next.emplace_back("report", shell_word(std::filesystem::path(folder) / "report.json"));
  answer.next.emplace_back("details", "scalemark report " + shell_word(folder) + " --details");
}

}  // namespace

namespace {

// Names the largest fault of which no remark speaks, if it is no small part of the step. What a
// design costs, `explain` says.
void add_fault(Answer& answer, const Report& report, const PointRecord& run,
               const std::string& folder) {
  constexpr double kLeastShare = 0.05;
  const auto fault = std::ranges::find_if(run.causes, [&](const CauseRecord& cause) {
    const FindingKind* kind = find_finding_kind(cause.code);
    const std::string_view remark = kind ? kind->said_by : "";
    return cause.is_fault && !std::ranges::count(report.findings, remark, &Finding::code);
  });
  const double step_s = step_time_s(run).value_or(run.step_mean_over_ranks_s);
  if (fault == run.causes.end() || fault->seconds < kLeastShare * step_s) return;
  answer.found.push_back(percent(fault->seconds / step_s) + " of the step: " + fault->text);
  if (!folder.empty())
    answer.next.emplace_back("why is it slow", "scalemark explain " + shell_word(folder));
}

}  // namespace

Answer answer_of_runs(const Report& report, const std::string& folder) {
  Answer answer;
  if (report.points.empty()) {
    answer.what = report.fingerprint.empty() ? "nothing was measured" : machine_line(report);
    if (!report.fingerprint.empty()) answer.table = fingerprint_columns(report.fingerprint);
    return answer;
  }
  add_next_of_run(answer, report, folder);
  const PointRecord& run = report.points.back();
  answer.what = traits_in_common({&run}) + ", " + counted(run.world_size, "rank");
  if (run.status != PointStatus::kOk) {
    answer.what +=
        ": " + std::string(name_of(run.status)) + (run.reason.empty() ? "" : ", " + run.reason);
    return answer;
  }
  const std::string unit = sample_unit(run.workload) + "/s";
  const std::string rate =
      held_text(run.standing, run.samples_per_sec > 0 ? readable(run.samples_per_sec) : "");
  answer.what += "  " + rate + " " + unit;
  answer.figures.push_back({rate, unit});
  if (const auto step = step_time_s(run)) {
    answer.figures.push_back({readable(1e3 * *step), "ms a step"});
    answer.what += "  step " + duration_text(*step);
    if (run.step_s.p50) answer.what += " (median " + duration_text(*run.step_s.p50) + ")";
  }
  if (shows_loss(run)) {
    answer.what +=
        "  loss " + significant(*run.loss_first, 3) + " -> " + significant(*run.loss_last, 3);
    if (*run.loss_last > *run.loss_first) {
      answer.notes.push_back(
          "the loss rose: it learns nothing so (--learning-rate); its speed counts");
    }
  }
  if (!run.evaluation.empty()) {
    const Evaluation& last = run.evaluation.back();
    answer.what += "  " + last.metric + " " + percent(last.value);
    answer.figures.push_back({percent(last.value), last.metric});
  }
  answer.what += "  peak memory " + size_text(run.memory_peak_bytes);
  add_fault(answer, report, run, folder);
  if (run.world_size > 1 && run.wall_s > 0) {
    answer.found.push_back("measured time: " + duration_text(run.wall_s) + " per rank, " +
                           duration_text(run.world_size * run.wall_s) + " in all");
  }
  return answer;
}

}  // namespace scalemark::reporting
