#include "core/statistics/prediction/forecast.h"

#include <algorithm>
#include <cmath>

#include "core/base/error.h"

namespace scalemark::prediction {
namespace {

void refuse_nonsense(MeasuredPoints measured, int world_size) {
  if (measured.size() < kFewestPoints) throw bug("a prediction from too few points");
  int last = 0;
  for (const MeasuredPoint& point : measured) {
    if (point.world_size <= last) throw bug("points of a prediction are not ascending");
    if (!(point.samples_per_sec > 0)) throw bug("a rate of a prediction is not positive");
    if (point.world_size == world_size) throw bug("a world size to predict was measured");
    last = point.world_size;
  }
}

double per_rank(const MeasuredPoint& point) { return point.samples_per_sec / point.world_size; }

double by_rule(const MeasuredPoint& last, int world_size) {
  const double growth = static_cast<double>(world_size) / last.world_size;
  return last.samples_per_sec * growth * std::pow(1 - kLossPerDoubling, std::log2(growth));
}

double on_a_line(const MeasuredPoint& below, const MeasuredPoint& above, int world_size) {
  const auto times = [&](int ranks) {
    return std::log(static_cast<double>(ranks) / below.world_size);
  };
  const double way = times(world_size) / times(above.world_size);
  return world_size * (per_rank(below) + way * (per_rank(above) - per_rank(below)));
}

}  // namespace

Reach reach_of(MeasuredPoints measured, int world_size, int nodes) {
  bool within_a_node = false, between_nodes = false;
  for (const MeasuredPoint& point : measured) {
    within_a_node |= point.world_size > point.nodes;
    between_nodes |= point.nodes > 1;
  }
  const int largest = measured.back().world_size;
  return {.new_link_level = (nodes > 1 && !between_nodes) || (world_size > nodes && !within_a_node),
          .doublings = std::log2(static_cast<double>(world_size) / largest),
          .world_size = world_size};
}

std::span<const PublishedTest> published_tests() {
  static constexpr PublishedTest kTests[] = {
#include "core/statistics/prediction/published_tests.inc"
  };
  return kTests;
}

int doublings_class(double doublings) {
  return std::max(0, static_cast<int>(std::ceil(doublings - 1e-9)));
}

const PublishedTest* test_of(std::span<const PublishedTest> tests, const Reach& reach) {
  const auto found = std::ranges::find_if(tests, [&](const PublishedTest& test) {
    return test.new_link_level == reach.new_link_level &&
           test.doublings == doublings_class(reach.doublings) &&
           reach.world_size <= test.largest_world_size;
  });
  return found == tests.end() ? nullptr : &*found;
}

std::optional<Forecast> forecast(MeasuredPoints measured, int world_size, int nodes,
                                 std::span<const PublishedTest> tests) {
  refuse_nonsense(measured, world_size);
  const auto above = std::ranges::upper_bound(measured, world_size, {}, &MeasuredPoint::world_size);
  if (above == measured.begin()) return std::nullopt;
  const Reach reach = reach_of(measured, world_size, nodes);
  Forecast made{
      .world_size = world_size, .nodes = nodes, .test = {}, .assumed_link = reach.new_link_level};
  if (above != measured.end()) {
    made.predictor = Predictor::kInterpolation;
    made.samples_per_sec = on_a_line(above[-1], *above, world_size);
    return made;
  }
  const MeasuredPoint& last = measured.back();
  made.samples_per_sec = by_rule(last, world_size);
  made.indicative = world_size > static_cast<double>(kIndicativeBeyond) * last.world_size;
  if (const PublishedTest* test = test_of(tests, reach)) made.test = *test;
  return made;
}

std::optional<double> miss_of_the_largest(MeasuredPoints measured) {
  if (measured.size() < kFewestPoints + 1) return std::nullopt;
  const MeasuredPoint& largest = measured.back();
  return by_rule(measured[measured.size() - 2], largest.world_size) / largest.samples_per_sec - 1;
}

}  // namespace scalemark::prediction
