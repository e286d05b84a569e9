#include <algorithm>
#include <iterator>
#include <map>

#include "core/base/terminal.h"
#include "core/base/text.h"
#include "core/catalogue/strategy.h"
#include "core/reporting/record/point_facts.h"
#include "core/reporting/record/surety.h"
#include "core/reporting/render/sections/sweep_sections.h"
#include "core/reporting/render/text.h"
#include "core/reporting/words/words.h"

namespace scalemark::reporting {
namespace {

std::string fixed_text(const std::map<std::string, std::string>& fixed) {
  std::string text;
  for (const auto& [name, value] : fixed) text += (text.empty() ? "" : ", ") + name + " " + value;
  return text;
}

std::string strategy_of(const ScalingRow& row) { return strategy_text(row.strategy); }

Column ranks_column(const std::vector<ScalingRow>& rows) {
  return column({"ranks"}, false, rows,
                [](const ScalingRow& row) { return std::to_string(row.world_size); });
}

std::string interval_cell(const ScalingRow& row) {
  return row.efficiency || row.standing.is_withheld() ? efficiency_interval(row) : "baseline";
}

// Clocks that contradict each other give a wrong rate, too.
std::string rate_cell_of(const ScalingRow& row) {
  if (!(row.samples_per_sec > 0)) return held_text(row.standing, kAbsent);
  return is_disturbed(row.standing) ? two_digits(row.samples_per_sec)
                                    : readable(row.samples_per_sec);
}

void add_notes(Section& section, const ScalingTable& table) {
  section.lines.push_back("fixed: " + fixed_text(table.fixed));
  section.lines.push_back("efficiency relative to " + baseline_text(table) +
                          ", paired within blocks");
  if (std::ranges::any_of(table.rows,
                          [](const ScalingRow& row) { return row.unsteady_runs.has_value(); })) {
    section.lines.push_back("~: a window that was not steady went in; two digits");
  }
  if (std::ranges::any_of(table.rows,
                          [](const ScalingRow& row) { return is_rough(surety_of(row)); })) {
    section.lines.push_back(
        "~: the ends of the interval differ by more than a factor of four; two digits");
  }
  if (!table.left_out.empty()) {
    section.lines.push_back("left out: " + counted(static_cast<int>(table.left_out.size()), "run") +
                            ", baseline in another session");
  }
}

Section speed_up_section(const ScalingTable& table, const std::vector<ScalingTable>& all) {
  const auto& rows = table.rows;
  Section section{"Scaling, " + slice_text(table, all), {}, {}};
  section.columns = {
      ranks_column(rows),
      column({"strategy"}, true, rows, strategy_of),
      column({"samples", "per s"}, false, rows, rate_cell_of),
      column({"step ms"}, false, rows,
             [](const ScalingRow& row) {
               const bool is_rough = is_disturbed(row.standing);
               return or_absent(row.step_time_s, is_rough ? two_digits_ms : in_milliseconds);
             }),
      column({"speed-up"}, false, rows, speed_up_text),
      column({"effic. %"}, false, rows, [](const ScalingRow& row) { return efficiency_text(row); }),
      column({"effic.", "95 %"}, true, rows, interval_cell),
      column({"effic.", "min to max"}, true, rows,
             [](const ScalingRow& row) {
               return interval_text(row.efficiency_lowest, row.efficiency_highest, percent_text);
             }),
  };
  add_notes(section, table);
  return section;
}

// "communication 7.9 to 10.1": what is lost to it, in points of efficiency.
std::string intervals_text(const LossIntervals& intervals, std::int64_t runs) {
  std::string text;
  for_each_loss([&](const auto& part) {
    const Bounds& bounds = intervals.*part.ci95;
    if (!bounds) return;
    text += (text.empty() ? "" : ", ") + std::string(part.name) + " " +
            (is_known_share(bounds) ? share_interval(bounds) : not_known(runs, "run"));
  });
  return text;
}

// Ranks with no exchange lose by the machine alone, which the table above says.
bool shows_losses(const ScalingRow& row) {
  return row.loss_of_efficiency && row.world_size > 1 && catalogue::exchanges(row.strategy);
}

// A word or two on each line, so that six such heads fit beside each other.
std::vector<std::string> narrow_head(const std::string& name) {
  constexpr std::size_t kNarrow = 9;
  const std::string head = wrapped(name, kNarrow, 0);
  const auto lines = lines_of(head);
  return {lines.begin(), lines.end()};
}

Section losses_section(const ScalingTable& table, const std::vector<ScalingTable>& all) {
  std::vector<ScalingRow> rows;
  std::ranges::copy_if(table.rows, std::back_inserter(rows), shows_losses);
  Section section{"Lost efficiency, " + slice_text(table, all), {}, {}};
  section.columns = {ranks_column(rows), column({"strategy"}, true, rows, strategy_of)};
  for_each_loss([&](const auto& part) {
    section.columns.push_back(
        column(narrow_head(part.name), false, rows, [&](const ScalingRow& row) {
          return or_absent((*row.loss_of_efficiency).*part.share, percent_text);
        }));
  });
  section.lines.push_back("in points of efficiency; together what 100 % lacks");
  for (const ScalingRow& row : rows) {
    const std::string words = waterfall_in_words(row);
    if (words.empty()) continue;
    section.lines.push_back(std::to_string(row.world_size) + " ranks, " + row.strategy + ": " +
                            words);
    if (!row.loss_of_efficiency_ci95) continue;
    section.lines.push_back("95 % intervals of what these lose: " +
                            intervals_text(*row.loss_of_efficiency_ci95, std::ssize(row.points)));
  }
  return section;
}

}  // namespace

std::vector<Section> scaling_sections(const ScalingTable& table,
                                      const std::vector<ScalingTable>& all) {
  std::vector<Section> sections{speed_up_section(table, all)};
  if (std::ranges::any_of(table.rows, shows_losses)) sections.push_back(losses_section(table, all));
  return sections;
}

}  // namespace scalemark::reporting
