// Ranks that are asked to stop, as threads: all stop before the same step, whoever is ahead.
#include "engine/distributed/stop_agreement.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <atomic>

#include "tests/engine/process/thread_ranks.h"

namespace scalemark::testing {
namespace {

using distributed::Stop;
using distributed::StopAgreement;
using process::RankLink;
using std::chrono::milliseconds;

struct Loop {
  std::vector<milliseconds> step;  // durations, one per rank
  std::int64_t most = 1'000'000;
  std::function<void(int rank, std::int64_t step)> before_step = [](int, std::int64_t) {};
  std::vector<std::int64_t> steps;  // each rank ran so many
  std::vector<std::optional<Stop>> stop;
  std::function<void()> on_overdue = [] {};
  std::atomic<int> overdue{0};
};

void run(ThreadRanks& ranks, Loop& loop) {
  loop.steps.resize(loop.step.size());
  loop.stop.resize(loop.step.size());
  ranks.run([&](RankLink& mine) {
    const auto rank = static_cast<std::size_t>(mine.rank());
    StopAgreement agreement(mine.store().clone(), "loop", mine.rank(), mine.size(),
                            {.on_overdue =
                                 [&](int) {
                                   ++loop.overdue;
                                   loop.on_overdue();
                                 },
                             .received = [&] { return mine.received_signal(); },
                             .clock = ranks.clock()});
    std::int64_t step = 0;
    for (; step < loop.most && agreement.may_begin(step); ++step) {
      loop.before_step(mine.rank(), step);
      if (ranks.is_killed(mine.rank())) break;
      ranks.clock().sleep_for(loop.step[rank]);
    }
    loop.steps[rank] = step;
    loop.stop[rank] = agreement.stop();
    return ExitCode::kPass;
  });
}

TEST(StopAgreement, RanksStopBeforeTheSameStepWhoeverIsAsked) {
  for (const int receiver : {0, 1, 2}) {
    ThreadRanks ranks(3);
    Loop loop{.step = {milliseconds(70), milliseconds(100), milliseconds(90)}};
    loop.before_step = [&](int rank, std::int64_t step) {
      if (rank == receiver && step == 20) ranks.send_signal(receiver, SIGTERM);
    };
    run(ranks, loop);
    EXPECT_GE(loop.steps[0], 20) << receiver;
    EXPECT_LT(loop.steps[0], 40) << receiver;
    for (const std::size_t rank : {0, 1, 2}) {
      EXPECT_EQ(loop.steps[rank], loop.steps[0]) << receiver;
      ASSERT_TRUE(loop.stop[rank]);
      EXPECT_EQ(loop.stop[rank]->signal, SIGTERM);
      EXPECT_TRUE(loop.stop[rank]->agreed);
    }
    EXPECT_EQ(loop.overdue, 0);
  }
}

// A rank that is far ahead has begun a step that the others can still reach.
TEST(StopAgreement, TheLargestPromiseCounts) {
  ThreadRanks ranks(2);
  Loop loop{.step = {milliseconds(1'000), milliseconds(100)}};
  loop.before_step = [&](int rank, std::int64_t step) {
    if (rank == 1 && step == 12) ranks.send_signal(1, SIGINT);
  };
  run(ranks, loop);
  EXPECT_GE(loop.steps[1], 13);
  EXPECT_EQ(loop.steps[0], loop.steps[1]);
}

TEST(StopAgreement, NobodyStopsUnasked) {
  ThreadRanks ranks(2);
  Loop loop{.step = {milliseconds(500), milliseconds(500)}, .most = 30};
  run(ranks, loop);
  EXPECT_EQ(loop.steps, (std::vector<std::int64_t>{30, 30}));
  EXPECT_FALSE(loop.stop[0] || loop.stop[1]);
}

// It has left the loop: the others may not wait for its promise.
TEST(StopAgreement, ARankThatHasFinishedTheLoopPromisesAllOfIt) {
  ThreadRanks ranks(2);
  Loop loop{.step = {milliseconds(10), milliseconds(200)}, .most = 10};
  loop.before_step = [&](int rank, std::int64_t step) {
    if (rank == 1 && step == 5) ranks.send_signal(1, SIGTERM);
  };
  run(ranks, loop);
  EXPECT_EQ(loop.steps, (std::vector<std::int64_t>{10, 10}));
}

TEST(StopAgreement, WithoutAnAnswerARankStopsWhereItIs) {
  ThreadRanks ranks(2);
  Loop loop{.step = {milliseconds(100), milliseconds(100)}};
  loop.before_step = [&](int rank, std::int64_t step) {
    if (rank == 1 && step == 10) ranks.kill(1);
    if (rank == 0 && step == 12) ranks.send_signal(0, SIGTERM);
  };
  run(ranks, loop);
  ASSERT_TRUE(loop.stop[0]);
  EXPECT_FALSE(loop.stop[0]->agreed);
  EXPECT_LT(loop.steps[0], 20);
}

// The main thread hangs in a step: the side thread writes what there is, well before the 9 s after
// which the process ends whatever it does.
TEST(StopAgreement, ARankThatDoesNotComeToItsStopIsOverdueInTime) {
  for (const int size : {2, 8}) {
    ThreadRanks ranks(size);
    Loop loop{.step = std::vector<milliseconds>(static_cast<std::size_t>(size), milliseconds(100))};
    SimulatedClock::time_point asked, overdue;
    loop.on_overdue = [&] { overdue = ranks.clock().now(); };
    loop.before_step = [&](int rank, std::int64_t step) {
      if (step != 10) return;
      if (rank == 0) {
        asked = ranks.clock().now();
        ranks.send_signal(0, SIGTERM);
      }
      if (rank == 1) ranks.clock().sleep_for(milliseconds(8'000));
    };
    run(ranks, loop);
    EXPECT_EQ(loop.overdue, 1) << size;
    EXPECT_GE(overdue - asked, milliseconds(6'000));
    EXPECT_LE(overdue - asked, milliseconds(7'000)) << "2 s are left for the report";
  }
}

// The mirror of ARankThatHasFinishedTheLoop: rank 0 has not, and waits for the promise.
TEST(StopAgreement, RankZeroGetsThePromiseOfARankThatHasFinished) {
  ThreadRanks ranks(2);
  Loop loop{.step = {milliseconds(200), milliseconds(10)}, .most = 10};
  loop.before_step = [&](int rank, std::int64_t step) {
    if (rank == 0 && step == 5) ranks.send_signal(0, SIGTERM);
  };
  run(ranks, loop);
  EXPECT_EQ(loop.steps, (std::vector<std::int64_t>{10, 10}));
}

// Two threads may take the two signals, in either order.
TEST(InterruptHandlers, AnAlarmThatWasIgnoredEndsNoStop) {
  struct sigaction ignoring {
  }, before{};
  ignoring.sa_handler = SIG_IGN;
  sigaction(SIGALRM, &ignoring, &before);
  {
    const distributed::InterruptHandlers handlers(60);
    raise(SIGUSR1);
    raise(SIGALRM);
    EXPECT_EQ(distributed::received_signal(), SIGUSR1);
  }
  sigaction(SIGALRM, &before, nullptr);
}

}  // namespace
}  // namespace scalemark::testing
