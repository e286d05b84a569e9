#include "data/images/resize_filter.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace scalemark::data {
namespace {

double triangle(double x) { return std::max(0.0, 1.0 - std::abs(x)); }

// Weights of neighbouring pixels or samples.
struct Weights {
  int first = 0;
  std::vector<double> of;
};

int sample_beside(int pixel, const LineSamples& line) {
  const int neighbour = pixel / 2 + (pixel % 2 == 0 ? -1 : 1);
  return std::clamp(neighbour, 0, line.samples - 1);
}

// Adds up the weights of the pixels that a sample stands for.
void fold(const Weights& pixels, const LineSamples& line, Weights& samples) {
  const int last = pixels.first + static_cast<int>(pixels.of.size()) - 1;
  const auto own = [&](int pixel) { return std::min(pixel / line.each, line.samples - 1); };
  samples.first = line.smooth ? sample_beside(pixels.first, line) : own(pixels.first);
  samples.first = std::min(samples.first, own(pixels.first));
  const int end = 1 + std::max(own(last), line.smooth ? sample_beside(last, line) : 0);
  samples.of.assign(static_cast<std::size_t>(end - samples.first), 0.0);
  const auto at = [&](int sample) -> double& {
    return samples.of[static_cast<std::size_t>(sample - samples.first)];
  };
  for (int pixel = pixels.first; pixel <= last; ++pixel) {
    const double weight = pixels.of[static_cast<std::size_t>(pixel - pixels.first)];
    at(own(pixel)) += line.smooth ? 0.75 * weight : weight;
    if (line.smooth) at(sample_beside(pixel, line)) += 0.25 * weight;
  }
}

// Rounds the running sum rather than each weight, so that the weights sum to exactly one.
void append_normalised(const std::vector<double>& exact, std::vector<std::int16_t>& weights) {
  double sum = 0;
  for (const double w : exact) sum += w;
  double running = 0;
  int rounded = 0;
  for (const double w : exact) {
    running += w;
    const int next = static_cast<int>(running / sum * (1 << kernels::kResizeWeightBits) + 0.5);
    weights.push_back(static_cast<std::int16_t>(next - rounded));
    rounded = next;
  }
  if (exact.size() % 2 == 1) weights.push_back(0);
}

void append(const Weights& samples, LineFilter& filter) {
  filter.taps.push_back({.first = samples.first, .count = static_cast<int>(samples.of.size())});
  filter.first = std::min(filter.first, samples.first);
  filter.end = std::max(filter.end, samples.first + static_cast<int>(samples.of.size()));
  append_normalised(samples.of, filter.weights);
}

// The pointers are set last, when the vector no longer moves.
void point_at_weights(LineFilter& filter) {
  const std::int16_t* weights = filter.weights.data();
  for (kernels::ResizeTaps& taps : filter.taps) {
    taps.weights = weights;
    weights += (taps.count + 1) / 2 * 2;
  }
}

}  // namespace

void make_filter(const LineSamples& line, const LinePlan& plan, LineFilter& filter) {
  const double scale = plan.length / plan.full;
  const double filter_scale = std::max(scale, 1.0);
  const int lowest = std::max(0, static_cast<int>(std::floor(plan.low + 1e-9)));
  const int end = std::min(line.pixels, static_cast<int>(std::ceil(plan.low + plan.length - 1e-9)));
  const bool folded = line.each > 1;
  filter.taps.clear();
  filter.weights.clear();
  filter.first = line.samples;
  filter.end = 0;
  Weights pixels;
  Weights samples;
  for (int i = plan.begin; i < plan.begin + plan.count; ++i) {
    const double centre = plan.low + (i + 0.5) * scale;
    pixels.first = std::max(static_cast<int>(centre - filter_scale + 0.5), lowest);
    const int last = std::min(static_cast<int>(centre + filter_scale + 0.5), end);
    pixels.of.clear();
    for (int x = pixels.first; x < last; ++x) {
      pixels.of.push_back(triangle((x - centre + 0.5) / filter_scale));
    }
    if (folded) fold(pixels, line, samples);
    append(folded ? samples : pixels, filter);
  }
  point_at_weights(filter);
}

void rebase(LineFilter& filter, int origin) {
  for (kernels::ResizeTaps& taps : filter.taps) taps.first -= origin;
}

}  // namespace scalemark::data
