#include <gtest/gtest.h>

#include <torch/csrc/distributed/c10d/HashStore.hpp>

#include "engine/distributed/heartbeat.h"

namespace scalemark::distributed {
namespace {

Position at(std::uint64_t collectives, const char* group = "point") {
  return {.group = group, .collectives = collectives, .phase = "window", .step = 12};
}

TEST(Positions, ArriveAsTheyWereReported) {
  const auto store = c10::make_intrusive<c10d::HashStore>();
  post_position(store, 1, at(56));
  post_position(store, 1, at(57));
  post_position(store, 2, {.phase = "data"});
  c10d::Store& any = *store;
  any.set("position/0", std::string("of another version"));
  const auto positions = posted_positions(store, {0, 1, 2});
  ASSERT_EQ(positions.size(), 2U);
  EXPECT_EQ(positions.at(1).collectives, 57U);
  EXPECT_EQ(positions.at(1).step, 12);
  EXPECT_EQ(positions.at(2).phase, "data");
  EXPECT_FALSE(positions.at(2).step);
}

TEST(WhoIsMissing, NamesTheRankThatHasBegunFewerCollectives) {
  EXPECT_EQ(who_is_missing({{0, at(57)}, {1, at(56)}, {2, at(57)}}, {0, 1, 2}, "point"),
            "rank 1 has not reached collective 57 (it has begun 56; phase window, step 12)");
}

// Along a tree the leaves send and go on, and those in between wait for the late one with rank 0.
TEST(WhoIsMissing, LeavesOutThoseThatWaitForIt) {
  EXPECT_EQ(who_is_missing({{0, at(57)}, {1, at(58)}, {2, at(56)}, {3, at(57)}, {4, at(58)}},
                           {0, 1, 2, 3, 4}, "point"),
            "rank 2 has not reached collective 57 (it has begun 56; phase window, step 12)");
}

TEST(WhoIsMissing, NamesThoseThatAreElsewhereOrHaveReportedNothing) {
  EXPECT_EQ(who_is_missing({{0, at(57)}, {2, at(90, "other")}}, {0, 1, 2}, "point"),
            "ranks 1 and 2 have not reached collective 57 (rank 1: it has published no position; "
            "rank 2: it "
            "is not in the group; phase window, step 12)");
}

TEST(WhoIsMissing, SaysWhenAllHaveCome) {
  EXPECT_EQ(who_is_missing({{0, at(57)}, {1, at(57)}}, {0, 1}, "point"),
            "every rank has reached collective 57: its backend makes no progress");
}

TEST(WhoIsMissing, IsSilentWithoutCollectives) {
  EXPECT_EQ(who_is_missing({{0, at(57)}}, {0}, "point"), "");
  EXPECT_EQ(who_is_missing({{0, at(0)}, {1, at(0)}}, {0, 1}, "point"), "");
}

}  // namespace
}  // namespace scalemark::distributed
