#include <gtest/gtest.h>

#include "core/live/rates.h"
#include "tests/core/live/made_run.h"

namespace scalemark::live {
namespace {

TEST(LiveRecent, RatesNeedTwoRecords) {
  Recent recent;
  EXPECT_FALSE(recent.newest());
  recent.add(made_status(2, 100));
  EXPECT_FALSE(recent.now(0).samples_per_s);
  recent.add(made_status(2, 110));
  EXPECT_EQ(recent.newest()->ranks[0].clock_s, 110);
  EXPECT_NEAR(recent.now(0).samples_per_s.value(), 160, 1e-9);
}

TEST(LiveRecent, OnlyNowMarks) {
  const TwoRecords records = [] {
    TwoRecords made(4);
    made.set_waits(2, 0);
    return made;
  }();
  Recent recent;
  recent.add(records.before);
  recent.add(records.now);
  EXPECT_EQ(recent.now(1).ranks[2].mark, "slowest");
  EXPECT_EQ(recent.rates(1).ranks[2].mark, "");
  EXPECT_EQ(recent.rates(1).samples_per_s, recent.now(1).samples_per_s);
}

// Who asks ten times a second must not push a minute of records out.
TEST(LiveRecent, RecordsInQuickSuccessionLeaveTheOldOnesThere) {
  Recent recent;
  for (int tenth = 0; tenth <= 300; ++tenth) recent.add(made_status(2, 100 + 0.1 * tenth));
  EXPECT_NEAR(recent.now(0).interval_s.value(), 10, 1.2);
  recent.add(made_status(2, 5));  // another process, whose clock begins anew
  EXPECT_FALSE(recent.now(0).interval_s);
  recent.add(made_status(2, 7));
  EXPECT_NEAR(recent.now(0).interval_s.value(), 2, 1e-9);
}

}  // namespace
}  // namespace scalemark::live
