#include <algorithm>
#include <iterator>
#include <map>

#include "core/base/text.h"
#include "core/catalogue/strategy.h"
#include "core/reporting/record/surety.h"
#include "core/reporting/render/sections/section_columns.h"
#include "core/reporting/render/sections/sweep_words.h"
#include "core/reporting/render/text.h"

namespace scalemark::reporting {
namespace {

std::string fixed_text(const std::map<std::string, std::string>& fixed) {
  std::string text;
  for (const auto& [name, value] : fixed) text += (text.empty() ? "" : ", ") + name + " " + value;
  return text;
}

std::string strategy_text(const ScalingRow& row) {
  return !catalogue::exchanges(row.strategy) && row.world_size > 1 ? "solo" : row.strategy;
}

Column ranks_column(const std::vector<ScalingRow>& rows) {
  return column({"ranks"}, false, rows,
                [](const ScalingRow& row) { return std::to_string(row.world_size); });
}

std::string interval_cell(const ScalingRow& row) {
  return row.efficiency || row.standing.is_withheld() ? efficiency_interval(row) : "baseline";
}

// Clocks that contradict each other give a wrong rate, too.
std::string rate_text(const ScalingRow& row) {
  if (!(row.samples_per_sec > 0)) return held_text(row.standing, kAbsent);
  return is_disturbed(row.standing) ? two_digits(row.samples_per_sec)
                                    : readable(row.samples_per_sec);
}

void add_notes(Section& section, const ScalingTable& table) {
  section.lines.push_back("fixed: " + fixed_text(table.fixed));
  section.lines.push_back("efficiency relative to " + table.relative_to + ", paired within blocks");
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
      column({"strategy"}, true, rows, strategy_text),
      column({"samples", "per s"}, false, rows, rate_text),
      numbers({"step ms"}, rows, &ScalingRow::step_time_s, milliseconds),
      column({"speed-up"}, false, rows, speed_up_text),
      column({"effic. %"}, false, rows, efficiency_text),
      column({"effic.", "95 %"}, true, rows, interval_cell),
      column({"effic.", "min .. max"}, true, rows,
             [](const ScalingRow& row) {
               return interval_text(row.efficiency_lowest, row.efficiency_highest, percent_text);
             }),
  };
  add_notes(section, table);
  return section;
}

// "comm 7.9 .. 10.1": what is lost to it, in points of efficiency.
std::string intervals_text(const LossIntervals& intervals, std::int64_t runs) {
  std::string text;
  const auto add = [&](const char* name, const Bounds& bounds) {
    if (!bounds) return;
    text += (text.empty() ? "" : ", ") +
            (name + (is_known_share(bounds) ? share_interval(bounds) : not_known(runs, "run")));
  };
  add("comm ", intervals.communication);
  add("imbal ", intervals.persistent_imbalance);
  add("run to run ", intervals.run_imbalance);
  add("jitter ", intervals.jitter);
  add("data ", intervals.data_wait);
  add("slower ", intervals.slower_compute);
  return text;
}

// Ranks without an exchange lose by the machine alone, which the table above says.
bool shows_losses(const ScalingRow& row) {
  return row.loss_of_efficiency && row.world_size > 1 && catalogue::exchanges(row.strategy);
}

Section losses_section(const ScalingTable& table, const std::vector<ScalingTable>& all) {
  std::vector<ScalingRow> rows;
  std::ranges::copy_if(table.rows, std::back_inserter(rows), shows_losses);
  const auto loss = [&](const char* name, auto term) {
    return column({name}, false, rows, [term](const ScalingRow& row) {
      if (!row.loss_of_efficiency) return std::string(kAbsent);
      const std::optional<double> share = (*row.loss_of_efficiency).*term;
      return or_absent(share, percent_text);
    });
  };
  Section section{"Lost efficiency, " + slice_text(table, all), {}, {}};
  section.columns = {ranks_column(rows),
                     column({"strategy"}, true, rows, strategy_text),
                     loss("comm", &LossOfEfficiency::communication),
                     loss("imbal", &LossOfEfficiency::persistent_imbalance),
                     loss("run to run", &LossOfEfficiency::run_imbalance),
                     loss("jitter", &LossOfEfficiency::jitter),
                     loss("data", &LossOfEfficiency::data_wait),
                     loss("slower", &LossOfEfficiency::slower_compute)};
  section.lines.push_back("in points of efficiency; together what 100 % lacks");
  for (const ScalingRow& row : rows) {
    if (row.in_words.empty()) continue;
    section.lines.push_back(std::to_string(row.world_size) + " ranks, " + strategy_text(row) +
                            ": " + row.in_words);
    if (!row.loss_of_efficiency_ci95) continue;
    section.lines.push_back("95 % intervals of what these lose: " +
                            intervals_text(*row.loss_of_efficiency_ci95, std::ssize(row.points)));
  }
  return section;
}

}  // namespace

std::string milliseconds(double seconds) { return readable(1000 * seconds); }

std::vector<Section> scaling_sections(const ScalingTable& table,
                                      const std::vector<ScalingTable>& all) {
  std::vector<Section> sections{speed_up_section(table, all)};
  if (std::ranges::any_of(table.rows, shows_losses)) sections.push_back(losses_section(table, all));
  return sections;
}

}  // namespace scalemark::reporting
