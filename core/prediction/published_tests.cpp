#include "core/prediction/published_tests.h"

#include <algorithm>
#include <cmath>

namespace scalemark::prediction {

std::span<const PublishedTest> published_tests() {
  static constexpr PublishedTest kTests[] = {
#include "core/prediction/published_tests.inc"
  };
  return kTests;
}

int doublings_class(double doublings) {
  return std::max(0, static_cast<int>(std::ceil(doublings - 1e-9)));
}

const PublishedTest* test_of(std::span<const PublishedTest> tests, const Reach& reach) {
  const auto found = std::find_if(tests.begin(), tests.end(), [&](const PublishedTest& test) {
    return test.new_link_level == reach.new_link_level &&
           test.doublings == doublings_class(reach.doublings) &&
           reach.world_size <= test.largest_world_size;
  });
  return found == tests.end() ? nullptr : &*found;
}

Predictor better_predictor(const PublishedTest& test) {
  return test.difference_high < 0 ? Predictor::kModel : Predictor::kRule;
}

}  // namespace scalemark::prediction
