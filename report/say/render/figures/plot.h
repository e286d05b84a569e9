// A figure as data, with names for the points in it: the page shows it, SVG draws it and CSV lists
// it, so the three cannot differ. Pure.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "report/record/report.h"

namespace scalemark::reporting {

struct PlotMark {
  double at = 0;                    // place along the other axis; an index if places have names
  std::optional<double> value;      // unset: a line is interrupted here
  std::optional<double> low, high;  // its interval; both ends of a bar
  std::string tip = {};             // shown on hover; empty: made from names and numbers
};

enum class Drawn { kLine, kDashes, kDots, kTriangles, kIntervals, kBars };

struct PlotSeries {
  std::string name;   // empty: left out of the legend
  std::string color;  // "c1" to "c8", "accent", "good", "bad", "faint" or "ink"
  Drawn drawn = Drawn::kLine;
  std::vector<PlotMark> marks = {};
};

struct PlotAxis {
  std::string title;
  bool logarithmic = false;
  std::optional<double> from = {}, to = {};  // unset: the marks decide
  std::vector<double> ticks = {};            // empty: round numbers, or one per name
  std::vector<std::string> names = {};       // shown instead of the ticks' numbers; empty: numbers
};

struct Plot {
  std::string name;  // place on the page: "speed-up"
  std::string title, caption;
  // Where several plots share a name, a reader of the page chooses one: `choice` is what differs
  // between them ("point"), `chosen` which one this is ("8 ranks, ddp").
  std::string choice = {}, chosen = {};
  std::string file = {};      // "why-not-more-8-ranks-ddp"; set by drawable()
  std::string standing = {};  // "quote with care": written below it; empty: nothing is
  PlotAxis at, value;
  bool in_rows = false;             // names stand below each other, values lie along x
  std::size_t legend_from = 2;      // a legend is drawn for at least so many series with names
  std::vector<double> guides = {};  // thin lines mark these values; that of the first is solid
  std::vector<PlotSeries> series = {};
};

// Returns what there is to draw, in the order of the page. The page itself draws figures of single
// runs (steps, buckets).
std::vector<Plot> plots_of(const Report& report);

// Keeps plots that have something to draw, removes values that are no numbers, and names the file
// of each.
std::vector<Plot> drawable(std::vector<Plot> plots);

// The widths of one and two columns in most journals.
inline constexpr int kColumn_mm = 89, kPage_mm = 183;

// Returns an SVG document with text as text. Colours are attributes, which a style sheet overrides
// by classes of the same names.
std::string svg_of(const Plot& plot, double width_mm);

// Writes RFC 4180: series, place, value, low, high. The axes' titles are the names of the columns.
std::string csv_of(const Plot& plot);

// All that follows is private to this folder. These are the parts of plots_of(), each for its own
// records:
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
  std::vector<std::string> names;  // shown instead of the ticks' numbers

  double clamped(double value) const;
  double share(double value) const;  // 0 at the low end, 1 at the high end
};

// Returns the scales of places and of values. Their ends differ, whatever the marks are.
Scale at_scale(const Plot& plot);
Scale value_scale(const Plot& plot);

// Returns the place of a mark in words: its name, or the number.
std::string place_text(const Plot& plot, double at);

std::string series_color(std::size_t number);  // "c1" to "c8", and from the ninth on "c1" again

// --- The names of points, made of the traits in which they differ: "b64 2 ranks ddp".

using Points = std::vector<const PointRecord*>;

struct Trait {
  std::string name;
  std::function<std::string(const PointRecord&)> value;  // returns the form that was typed
};

// Returns every trait in which points of a sweep may differ, except ranks, batch size and strategy.
std::vector<Trait> traits_of(const Points& points);
Trait ranks_trait();
Trait batch_trait(bool is_global);
Trait strategy_trait();

// Returns all traits; ranks, batch size and strategy come first.
std::vector<Trait> all_traits(const Points& points, bool global);

// first_runs() returns the first ok run of each group, in the order of the report's groups,
// runs_of() all runs of a group.
Points first_runs(const Report& report);
Points runs_of(const Report& report, const std::string& group);

// Returns those of the `traits` that differ within `all`.
std::vector<Trait> differing_traits(const std::vector<Trait>& traits, const Points& all);

// Joins the traits of `point`: "b64 2 ranks ddp"; empty without any.
std::string name_by(const PointRecord& point, const std::vector<Trait>& differing_traits);

std::optional<double> as_number(const std::string& text);  // nothing unless it is finite

}  // namespace scalemark::reporting
