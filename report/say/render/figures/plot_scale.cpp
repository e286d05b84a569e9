// Chooses the scales and ticks of a plot's axes, linear or logarithmic.

#include <algorithm>
#include <cmath>

#include "core/base/number_words.h"
#include "report/say/render/figures/plot.h"

namespace scalemark::reporting {
namespace {

constexpr double kTicks = 6;

struct Range {
  double low = INFINITY, high = -INFINITY;
  void hold(const std::optional<double>& value, bool positive) {
    if (!value || !std::isfinite(*value) || (positive && *value <= 0)) return;
    low = std::min(low, *value);
    high = std::max(high, *value);
  }
};

// Rounds up to 1, 2 or 5 times a power of ten.
double round_step(double value) {
  const double power = std::pow(10, std::floor(std::log10(value)));
  for (const double step : {1.0, 2.0, 5.0}) {
    if (step * power >= value * (1 - 1e-9)) return step * power;
  }
  return 10 * power;
}

std::string number_text(double value, double step) {
  const int decimals = std::clamp(-static_cast<int>(std::floor(std::log10(step) + 1e-9)), 0, 12);
  return with_decimals(std::abs(value) < step / 1e6 ? 0 : value, decimals);
}

// The ends lie on ticks, so that the last tick has a name. Values that hardly differ would need
// more digits than a number has.
void linear_ticks(Scale& scale) {
  const double largest = std::max(std::abs(scale.low), std::abs(scale.high));
  if (!(scale.high - scale.low > 1e-9 * largest)) {
    scale.low = std::min(0.9 * scale.low, 1.1 * scale.low);
    scale.high = largest == 0 ? 1 : std::max(0.9 * scale.high, 1.1 * scale.high);
  }
  const double step = round_step((scale.high - scale.low) / kTicks);
  const double first = std::floor(scale.low / step + 1e-9);
  const int steps = static_cast<int>(std::ceil(scale.high / step - 1e-9) - first);
  for (int i = 0; i <= steps; ++i) {
    const double tick = (first + i) * step;
    scale.ticks.push_back(tick);
    scale.names.push_back(number_text(tick, step));
  }
  scale.low = scale.ticks.front();
  scale.high = scale.ticks.back();
}

// Ticks are 1, 2 and 5 of each decade; from three decades on powers of ten only; with very many
// decades only every few of these.
void logarithmic_ticks(Scale& scale) {
  constexpr double kMostDecades = 10;
  const double decades = std::log10(scale.high) - std::log10(scale.low);
  const double every = std::max(1.0, std::ceil(decades / kMostDecades));
  const double first = std::floor(std::log10(scale.low) / every) - 1;
  const double last = std::ceil(std::log10(scale.high) / every) + 1;
  std::vector<double> all;
  for (double power = first; power <= last; ++power) {
    for (const double step : {1.0, 2.0, 5.0}) {
      const double tick = step * std::pow(10, every * power);
      if ((decades > 3 && step != 1) || !(tick > 0) || !std::isfinite(tick)) continue;
      all.push_back(tick);
    }
  }
  const auto above =
      std::ranges::find_if(all, [&](double tick) { return tick >= scale.high * (1 - 1e-9); });
  auto below =
      std::ranges::find_if(all, [&](double tick) { return tick > scale.low * (1 + 1e-9); });
  if (below != all.begin()) --below;
  scale.low = std::min(*below, scale.low);
  scale.high = above == all.end() ? scale.high : *above;
  if (scale.high <= scale.low) scale.high = 10 * scale.low;
  for (const double tick : all) {
    if (tick < scale.low * (1 - 1e-9) || tick > scale.high * (1 + 1e-9)) continue;
    scale.ticks.push_back(tick);
    scale.names.push_back(significant(tick, 3));
  }
}

void find_ticks(Scale& scale, const PlotAxis& axis) {
  if (!axis.names.empty() && axis.ticks.empty()) {  // half a place is left on both sides
    scale.low = -0.5;
    scale.high = static_cast<double>(axis.names.size()) - 0.5;
    scale.names = axis.names;
    for (std::size_t i = 0; i < axis.names.size(); ++i)
      scale.ticks.push_back(static_cast<double>(i));
  } else if (!axis.ticks.empty()) {
    scale.ticks = axis.ticks;
    scale.names = axis.names;
    for (std::size_t i = scale.names.size(); i < axis.ticks.size(); ++i)
      scale.names.push_back(significant(axis.ticks[i], 6));
    if (!(scale.high > scale.low)) scale.high = scale.logarithmic ? 2 * scale.low : scale.low + 1;
  } else if (scale.logarithmic) {
    logarithmic_ticks(scale);
  } else {
    linear_ticks(scale);
  }
}

Scale scale_of(const PlotAxis& axis, Range range) {
  Scale scale{.low = axis.from.value_or(range.low),
              .high = axis.to.value_or(range.high),
              .logarithmic = axis.logarithmic};
  if (!std::isfinite(scale.low)) scale.low = axis.logarithmic ? 1 : 0;
  if (!std::isfinite(scale.high)) scale.high = scale.low + 1;
  find_ticks(scale, axis);
  return scale;
}

}  // namespace

double Scale::clamped(double value) const { return std::clamp(value, low, high); }

double Scale::share(double value) const {
  if (!logarithmic) return (value - low) / (high - low);
  return (std::log(value) - std::log(low)) / (std::log(high) - std::log(low));
}

Scale at_scale(const Plot& plot) {
  Range range;
  for (const double tick : plot.at.ticks) range.hold(tick, plot.at.logarithmic);
  for (const PlotSeries& series : plot.series) {
    for (const PlotMark& mark : series.marks) range.hold(mark.at, plot.at.logarithmic);
  }
  return scale_of(plot.at, range);
}

Scale value_scale(const Plot& plot) {
  Range range;
  for (const double guide : plot.guides) range.hold(guide, plot.value.logarithmic);
  for (const PlotSeries& series : plot.series) {
    for (const PlotMark& mark : series.marks) {
      for (const auto& value : {mark.value, mark.low, mark.high})
        range.hold(value, plot.value.logarithmic);
    }
  }
  return scale_of(plot.value, range);
}

}  // namespace scalemark::reporting
