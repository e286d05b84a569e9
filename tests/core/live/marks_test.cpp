#include "core/live/marks.h"

#include <gtest/gtest.h>

#include "tests/core/live/made_run.h"

namespace scalemark::live {
namespace {

// "1 slowest: others wait 20 %", a line for each rank that is marked.
std::string marks(const RunNow& run) {
  std::string text;
  for (const RankNow& rank : run.ranks) {
    if (rank.mark.empty()) continue;
    text += (text.empty() ? "" : "\n") + std::to_string(rank.rank) + " " + rank.mark + ": " +
            rank.reason;
  }
  return text;
}

TEST(Marks, AHealthyRunHasNone) {
  for (const int ranks : {1, 2, 4, 64}) EXPECT_EQ(marks(TwoRecords(ranks).view()), "") << ranks;
  TwoRecords uneven(4);
  uneven.set_waits(1, 0.27);
  uneven.set_waits(3, 0.26);
  EXPECT_EQ(marks(uneven.view()), "");
}

TEST(Marks, TheOneThatTheOthersWaitForIsTheSlowest) {
  for (const int ranks : {2, 3, 4, 64}) {
    TwoRecords two(ranks);
    two.set_waits(1, 0.1);
    EXPECT_EQ(marks(two.view()), "1 slowest: others wait 20 %") << ranks;
  }
  TwoRecords pair(4);
  pair.set_waits(0, 0.1);
  pair.set_waits(2, 0.12);
  EXPECT_EQ(marks(pair.view()), "0 slowest: others wait 20 %\n2 slowest: others wait 18 %");
}

TEST(Marks, OneThatIsFasterThanAllOthersIsNotWrong) {
  TwoRecords two(4);
  two.set_waits(2, 0.6);
  EXPECT_EQ(marks(two.view()), "");
}

TEST(Marks, FewStepsCannotTell) {
  TwoRecords two(2);
  two.set_waits(1, 0.1);
  for (RankStatus& rank : two.now.ranks) rank.step = *two.before.ranks[0].step + 2;
  EXPECT_EQ(marks(two.view()), "");  // a wait of 30 % of a step may be cut at either end
}

TEST(Marks, TheCauseIsNamedWhereItIsKnown) {
  TwoRecords data(4);
  data.set_waits(1, 0.1);
  data.now.ranks[1].data_wait_s += 2;
  *data.now.ranks[1].main_ran_s -= 2;
  EXPECT_EQ(marks(data.view()), "1 slowest: others wait 20 %: loads data");
  TwoRecords queued(4);
  queued.set_waits(1, 0.1);
  *queued.now.ranks[1].main_queued_s += 2;
  *queued.now.ranks[1].main_ran_s -= 2;
  EXPECT_EQ(marks(queued.view()), "1 slowest: others wait 20 %: lacks a CPU");
  TwoRecords stopped(4);
  stopped.set_waits(1, 0.1);
  stopped.now.ranks[1].late_wakeups = 20;
  EXPECT_EQ(marks(stopped.view()), "1 slowest: others wait 20 %: is stopped");
}

TEST(Marks, OneThatIsStoppedWithinItsExchangesIsWokenLate) {
  TwoRecords two(4);
  two.now.ranks[2].late_wakeups = 15;
  EXPECT_EQ(marks(two.view()), "2 slowest: stopped now and then");
  for (RankStatus& rank : two.now.ranks) rank.late_wakeups = 10 + rank.rank;  // a busy machine
  EXPECT_EQ(marks(two.view()), "");
}

TEST(Marks, OneWithoutASignOfLifeIsSilent) {
  TwoRecords two(4);
  two.now.ranks[3].silent_s = 12;
  EXPECT_EQ(marks(two.view()), "3 silent: no sign of life for 12 s");
  for (RankStatus& rank : two.now.ranks) rank.silent_s = 12;  // the store is slow
  EXPECT_EQ(marks(two.view()), "");
  two = TwoRecords(4);
  two.now.ranks[3].silent_s = 4;  // beats come each 1 to 2.5 s
  EXPECT_EQ(marks(two.view()), "");
}

TEST(Marks, AnOldStatusIsRankZeros) {
  const TwoRecords two(4);
  EXPECT_EQ(marks(two.view(34)), "0 silent: no sign of life for 34 s");
}

// All ranks stand still; rank 2 has not begun the exchange that the others wait in.
TwoRecords hung_run() {
  TwoRecords two(4);
  for (RankStatus& rank : two.now.ranks) {
    rank.since_step_s = 9;
    rank.collectives = 3003;
  }
  two.now.ranks[2].collectives = 3001;
  return two;
}

TEST(Marks, OneThatHasNotBegunWhatTheOthersWaitInIsBehind) {
  TwoRecords two = hung_run();
  EXPECT_EQ(marks(two.view()), "2 behind: behind: 3001 of 3003 exchanges");
  RunNow alone = rates_of(nullptr, two.now, 1);
  mark_ranks(nullptr, two.now, alone);
  EXPECT_EQ(marks(alone), "");  // 9 s may be a step
  for (RankStatus& rank : two.now.ranks) rank.since_step_s = 25;
  mark_ranks(nullptr, two.now, alone);
  EXPECT_EQ(marks(alone), "2 behind: behind: 3001 of 3003 exchanges");
  two.now.ranks[0].collectives = 3002;  // it waits for rank 2, and the others do not
  EXPECT_EQ(marks(two.view()), "2 behind: behind: 3001 of 3003 exchanges");
  two.now.ranks[0].collectives = 3003;
  two.now.ranks[2].collectives = 3003;  // the network stands
  EXPECT_EQ(marks(two.view()), "");
}

TEST(Marks, ASilentRankExplainsThatTheOthersStandStill) {
  TwoRecords two = hung_run();
  two.now.ranks[1].silent_s = 9;
  EXPECT_EQ(marks(two.view()), "1 silent: no sign of life for 9 s");
}

TEST(Marks, CountsOfRanksThatContinueAreReadAtDifferentTimes) {
  TwoRecords two(4);
  two.now.ranks[2].collectives -= 40;
  EXPECT_EQ(marks(two.view()), "");
}

TEST(Marks, OneWhoseLastStepIsLongOverIsBehind) {
  TwoRecords two(4);
  two.now.ranks[2].since_step_s = 40;
  EXPECT_EQ(marks(two.view()), "2 behind: last step 40 s ago");
}

TEST(Marks, OneThatStaysInAnEarlierPhaseIsBehind) {
  TwoRecords two(4);
  two.before.ranks[3].phase = two.now.ranks[3].phase = "data";
  EXPECT_EQ(marks(two.view()), "3 behind: still in phase data");
  two.before.ranks[3].phase = "rendezvous";  // it is on its way
  EXPECT_EQ(marks(two.view()), "");
  two.before.ranks[3].phase = two.now.ranks[3].phase = "wait";  // it has no part in this point
  EXPECT_EQ(marks(two.view()), "");
}

TwoRecords on_gpus() {
  TwoRecords two(4);
  for (RankStatus& rank : two.now.ranks)
    rank.gpu = GpuStatus{.sm_clock_MHz = 1755, .held_down_by = {"power_cap"}};
  return two;
}

TEST(Marks, OnGpusOneMayLackDataOrHaveItsClockHeldDown) {
  TwoRecords two = on_gpus();
  EXPECT_EQ(marks(two.view()), "");
  two.now.ranks[1].data_wait_s += 4;
  EXPECT_EQ(marks(two.view()), "1 slowest: waits for data 41 %");
  two = on_gpus();
  two.now.ranks[2].gpu = GpuStatus{.sm_clock_MHz = 1170, .held_down_by = {"hw_thermal_slowdown"}};
  EXPECT_EQ(marks(two.view()), "2 slowest: clock 33 % lower: hw_thermal_slowdown");
}

TEST(Marks, ARunThatHasEndedHasNone) {
  TwoRecords two = hung_run();
  two.now.state = "failed";
  EXPECT_EQ(marks(two.view(500)), "");
}

}  // namespace
}  // namespace scalemark::live
