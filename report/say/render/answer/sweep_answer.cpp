// Makes the answer of a sweep: one table over its points, by the axes that vary.
#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>

#include "core/base/text.h"
#include "core/catalogue/strategy.h"
#include "report/record/point_facts.h"
#include "report/record/surety.h"
#include "report/say/render/answer/answer.h"
#include "report/say/render/sections/sweep_sections.h"
#include "report/say/render/text.h"
#include "report/say/table/table.h"
#include "report/say/words/words.h"

namespace scalemark::reporting {
namespace {

constexpr std::size_t kBestRows = 20;  // the rest of kMostRows are the worst

struct AnswerRow {
  const GroupRecord* group;
  const PointRecord* run;  // any run of the group, which says what was trained
  const ScalingTable* table = nullptr;
  const ScalingRow* scaling = nullptr;  // the row with an efficiency, where any table has one
  bool is_only_single_rank = true;      // whether no other row has one rank
  bool is_parted = false;               // its runs are in other sessions than their baseline

  bool is_solo() const { return reporting::is_solo(*run); }
  bool is_baseline() const { return run->world_size == 1 && !catalogue::exchanges(run->strategy); }
};
using Rows = std::vector<AnswerRow>;

void find_scaling(const Report& report, AnswerRow& row) {
  for (const ScalingTable& table : report.scaling) {
    for (const ScalingRow& one : table.rows) {
      if (one.group != row.group->group || (row.scaling && row.scaling->efficiency)) continue;
      row.table = &table;
      row.scaling = &one;
    }
    row.is_parted =
        row.is_parted || std::ranges::any_of(report.points, [&](const auto& run) {
          return run.group == row.group->group && std::ranges::count(table.left_out, run.id) > 0;
        });
  }
}

// Makes rows of points that were measured, or failed. Skipped ones have no row.
Rows rows_of(const Report& report) {
  Rows rows;
  for (const GroupRecord& group : report.groups) {
    const auto of_group = [&](const PointRecord& run) { return run.group == group.group; };
    auto run = std::ranges::find_if(report.points, [&](const PointRecord& one) {
      return of_group(one) && one.status == PointStatus::kOk;
    });
    if (run == report.points.end()) run = std::ranges::find_if(report.points, of_group);
    if (run == report.points.end() || run->status == PointStatus::kSkipped) continue;
    AnswerRow row{&group, &*run};
    find_scaling(report, row);
    rows.push_back(row);
  }
  const bool exchanging_one = std::ranges::any_of(
      rows, [](const AnswerRow& row) { return row.run->world_size == 1 && !row.is_baseline(); });
  for (AnswerRow& row : rows) row.is_only_single_rank = !exchanging_one;
  return rows;
}

using RowText = std::function<std::string(const AnswerRow&)>;

struct TableAxis {
  std::string name;
  bool left;
  RowText text;
};

std::vector<TableAxis> axes_of(const Rows& rows) {
  const auto of_run = [](std::string PointRecord::*member) {
    return [member](const AnswerRow& row) { return (*row.run).*member; };
  };
  std::vector<TableAxis> axes{
      {"workload", true, of_run(&PointRecord::workload)},
      {"strategy", true, [](const AnswerRow& row) { return strategy_text(row.run->strategy); }},
      {"precision", true, of_run(&PointRecord::precision)},
      {"backend", true, of_run(&PointRecord::backend)},
      {"size", false,
       [](const AnswerRow& row) {
         const auto size = row.run->image_size ? row.run->image_size : row.run->sequence_length;
         return size ? std::to_string(*size) : std::string();
       }},
      {"batch", false, [](const AnswerRow& row) { return batch_text(*row.run); }},
      {"data", true, of_run(&PointRecord::data)}};
  std::set<std::string> known{"workload",   "strategy",
                              "precision",  "backend",
                              "image_size", "sequence_length",
                              "batch_size", "global_batch_size",
                              "data",       "gradient_accumulation_steps"};
  for (const AnswerRow& row : rows) {
    for (const auto& [option, value] : row.run->varying) {
      if (!known.insert(option).second) continue;
      axes.push_back({option, false, [option = option](const AnswerRow& one) {
                        return value_at(one.run->varying, option, kAbsent);
                      }});
    }
  }
  return axes;
}

// A baseline has no strategy, so only the rows that exchange show what varies.
std::vector<TableAxis> varying_axes(const Rows& rows) {
  Rows exchanging;
  std::ranges::copy_if(rows, std::back_inserter(exchanging),
                       [](const AnswerRow& row) { return !row.is_solo() && !row.is_baseline(); });
  std::vector<TableAxis> axes = axes_of(rows);
  std::erase_if(axes, [&](const TableAxis& axis) {
    const Rows& asked = axis.name == "strategy" || axis.name == "backend" ? exchanging : rows;
    return std::ranges::all_of(
        asked, [&](const AnswerRow& row) { return axis.text(row) == axis.text(asked.front()); });
  });
  return axes;
}

// If there are too many rows, those with no exchange are removed first, then the middle of the
// others.
std::size_t leave_out(Rows& rows) {
  const std::size_t all = rows.size();
  constexpr std::size_t kFewRows = 12;
  if (rows.size() > kFewRows) {
    Rows kept;
    std::ranges::copy_if(rows, std::back_inserter(kept),
                         [](const AnswerRow& row) { return !row.is_solo() && !row.is_baseline(); });
    if (!kept.empty()) rows = std::move(kept);
  }
  if (rows.size() <= kMostRows) return all - rows.size();
  const auto rate = [](const AnswerRow& row) { return row.group->samples_per_sec.value_or(0); };
  std::ranges::stable_sort(rows, std::greater{}, rate);
  rows.erase(rows.begin() + kBestRows, rows.end() - (kMostRows - kBestRows));
  return all - rows.size();
}

std::string ranks_text(const AnswerRow& row, bool says_solo) {
  const bool alone = row.is_solo() || (row.is_baseline() && !row.is_only_single_rank);
  return std::to_string(row.run->world_size) +
         (says_solo && alone ? std::string(", ") + kNoExchange : "");
}

std::string rate_cell(const AnswerRow& row) {
  if (row.group->samples_per_sec || row.group->standing.is_withheld()) {
    return group_rate(*row.group);
  }
  const auto& counts = row.group->status_counts;
  return counts.empty() ? kAbsent : counts.begin()->first;
}

std::string speed_up_cell(const AnswerRow& row) {
  const bool has_any = row.scaling && (row.scaling->speedup || row.scaling->standing.is_withheld());
  return has_any ? speed_up_text(*row.scaling) : "";
}

bool is_relative_to_one(const AnswerRow& row) {
  return !row.table || row.table->relative_to.starts_with("1 rank");
}

std::string efficiency_cell(const AnswerRow& row) {
  if (row.scaling && row.scaling->standing.is_withheld() && !row.scaling->efficiency) {
    return held_text(row.scaling->standing, "");
  }
  if (!row.group->samples_per_sec) return kAbsent;
  if (!row.scaling || !row.scaling->efficiency) {
    if (row.is_baseline() || row.scaling) return "baseline";
    return row.is_parted ? "baseline of another session" : "no baseline (1 rank)";
  }
  const ScalingRow& found = *row.scaling;
  const std::string value = efficiency_text(found, " %");
  const Surety surety = surety_of(found);
  if (surety == Surety::kNoInterval) return value;
  const std::string interval = efficiency_interval(found);
  return value + "  " + (surety == Surety::kOneRun ? interval : "(" + interval + ")");
}

// Returns the ranks (more than one) that all efficiencies are relative to; empty where there are
// none.
std::string common_baseline(const Rows& rows) {
  std::string common;
  for (const AnswerRow& row : rows) {
    if (!row.table) continue;
    if (is_relative_to_one(row)) return "";
    if (!common.empty() && common != baseline_text(*row.table)) return "";
    common = baseline_text(*row.table);
  }
  return common;
}

// Writes an efficiency, and what it is relative to if the head does not name that.
std::string whole_efficiency_cell(const AnswerRow& row, const std::string& common) {
  const bool is_plain = is_relative_to_one(row) || !row.scaling || !row.scaling->efficiency;
  return efficiency_cell(row) +
         (is_plain || !common.empty() ? "" : ", relative to " + baseline_text(*row.table));
}

std::string rate_interval_cell(const AnswerRow& row) {
  const GroupRecord& group = *row.group;
  const std::string instead = instead_of_interval(surety_of(group), group.n);
  return instead.empty() ? interval_text(group.ci95, readable) : instead;
}

// Writes "efficiency (95 %)", or the ranks that it is relative to. Where rows differ in these,
// their cells name them.
std::string efficiency_head(const Rows& rows) {
  const std::string relative_to = common_baseline(rows);
  if (!relative_to.empty()) return "efficiency relative to " + relative_to;
  const bool any = std::ranges::any_of(
      rows, [](const AnswerRow& row) { return row.scaling && row.scaling->efficiency_ci95.low; });
  return any ? "efficiency (95 %)" : "efficiency";
}

std::string rate_head(const Rows& rows) {
  const std::string unit = sample_unit(rows.front().run->workload);
  const bool common = std::ranges::all_of(
      rows, [&](const AnswerRow& row) { return sample_unit(row.run->workload) == unit; });
  return (common ? unit : "samples") + "/s";
}

std::vector<Column> table_of(const Rows& rows) {
  const auto axes = varying_axes(rows);
  const bool names_strategy =
      std::ranges::any_of(axes, [](const TableAxis& axis) { return axis.name == "strategy"; });
  std::vector<Column> columns;
  for (const TableAxis& axis : axes) {
    columns.push_back(column({axis.name}, axis.left, rows, axis.text));
  }
  const bool one_size = std::ranges::all_of(rows, [&](const AnswerRow& row) {
    return row.run->world_size == rows.front().run->world_size;
  });
  const bool solo = std::ranges::any_of(rows, &AnswerRow::is_solo) && !names_strategy;
  if (!one_size || solo || columns.empty()) {
    columns.push_back(column({"ranks"}, solo, rows, [&](const AnswerRow& row) {
      return ranks_text(row, !names_strategy);
    }));
  }
  columns.push_back(column({rate_head(rows)}, false, rows, rate_cell));
  const bool scales = std::ranges::any_of(rows, [](const AnswerRow& row) {
    return row.scaling && (row.scaling->efficiency || row.scaling->standing.is_withheld());
  });
  if (!scales) {
    const bool repeated =
        std::ranges::any_of(rows, [](const AnswerRow& row) { return row.group->n > 1; });
    if (repeated) {
      columns.push_back(column({"95 %"}, true, rows, rate_interval_cell));
      columns.back().may_go = true;
    }
    return columns;
  }
  columns.push_back(column({"speed-up"}, false, rows, speed_up_cell));
  columns.back().may_go = true;
  columns.push_back(column({efficiency_head(rows)}, true, rows,
                           [common = common_baseline(rows)](const AnswerRow& row) {
                             return whole_efficiency_cell(row, common);
                           }));
  return columns;
}

// Lists the traits that all points share. The strategy of baselines is left aside.
std::string what_of(const Rows& rows) {
  std::vector<const PointRecord*> points;
  for (const AnswerRow& row : rows) {
    if (!row.is_solo() && !row.is_baseline()) points.push_back(row.run);
  }
  if (points.empty()) {
    for (const AnswerRow& row : rows) points.push_back(row.run);
  }
  return traits_in_common(points);
}

// Returns the row whose missing speed-up a reader may ask about.
const ScalingRow* asked_row(const Rows& rows) {
  const ScalingRow* asked = nullptr;
  for (const AnswerRow& row : rows) {
    if (row.is_solo() || row.run->world_size < 2 || !row.scaling || !row.scaling->efficiency) {
      continue;
    }
    if (!asked || row.scaling->world_size > asked->world_size ||
        (row.scaling->world_size == asked->world_size &&
         *row.scaling->efficiency < *asked->efficiency)) {
      asked = row.scaling;
    }
  }
  return asked;
}

// Returns the row of the most ranks whose speed-up is withheld, or the end.
Rows::const_iterator withheld_row(const Rows& rows) {
  const auto size = [](const AnswerRow& row) {
    const bool is_withheld = !row.is_solo() && row.scaling && !row.scaling->speedup &&
                             row.scaling->standing.is_withheld();
    return is_withheld ? row.run->world_size : 0;
  };
  const auto found = std::ranges::max_element(rows, {}, size);
  return size(*found) > 1 ? found : rows.end();
}

// Takes the figures of asked_row(), or without one those of the row whose speed-up is withheld,
// with the reason, or those of the fastest row.
std::vector<Figure> figures_of(const Report& report, const Rows& rows) {
  const ScalingRow* asked = asked_row(rows);
  const auto rate = [](const AnswerRow& row) { return row.group->samples_per_sec.value_or(0); };
  auto shown = std::ranges::max_element(rows, {}, rate);
  const auto withheld = asked ? rows.end() : withheld_row(rows);
  if (asked) shown = std::ranges::find(rows, asked, &AnswerRow::scaling);
  if (withheld != rows.end()) shown = withheld;
  const std::string ranks = " on " + counted(shown->run->world_size, "rank");
  std::vector<Figure> figures;
  if (shown->group->samples_per_sec) {
    figures.push_back({rate_cell(*shown), sample_unit(shown->run->workload) + "/s" + ranks});
  }
  if (withheld != rows.end()) {
    figures.push_back({"not known", "speed-up" + ranks + ": " +
                                        reason_in_words(report, withheld->scaling->standing)});
  }
  if (!asked) return figures;
  if (asked->speedup) figures.push_back({speed_up_cell(*shown) + " x", "speed-up"});
  figures.push_back({efficiency_cell(*shown), efficiency_head(rows)});
  return figures;
}

void add_next(Answer& answer, const Report& report, const Rows& rows, const std::string& folder,
              std::size_t left_out) {
  const NextCommand next = next_command(report);
  if (!next.command.empty()) answer.next.emplace_back(next.when, next.command);
  if (folder.empty()) return;
  if (const ScalingRow* asked = asked_row(rows); asked && *asked->efficiency < 1) {
    answer.next.emplace_back("why not " + significant(asked->ideal(), 3) + " x",
                             "scalemark explain " + shell_word(folder));
  }
  answer.next.emplace_back(left_out > 0 ? std::to_string(left_out) + " more rows" : "details",
                           "scalemark report " + shell_word(folder) + " --details");
  answer.next.emplace_back("charts", folder + "/report.html");
  const bool is_long = next.when == kWithIntervals && answer.next.size() > 3;
  if (is_long) answer.next.erase(answer.next.end() - 2);
}

}  // namespace

Answer answer_of_sweep(const Report& report, const std::string& folder) {
  Answer answer;
  Rows rows = rows_of(report);
  if (rows.empty()) {
    answer.what = "nothing was measured";
    return answer;
  }
  answer.effort = effort_text(report);
  answer.what = what_of(rows);
  answer.figures = figures_of(report, rows);
  const Rows all = rows;
  const std::size_t left_out = leave_out(rows);
  answer.table = table_of(rows);
  for (const TuningRecord& tuning : report.tuning) answer.found.push_back(tuning.in_words);
  if (std::string found = effects_found(report.effects); report.tuning.empty() && !found.empty()) {
    answer.found.push_back(std::move(found));
  }
  answer.asked = asked_row(all);
  if (answer.asked) {
    std::ranges::move(found_at(report, *answer.asked), std::back_inserter(answer.found));
  } else if (const auto withheld = withheld_row(all); withheld != all.end()) {
    answer.asked = withheld->scaling;
  }
  add_next(answer, report, all, folder, left_out);
  return answer;
}

}  // namespace scalemark::reporting
