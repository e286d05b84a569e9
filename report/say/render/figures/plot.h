// A figure is data, with names for the points in it: the page shows it, SVG draws it and CSV lists
// it, so the three cannot differ. Pure.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "report/record/report.h"

namespace scalemark::reporting {

struct PlotMark {
  double at = 0;                    // where along the other axis; of named places an index
  std::optional<double> value;      // unset: a line is interrupted here
  std::optional<double> low, high;  // its interval; of a bar both ends
  std::string tip = {};             // shown on hover; empty: made from names and numbers
};

enum class Drawn { kLine, kDashes, kDots, kTriangles, kIntervals, kBars };

struct PlotSeries {
  std::string name;   // empty: not in the legend
  std::string color;  // "c1" to "c8", "accent", "good", "bad" or "faint"
  Drawn drawn = Drawn::kLine;
  std::vector<PlotMark> marks = {};
};

struct PlotAxis {
  std::string title;
  bool logarithmic = false;
  std::optional<double> from = {}, to = {};  // unset: the marks decide
  std::vector<double> ticks = {};            // empty: round numbers, or one per name
  std::vector<std::string> names = {};       // they replace the ticks' numbers; empty: numbers
};

struct Plot {
  std::string name;  // "speed-up": its place on the page
  std::string title, caption;
  std::string choice = {}, chosen = {};  // "point", "8 ranks, ddp": one of several with its name
  std::string file = {};                 // "why-not-more-8-ranks-ddp"; drawable() finds it
  PlotAxis at, value;
  bool in_rows = false;             // names stand below each other, values lie along x
  std::size_t legend_from = 2;      // so many series with names have a legend
  std::vector<double> guides = {};  // values that thin lines mark, the first a whole line
  std::vector<PlotSeries> series = {};
};

// Returns what there is to draw, in the order of the page. Figures of single runs (steps,
// buckets) are the page's own.
std::vector<Plot> plots_of(const Report& report);

// Keeps plots that have something to draw, without what is no number, and names the file of each.
std::vector<Plot> drawable(std::vector<Plot> plots);

// One and two columns of most journals.
inline constexpr int kColumn_mm = 89, kPage_mm = 183;

// A document of its own, with text as text. Its colours are attributes, which a style sheet
// overrides by the classes that bear their names.
std::string svg_of(const Plot& plot, double width_mm);

// RFC 4180: series, place, value, low, high; the axes' titles are the names of the columns.
std::string csv_of(const Plot& plot);

// All that follows is private to this folder. The parts of plots_of(), each by its own records:
void add_scaling_plots(std::vector<Plot>& plots, const Report& report);
void add_throughput_plots(std::vector<Plot>& plots, const Report& report);
void add_run_plots(std::vector<Plot>& plots, const Report& report);
void add_effect_plots(std::vector<Plot>& plots, const Report& report);
void add_collective_plots(std::vector<Plot>& plots, const Report& report);

// Where the values of a plot lie on an axis.
struct Scale {
  double low = 0, high = 1;
  bool logarithmic = false;
  std::vector<double> ticks;
  std::vector<std::string> names;  // they replace the ticks' numbers

  double clamped(double value) const;
  double share(double value) const;  // 0 at the low end, 1 at the high end
};

// The scales of the places and of the values. Their ends differ, whatever the marks are.
Scale at_scale(const Plot& plot);
Scale value_scale(const Plot& plot);

// The place of a mark in words: its name, or the number.
std::string place_text(const Plot& plot, double at);

std::string series_color(std::size_t number);  // "c1" to "c8", again from the ninth on

// --- The names of points, by what tells them apart: "b64 2 ranks ddp".

using Points = std::vector<const PointRecord*>;

struct Trait {
  std::string name;
  std::function<std::string(const PointRecord&)> value;  // returns it in the form that was typed
};

// Every trait in which points of a sweep may differ, without ranks, batch size and strategy.
std::vector<Trait> traits_of(const Points& points);
Trait ranks_trait();
Trait batch_trait(bool is_global);
Trait strategy_trait();

// All of these, ranks, batch size and strategy first.
std::vector<Trait> all_traits(const Points& points, bool global);

// The first run that is ok of each group, in the order of the report's groups; and all of them.
Points first_runs(const Report& report);
Points runs_of(const Report& report, const std::string& group);

// Leaves the `traits` that differ within `all`.
std::vector<Trait> differing_traits(const std::vector<Trait>& traits, const Points& all);

// Joins what they say of `point`: "b64 2 ranks ddp"; empty without any.
std::string name_by(const PointRecord& point, const std::vector<Trait>& differing_traits);

std::optional<double> as_number(const std::string& text);  // finite numbers only

}  // namespace scalemark::reporting
