#include <gtest/gtest.h>

#include <algorithm>

#include "core/plan/presets.h"
#include "tests/core/plan/plans.h"

namespace scalemark::planning {
namespace {

// Linear(1000, 10): 10,010 parameters of 4 bytes.
TEST(Exchange, OfTheWidestPointThatExchanges) {
  const Plan made = plan({{"workload", "linear"}, {"world_sizes", "1,2"}}, {0, 0});
  const PlannedExchange exchange = exchange_of(made);
  EXPECT_EQ(exchange.reason, "");
  EXPECT_EQ(exchange.backend, "gloo");
  EXPECT_EQ(exchange.bytes, 40'040);
}

TEST(Exchange, WithoutOneThereIsAReason) {
  EXPECT_EQ(exchange_of(plan({{"world_sizes", "1"}}, {0})).reason, "one rank has no peer");
  const Plan replicas = plan({{"strategy", "none"}, {"world_sizes", "2"}}, {0, 0});
  EXPECT_EQ(exchange_of(replicas).reason, "no point of the sweep exchanges gradients");
}

TEST(Threads, EachNumberOfThePointsOnce) {
  const Plan made = plan({{"threads", "2,1"}, {"world_sizes", "1"}}, {0}, {.cores = 4});
  EXPECT_EQ(threads_of(made), (std::vector{1, 2}));
}

TEST(Fingerprint, OfThoroughSweepsAndInItsShareOfTheirTime) {
  EXPECT_EQ(plan({{"thorough", "on"}}).fingerprint_s, 2);
  EXPECT_EQ(plan({{"thorough", "on"}, {"max_time", "10m"}}).fingerprint_s, 1);
  EXPECT_EQ(plan({}).fingerprint_s, 0);
  const Plan thorough = plan({{"thorough", "on"}});
  EXPECT_TRUE(std::ranges::any_of(thorough.notes, [](const std::string& note) {
    return note.find("2 s for each precision") != std::string::npos;
  }));
}

}  // namespace
}  // namespace scalemark::planning
