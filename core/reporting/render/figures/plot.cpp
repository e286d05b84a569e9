#include "core/reporting/render/figures/plot.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <set>
#include <utility>

#include "core/base/number_words.h"
#include "core/reporting/render/csv_columns.h"
#include "core/reporting/render/text.h"

namespace scalemark::reporting {
namespace {

// For a file: letters, digits and points, whatever the names hold.
std::string stem_of(const Plot& plot) {
  std::string stem;
  for (const char c : plot.name + (plot.chosen.empty() ? "" : "-" + plot.chosen)) {
    const bool keeps = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.';
    if (keeps) stem += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (!keeps && !stem.ends_with('-')) stem += '-';
  }
  stem.resize(std::min<std::size_t>(stem.size(), 100));
  while (stem.ends_with('-') || stem.ends_with('.')) stem.pop_back();
  return stem;
}

// Differences of numbers below this are numbers, too.
constexpr double kLargest = 1e300;

void drop(std::optional<double>& value) {
  if (value && !(std::abs(*value) < kLargest)) value.reset();
}

// Reports are files, and may hold what no measurement gives.
void drop_what_is_no_number(Plot& plot) {
  for (PlotSeries& series : plot.series) {
    for (PlotMark& mark : series.marks) {
      drop(mark.value);
      drop(mark.low);
      drop(mark.high);
      if (series.drawn == Drawn::kBars && (!mark.low || !mark.high)) mark.value.reset();
    }
  }
}

bool shows_nothing(const PlotSeries& series) {
  return std::ranges::none_of(series.marks,
                              [](const PlotMark& mark) { return mark.value.has_value(); });
}

}  // namespace

std::vector<Plot> plots_of(const Report& report) {
  std::vector<Plot> plots;
  add_collective_plots(plots, report);
  add_scaling_plots(plots, report);
  add_effect_plots(plots, report);
  add_throughput_plots(plots, report);
  add_run_plots(plots, report);
  return drawable(std::move(plots));
}

std::vector<Plot> drawable(std::vector<Plot> plots) {
  for (Plot& plot : plots) {
    drop_what_is_no_number(plot);
    std::erase_if(plot.series, shows_nothing);
  }
  std::erase_if(plots, [](const Plot& plot) { return plot.series.empty(); });
  std::set<std::string> taken;
  for (Plot& plot : plots) {
    const std::string stem = stem_of(plot);
    plot.file = stem;
    for (int n = 2; !taken.insert(plot.file).second; ++n)
      plot.file = stem + "-" + std::to_string(n);
  }
  return plots;
}

std::string place_text(const Plot& plot, double at) {
  const auto& names = plot.at.names;
  const auto& ticks = plot.at.ticks;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (at == (ticks.empty() ? static_cast<double>(i) : ticks[i])) return names[i];
  }
  return significant(at, 6);
}

std::string csv_of(const Plot& plot) {
  const auto row = [&](const std::string& series, const std::string& at, const PlotMark& mark,
                       bool is_bar) {
    const auto text = [](const std::optional<double>& value) {
      return value ? exact(*value) : std::string();
    };
    return std::vector<CsvCell>{{"series", series},
                                {plot.at.title.empty() ? "what" : plot.at.title, at},
                                {plot.value.title, text(mark.value)},
                                {"low", is_bar ? "" : text(mark.low)},
                                {"high", is_bar ? "" : text(mark.high)}};
  };
  std::string text = csv_line(row("", "", {}, false), &CsvCell::column);
  for (const PlotSeries& series : plot.series) {
    for (const PlotMark& mark : series.marks) {
      if (!mark.value) continue;
      text +=
          csv_line(row(series.name, place_text(plot, mark.at), mark, series.drawn == Drawn::kBars),
                   &CsvCell::text);
    }
  }
  return text;
}

std::string series_color(std::size_t number) { return "c" + std::to_string(number % 8 + 1); }

}  // namespace scalemark::reporting
