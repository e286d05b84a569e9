// Deadlines of phases and steps in simulated time; real processes that hang are in ending_test.cpp.
#include "engine/distributed/watchdog.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <atomic>
#include <optional>

#include "tests/engine/distributed/simulated_clock.h"

namespace scalemark::distributed {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::SimulatedClock;

// A rank's main thread and its watchdog; the end of the process is noted.
struct Watched {
  FindCause find_cause;
  std::string missing;
  SimulatedClock clock;
  std::atomic<int> stalls{0}, ends{0}, exit_code{0}, signal{0}, overdue{0}, overdue_signal{0};
  ErrorRecord final_error;

  void run(const std::function<void(Watchdog&)>& main_thread) {
    std::optional<SimulatedClock::Hold> hold(clock), over;
    Watchdog watchdog(
        [this](const ErrorRecord& record) { final_error = record; }, find_cause,
        {.on_stall = [this] { ++stalls; },
         .explain =
             [this](ErrorRecord& error) {
               if (!missing.empty()) error.what += "; " + missing;
             },
         .received = [this] { return signal ? std::optional(+signal) : std::nullopt; },
         .on_overdue =
             [this](int of) {
               overdue_signal = of;
               ++overdue;
             },
         .exit =
             [this](int code) {
               exit_code = code;
               ++ends;
             }},
        clock);
    std::thread running = clock.start([&] {
      main_thread(watchdog);
      over.emplace(clock);  // else time would pass while the test checks
    });
    hold.reset();
    clock.join(running);
  }
};

TEST(Hang, EndsTheProcessAtTheDeadlineNamingPhaseAndStep) {
  Watched rank;
  rank.run([&](Watchdog& watchdog) {
    watchdog.set_phase("window", milliseconds(1500));
    watchdog.heartbeat(7);
    rank.clock.sleep_for(milliseconds(1499));
    EXPECT_EQ(rank.ends, 0);
    rank.clock.sleep_for(milliseconds(2));
    EXPECT_EQ(rank.ends, 1);
    rank.clock.sleep_for(seconds(10));
  });
  EXPECT_EQ(rank.ends, 1);
  EXPECT_EQ(rank.exit_code, 81);
  EXPECT_EQ(rank.final_error.code, "E_HANG");
  EXPECT_EQ(rank.final_error.phase, "window");
  EXPECT_EQ(rank.final_error.step, 7);
  EXPECT_EQ(rank.final_error.what, "no progress for 1.5 s");
  EXPECT_NE(rank.final_error.hint.find("--timeout window=SECONDS"), std::string::npos);
}

TEST(Hang, EachStepHasTheWholeDeadlineAndNoPhaseHasNone) {
  Watched rank;
  rank.run([&](Watchdog& watchdog) {
    rank.clock.sleep_for(seconds(100));
    watchdog.set_phase("window", seconds(1));
    for (int step = 0; step < 8; ++step) {
      watchdog.heartbeat(step);
      rank.clock.sleep_for(milliseconds(999));
    }
    watchdog.clear_phase();
    rank.clock.sleep_for(seconds(100));
  });
  EXPECT_EQ(rank.ends, 0);
}

TEST(Hang, APhaseThatBeginsHasItsOwnDeadlineAndNoStep) {
  Watched rank;
  rank.run([&](Watchdog& watchdog) {
    watchdog.set_phase("data", seconds(1000));
    watchdog.heartbeat(3);
    rank.clock.sleep_for(milliseconds(100));
    watchdog.set_phase("preflight", seconds(1));
    rank.clock.sleep_for(milliseconds(1001));
    EXPECT_EQ(rank.ends, 1);
  });
  EXPECT_EQ(rank.final_error.phase, "preflight");
  EXPECT_FALSE(rank.final_error.step);
}

TEST(Hang, TimeInWhichTheProcessWasStoppedDoesNotCount) {
  Watched rank;
  rank.run([&](Watchdog& watchdog) {
    watchdog.set_phase("window", seconds(3));
    watchdog.heartbeat(0);
    rank.clock.sleep_for(milliseconds(1500));
    rank.clock.skip(seconds(3600));
    rank.clock.sleep_for(milliseconds(900));
    EXPECT_EQ(rank.ends, 0) << "it ran for 2.4 s";
    rank.clock.sleep_for(seconds(2));
    EXPECT_EQ(rank.ends, 1);
  });
}

TEST(Hang, IsReportedOnceWhenHalfOfADeadlineIsOver) {
  Watched rank;
  rank.run([&](Watchdog& watchdog) {
    watchdog.set_phase("window", seconds(20));
    watchdog.heartbeat(0);
    rank.clock.sleep_for(milliseconds(9'999));
    EXPECT_EQ(rank.stalls, 0);
    rank.clock.sleep_for(milliseconds(2));
    EXPECT_EQ(rank.stalls, 1);
    rank.clock.sleep_for(seconds(9));
    EXPECT_EQ(rank.stalls, 1);
    watchdog.heartbeat(1);
    rank.clock.sleep_for(seconds(11));
    EXPECT_EQ(rank.stalls, 2) << "the next step hangs as well";
  });
  EXPECT_EQ(rank.ends, 0);
}

TEST(Hang, EndsWithTheCauseThatAPeerHasPosted) {
  Watched rank;
  rank.missing = "rank 1 is missing";
  rank.find_cause = [] {
    return ErrorRecord{
        .code = "E_OUT_OF_MEMORY", .exit_code = ExitCode::kOutOfMemory, .what = "rank 1 ended"};
  };
  rank.run([&](Watchdog& watchdog) {
    watchdog.set_phase("window", seconds(1));
    watchdog.heartbeat(5);
    rank.clock.sleep_for(seconds(2));
  });
  EXPECT_EQ(rank.exit_code, 80);
  EXPECT_EQ(rank.final_error.what, "rank 1 ended");
  EXPECT_EQ(rank.final_error.phase, "window") << "where this rank was";
  EXPECT_EQ(rank.final_error.step, 5);
}

TEST(Hang, WithoutACauseNamesTheRanksThatAreMissing) {
  Watched rank;
  rank.missing = "rank 1 is missing";
  rank.run([&](Watchdog& watchdog) {
    watchdog.set_phase("window", seconds(1));
    rank.clock.sleep_for(seconds(2));
  });
  EXPECT_EQ(rank.exit_code, 81);
  EXPECT_EQ(rank.final_error.what, "no progress for 1 s; rank 1 is missing");
}

// The process ends 9 s after the signal, so that at least 2 s are left for the report.
TEST(Overdue, IsTheRankThatContinuesForSixSecondsAfterItsSignal) {
  Watched rank;
  rank.run([&](Watchdog& watchdog) {
    watchdog.set_phase("window", seconds(300));
    rank.clock.sleep_for(seconds(20));
    rank.signal = SIGTERM;
    rank.clock.sleep_for(milliseconds(5'999));
    EXPECT_EQ(rank.overdue, 0);
    watchdog.set_phase("report", seconds(300));
    rank.clock.sleep_for(milliseconds(1'002));
    EXPECT_EQ(rank.overdue, 1);
    rank.clock.sleep_for(seconds(20));
  });
  EXPECT_EQ(rank.overdue, 1);
  EXPECT_EQ(rank.overdue_signal, SIGTERM);
  EXPECT_EQ(rank.ends, 0) << "that is its hook's";
}

TEST(Overdue, IsNoRankThatEndsInTimeNorOneThatWasStopped) {
  Watched rank;
  rank.run([&](Watchdog& watchdog) {
    watchdog.set_phase("window", seconds(300));
    rank.clock.sleep_for(seconds(20));
    rank.signal = SIGTERM;
    rank.clock.sleep_for(milliseconds(2'500));
    rank.clock.skip(seconds(3600));
    rank.clock.sleep_for(milliseconds(500));
    EXPECT_EQ(rank.overdue, 0) << "it ran for 3 s";
    watchdog.clear_phase();
    rank.clock.sleep_for(seconds(20));
  });
  EXPECT_EQ(rank.overdue, 0);
}

}  // namespace
}  // namespace scalemark::distributed
