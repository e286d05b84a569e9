#include "core/statistics/fastest.h"

#include <gtest/gtest.h>

#include "core/base/error.h"

namespace scalemark::statistics {
namespace {

using Points = std::vector<std::vector<double>>;
using Places = std::vector<std::size_t>;

TEST(FastestOf, NamesWhatMayBeAsFast) {
  const auto found = fastest_of(Points{{100, 101, 99, 100, 100.5},
                                       {104, 105, 103, 104, 104.5},
                                       {103.5, 104.5, 104, 103, 105},
                                       {80, 81, 79, 80, 80.5}});
  EXPECT_EQ(found.value().best, 1u);
  EXPECT_EQ(found->others, Places{2});
}

TEST(FastestOf, OneRunCannotBeToldApart) {
  EXPECT_EQ(fastest_of(Points{{100}, {50, 51, 49}, {99}}).value().others, (Places{2, 1}));
  EXPECT_EQ(fastest_of(Points{{100, 101, 99}, {50}, {}}).value().others, Places{1});
}

TEST(FastestOf, OfOneOrNone) {
  EXPECT_TRUE(fastest_of(Points{{}, {7}}).value().others.empty());
  EXPECT_EQ(fastest_of(Points{{}, {7}}).value().best, 1u);
  EXPECT_FALSE(fastest_of(Points{{}, {}}));
  EXPECT_THROW(fastest_of(Points{{0}}), Error);
}

// p = 0.0161 of one pair: enough for two points, not over the three pairs of three.
TEST(FastestOf, CountsAllPairs) {
  const std::vector<double> best{100, 101, 99, 100}, near{98, 97, 98.5, 98}, far{50, 51, 49, 50};
  EXPECT_TRUE(fastest_of(Points{best, near}).value().others.empty());
  const std::vector<double> nearer{98.5, 97.5, 99, 98};
  EXPECT_TRUE(fastest_of(Points{best, nearer}).value().others.empty());
  EXPECT_EQ(fastest_of(Points{best, nearer, nearer, nearer}).value().others, (Places{1, 2, 3}));
  EXPECT_TRUE(fastest_of(Points{best, nearer, far}).value().others.empty())
      << "what is told apart first leaves fewer pairs";
}

}  // namespace
}  // namespace scalemark::statistics
