// Draws speed-up and efficiency, and where efficiency went.
#include <algorithm>
#include <set>
#include <utility>

#include "core/base/number_words.h"
#include "core/catalogue/strategy.h"
#include "report/record/point_facts.h"
#include "report/record/surety.h"
#include "report/say/render/figures/plot.h"
#include "report/say/render/text.h"
#include "report/say/words/words.h"

namespace scalemark::reporting {
namespace {

bool is_solo(const ScalingRow& row) {
  return row.world_size > 1 && !catalogue::exchanges(row.strategy);
}

struct Curves {
  std::vector<double> sizes;
  double first = 1, last = 1, highest = 1;  // speed-up or efficiency
};

Curves curves_of(const Report& report, bool of_speedup) {
  Curves curves;
  std::set<double> sizes;
  for (const ScalingTable& table : report.scaling) {
    for (const ScalingRow& row : table.rows) {
      sizes.insert(row.world_size);
      curves.highest =
          std::max(curves.highest, (of_speedup ? row.speedup : row.efficiency).value_or(1));
    }
  }
  curves.sizes.assign(sizes.begin(), sizes.end());
  curves.first = curves.sizes.front();
  curves.last = curves.sizes.back();
  if (of_speedup) curves.highest = std::max(curves.highest, curves.last / curves.first);
  return curves;
}

PlotMark mark_of(const ScalingRow& row, bool of_speedup) {
  PlotMark mark{.at = static_cast<double>(row.world_size), .value = 1};
  if (row.standing.is_withheld() && !row.speedup) mark.value.reset();
  // The baseline has neither; its mark is at 1.
  if (!row.speedup || !row.efficiency || !(*row.efficiency > 0)) return mark;
  const double by = of_speedup ? row.ideal() : 1;
  mark.value = of_speedup ? *row.speedup : *row.efficiency;
  if (row.efficiency_ci95) {
    mark.low = *row.efficiency_ci95.low * by;
    mark.high = *row.efficiency_ci95.high * by;
  }
  return mark;
}

// Sets the bounds of a level from which a part takes so much, or at which a row ends.
void set_bounds(PlotMark& mark, const Bounds& bounds, double from, double by) {
  if (!bounds || !is_known_share(bounds)) return;
  mark.low = from + std::min(*bounds.low * by, *bounds.high * by);
  mark.high = from + std::max(*bounds.low * by, *bounds.high * by);
  mark.tip = "95 %: " + readable(*mark.low) + " to " + readable(*mark.high);
}

// Returns one row per world size that communicates, with the baseline if no other row has one rank.
std::vector<const ScalingRow*> plotted(const ScalingTable& table) {
  std::vector<const ScalingRow*> rows;
  const auto talks = [](const ScalingRow& row) { return catalogue::exchanges(row.strategy); };
  const bool has_one = std::ranges::any_of(
      table.rows, [&](const ScalingRow& row) { return talks(row) && row.world_size == 1; });
  for (const ScalingRow& row : table.rows) {
    if (talks(row) || (!has_one && row.world_size == 1)) rows.push_back(&row);
  }
  return rows;
}

Plot scaling_plot(const Report& report, bool of_speedup) {
  const Curves curves = curves_of(report, of_speedup);
  Plot plot{.name = of_speedup ? "speed-up" : "efficiency",
            .title = of_speedup ? "Speed-up" : "Scaling efficiency",
            .caption = of_speedup ? "Bars: 95 % intervals; an arrow: it reaches further. "
                                    "Triangles: the same ranks with no exchange."
                                  : "1 is what one rank does alone; above it is possible.",
            .at = {.title = "ranks", .from = 0, .to = 1.05 * curves.last, .ticks = curves.sizes},
            // Axes end at values, not intervals: an interval that reaches further is cut there.
            .value = {.title = of_speedup ? "speed-up" : "efficiency",
                      .from = 0,
                      .to = (of_speedup ? 1.1 : 1.15) * curves.highest}};
  plot.series.push_back(
      {"ideal",
       "faint",
       Drawn::kDashes,
       {{.at = curves.first, .value = 1},
        {.at = curves.last, .value = of_speedup ? curves.last / curves.first : 1}}});
  bool names_solo = false;  // the legend names them once
  for (std::size_t i = 0; i < report.scaling.size(); ++i) {
    const ScalingTable& table = report.scaling[i];
    PlotSeries talking{slice_text(table, report.scaling), series_color(i), Drawn::kLine};
    for (const ScalingRow* row : plotted(table)) talking.marks.push_back(mark_of(*row, of_speedup));
    PlotSeries solo{names_solo ? "" : kNoExchange, series_color(i), Drawn::kTriangles};
    for (const ScalingRow& row : table.rows) {
      if (is_solo(row)) solo.marks.push_back(mark_of(row, of_speedup));
    }
    plot.series.push_back(std::move(talking));
    if (solo.marks.empty()) continue;
    plot.series.push_back(std::move(solo));
    names_solo = true;
  }
  return plot;
}

Plot waterfall(const ScalingRow& row, const std::string& chosen) {
  const double ideal = row.ideal();
  Plot plot{.name = "why-not-more",
            .title = "From ideal to measured",
            .caption = waterfall_in_words(row) + ". The terms add up exactly to what is lost.",
            .choice = "point",
            .chosen = chosen,
            .at = {.title = ""},
            .value = {.title = "speed-up"},
            .in_rows = true,
            .legend_from = 1000};
  // Intervals stand at the ends of the bars.
  PlotSeries intervals{"95 % interval", "ink", Drawn::kIntervals};
  double highest = ideal, level = ideal;
  const auto add = [&](const std::string& name, const char* color, double from, double to,
                       double value, const std::string& text) {
    const auto place = static_cast<double>(plot.at.names.size());
    plot.series.push_back({name,
                           color,
                           Drawn::kBars,
                           {{.at = place,
                             .value = value,
                             .low = std::min(from, to),
                             .high = std::max(from, to),
                             .tip = name + ": " + text}}});
    plot.at.names.push_back(name);
    highest = std::max(highest, to);
    intervals.marks.push_back({.at = place, .value = to});
  };
  add("ideal", "faint", 0, ideal, ideal, readable(ideal));
  for_each_loss([&](const auto& part) {
    const std::optional<double> share = (*row.loss_of_efficiency).*part.share;
    if (!share) return;
    const double next = level - *share * ideal;
    add(part.name, next > level ? "good" : "bad", level, next, next - level,
        with_sign(next - level, 3));
    if (const auto& known = row.loss_of_efficiency_ci95)
      set_bounds(intervals.marks.back(), (*known).*part.ci95, level, -ideal);
    level = next;
  });
  add("measured", "accent", 0, *row.speedup, *row.speedup, readable(*row.speedup));
  set_bounds(intervals.marks.back(), row.efficiency_ci95, 0, ideal);
  std::erase_if(intervals.marks, [](const PlotMark& mark) { return !mark.low; });
  if (!intervals.marks.empty()) plot.caption += " Lines: 95 % intervals.";
  plot.series.push_back(std::move(intervals));
  // Axes end at values, not intervals, and begin at zero: lengths can be compared.
  plot.value.from = 0;
  plot.value.to = highest;
  return plot;
}

}  // namespace

void add_scaling_plots(std::vector<Plot>& plots, const Report& report) {
  const bool has_rows = std::ranges::any_of(
      report.scaling, [](const ScalingTable& table) { return !table.rows.empty(); });
  if (!has_rows) return;
  plots.push_back(scaling_plot(report, true));
  plots.push_back(scaling_plot(report, false));
  std::vector<Plot> falls;
  std::ptrdiff_t most = 0;
  std::pair<bool, int> widest{false, 0};  // prefers rows that exchange, then more ranks
  for (const ScalingTable& table : report.scaling) {
    for (const ScalingRow& row : table.rows) {
      const bool has_story = row.loss_of_efficiency && row.speedup && row.world_size > 1;
      if (!has_story || !row.efficiency || !(*row.efficiency > 0)) continue;
      const std::pair<bool, int> width{!is_solo(row), row.world_size};
      if (width >= widest) {
        widest = width;
        most = std::ssize(falls);
      }
      falls.push_back(waterfall(row, slice_text(table, report.scaling) + ": " +
                                         std::to_string(row.world_size) + " ranks, " +
                                         strategy_text(row.strategy)));
    }
  }
  if (most > 0) {  // the page shows the first plot until a reader chooses another one
    std::rotate(falls.begin(), falls.begin() + most, falls.begin() + most + 1);
  }
  std::ranges::move(falls, std::back_inserter(plots));
}

}  // namespace scalemark::reporting
