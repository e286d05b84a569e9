// The loop over tasks, with ranks that are threads: what each rank sees, and how it ends, whatever
// comes in between.
#include "engine/process/task_loop.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <numeric>
#include <stdexcept>

#include "tests/engine/process/thread_ranks.h"

namespace scalemark::testing {
namespace {

using distributed::Stop;
using distributed::WorkMessage;
using process::RankLink;
using process::TaskLoop;
using std::chrono::milliseconds;
using Texts = std::vector<std::string>;

std::vector<int> all_of(int size) {
  std::vector<int> ranks(static_cast<std::size_t>(size));
  std::iota(ranks.begin(), ranks.end(), 0);
  return ranks;
}

// Every rank reports "RANK:TASK" on each task; rank 0 collects. What happens at which moment is
// the test's to say.
struct Course {
  Texts tasks{"a", "b", "c"};
  std::function<void(const std::string& task)> when_next = [](const auto&) {};  // rank 0 calls it
  std::function<void(int rank, const std::string& task)> when_taken = [](int, const auto&) {};
  milliseconds grace_period{10'000};
  // Filled in by the ranks, each by its own.
  std::vector<Texts> seen;
  Texts results;
  std::atomic<int> closed{0}, closed_stopped{0}, shown{0};
};

class Leader : public process::TaskLeader {
 public:
  Leader(TaskLoop& loop, Course& course) : loop_(loop), course_(course) {}

  std::optional<std::string> next() override {
    if (at_ == course_.tasks.size()) return std::nullopt;
    course_.when_next(course_.tasks[at_]);
    return course_.tasks[at_++];
  }
  std::optional<Stop> run(const WorkMessage& message) override {
    course_.when_taken(0, message.text);
    loop_.link().queue().report_result(message.number, "0:" + message.text, false);
    const auto results = loop_.collect(
        message.number, all_of(loop_.link().size()),
        [&](const auto&, milliseconds waited) { return waited < course_.grace_period; }, false);
    for (const auto& [rank, text] : results) course_.results.push_back(text);
    return std::nullopt;
  }
  ExitCode close() override {
    ++course_.closed;
    return ExitCode::kUnsure;
  }
  void show() override { ++course_.shown; }
  std::string close_stopped() override {
    ++course_.closed_stopped;
    return {};
  }
  void show_stopped() override {
    ++course_.shown;
    throw std::runtime_error(
        "no rendering could be written");  // the run's end does not depend on it
  }

 private:
  TaskLoop& loop_;
  Course& course_;
  std::size_t at_ = 0;
};

class Follower : public process::TaskFollower {
 public:
  Follower(RankLink& ranks, Course& course) : ranks_(ranks), course_(course) {}

  void take_part(const WorkMessage& message) override {
    course_.seen[static_cast<std::size_t>(ranks_.rank())].push_back(message.text);
    course_.when_taken(ranks_.rank(), message.text);
    ranks_.queue().report_result(message.number, std::to_string(ranks_.rank()) + ":" + message.text,
                                 false);
  }

 private:
  RankLink& ranks_;
  Course& course_;
};

ExitCode run_course(RankLink& ranks, Course& course) {
  TaskLoop loop(ranks);
  if (ranks.rank() == 0) {
    Leader leader(loop, course);
    return loop.lead(leader);
  }
  Follower follower(ranks, course);
  return loop.follow(follower);
}

void run(ThreadRanks& ranks, Course& course, int size) {
  course.seen.resize(static_cast<std::size_t>(size));
  ranks.run([&](RankLink& mine) { return run_course(mine, course); });
}

TEST(TaskLoop, EveryRankTakesEachTaskInOrderAndEndsAsRank0Does) {
  ThreadRanks ranks(3);
  Course course;
  run(ranks, course, 3);
  EXPECT_EQ(course.seen[1], course.tasks);
  EXPECT_EQ(course.seen[2], course.tasks);
  EXPECT_EQ(course.results, (Texts{"0:a", "1:a", "2:a", "0:b", "1:b", "2:b", "0:c", "1:c", "2:c"}));
  for (int rank = 0; rank < 3; ++rank) EXPECT_EQ(ranks.end(rank).code, ExitCode::kUnsure) << rank;
  EXPECT_EQ(course.closed, 1);
  EXPECT_EQ(course.shown, 1);
  EXPECT_EQ(course.closed_stopped, 0);
  EXPECT_EQ(ranks.phase(1), "wait");
}

TEST(TaskLoop, ARankAloneNeedsNobody) {
  ThreadRanks ranks(1);
  Course course;
  run(ranks, course, 1);
  EXPECT_EQ(course.results, (Texts{"0:a", "0:b", "0:c"}));
  EXPECT_EQ(ranks.end(0).code, ExitCode::kUnsure);
}

// The slow rank's result is counted before it can be read.
TEST(TaskLoop, AResultThatIsAnnouncedButNotYetWrittenIsWaitedFor) {
  ThreadRanks ranks(2);
  ranks.before_request([&](const Request& request) {
    const bool writes_result = request.verb == "set" && request.key.starts_with("task/vote/");
    if (request.rank == 1 && writes_result) ranks.clock().sleep_for(milliseconds(3'000));
  });
  Course course;
  run(ranks, course, 2);
  EXPECT_EQ(course.results, (Texts{"0:a", "1:a", "0:b", "1:b", "0:c", "1:c"}));
}

TEST(TaskLoop, AMemberThatIsNotWaitedForIsLeftOut) {
  ThreadRanks ranks(3);
  Course course;
  course.grace_period = milliseconds(5'000);
  course.when_taken = [&](int rank, const std::string& task) {
    if (rank == 2 && task == "b") ranks.clock().sleep_for(milliseconds(6'000));
  };
  run(ranks, course, 3);
  EXPECT_EQ(course.results, (Texts{"0:a", "1:a", "2:a", "0:b", "1:b", "0:c", "1:c", "2:c"}))
      << "a late result is none of the next task's";
  EXPECT_EQ(ranks.end(2).code, ExitCode::kUnsure);
}

TEST(TaskLoop, ASignalOfAnyIdleRankStopsAllBeforeTheNextTask) {
  for (const int receiver : {0, 1, 2}) {
    ThreadRanks ranks(3);
    Course course;
    course.when_taken = [&](int rank, const std::string& task) {
      if (rank == 1 && task == "b") ranks.send_signal(receiver, SIGTERM);
      // The others wait for this one: an idle rank passes its signal on meanwhile.
      if (rank == 1 && task == "b") ranks.clock().sleep_for(milliseconds(3'000));
    };
    course.when_next = [&](const std::string& task) {
      if (task == "c") ranks.clock().sleep_for(milliseconds(3'000));
    };
    run(ranks, course, 3);
    for (int rank = 0; rank < 3; ++rank) {
      EXPECT_EQ(ranks.end(rank).code, ExitCode::kPreempted) << receiver << " " << rank;
      ASSERT_TRUE(ranks.end(rank).stop) << receiver << " " << rank;
      EXPECT_EQ(ranks.end(rank).stop->signal, SIGTERM);
      EXPECT_TRUE(ranks.end(rank).stop->agreed);
    }
    EXPECT_EQ(course.seen[2], (Texts{"a", "b"})) << receiver;
    EXPECT_EQ(course.closed_stopped, 1);
    EXPECT_EQ(course.closed, 0);
    EXPECT_EQ(course.shown, 1);
  }
}

TEST(TaskLoop, ASignalWhileATaskIsChosenKeepsItFromBeingPosted) {
  ThreadRanks ranks(2);
  Course course;
  course.when_next = [&](const std::string& task) {
    if (task == "b") ranks.send_signal(0, SIGINT);
  };
  run(ranks, course, 2);
  EXPECT_EQ(course.seen[1], Texts{"a"});
  for (int rank = 0; rank < 2; ++rank) EXPECT_EQ(ranks.end(rank).code, ExitCode::kInterrupted);
}

TEST(TaskLoop, ASignalDuringTheLastTaskHasNothingLeftToStop) {
  ThreadRanks ranks(2);
  Course course;
  course.when_taken = [&](int rank, const std::string& task) {
    if (rank == 0 && task == "c") ranks.send_signal(0, SIGTERM);
  };
  run(ranks, course, 2);
  EXPECT_EQ(course.closed, 1) << "all tasks are done";
  EXPECT_EQ(course.closed_stopped, 0);
  for (int rank = 0; rank < 2; ++rank) EXPECT_EQ(ranks.end(rank).code, ExitCode::kUnsure);
}

TEST(TaskLoop, AStopThatAMemberCameToEndsAllAsItSays) {
  class Stopping : public Leader {
   public:
    using Leader::Leader;
    std::optional<Stop> run(const WorkMessage& message) override {
      Leader::run(message);
      if (message.text != "b") return std::nullopt;
      return Stop{.signal = SIGUSR1, .agreed = false};
    }
  };
  ThreadRanks ranks(2);
  Course course;
  course.seen.resize(2);
  ranks.run([&](RankLink& mine) {
    TaskLoop loop(mine);
    if (mine.rank() != 0) return run_course(mine, course);
    Stopping leader(loop, course);
    return loop.lead(leader);
  });
  EXPECT_EQ(course.seen[1], (Texts{"a", "b"}));
  for (int rank = 0; rank < 2; ++rank) {
    EXPECT_EQ(ranks.end(rank).code, ExitCode::kPreempted);
    EXPECT_FALSE(ranks.end(rank).stop->agreed);
  }
}

TEST(TaskLoop, WhatAFollowerThrowsEndsAllWithItsCode) {
  ThreadRanks ranks(3);
  Course course;
  course.when_taken = [&](int rank, const std::string& task) {
    if (rank == 2 && task == "b") throw io_error("the disk is full");
  };
  run(ranks, course, 3);
  for (int rank = 0; rank < 3; ++rank) EXPECT_EQ(ranks.end(rank).code, ExitCode::kIo) << rank;
  for (const int rank : {0, 1}) {
    EXPECT_NE(ranks.end(rank).error.what.find("rank 2"), std::string::npos)
        << ranks.end(rank).error.what;
  }
  EXPECT_EQ(course.closed + course.closed_stopped, 0) << "the report is the failure reporter's";
}

TEST(TaskLoop, WhatRank0ThrowsEndsTheFollowersWithItsCode) {
  ThreadRanks ranks(2);
  Course course;
  course.when_next = [&](const std::string& task) {
    if (task == "b") throw io_error("the disk is full");
  };
  run(ranks, course, 2);
  for (int rank = 0; rank < 2; ++rank) EXPECT_EQ(ranks.end(rank).code, ExitCode::kIo) << rank;
}

// Between each two requests that it makes while it takes part in a task.
TEST(TaskLoop, AKilledFollowerIsMissedWhereverItWasAndEndsTheOthers) {
  for (int requests = 0; requests < 4; ++requests) {
    ThreadRanks ranks(3);
    Course course;
    course.grace_period = milliseconds(60'000);
    std::atomic<bool> counting{false};
    std::atomic<int> left{requests};
    course.when_taken = [&](int rank, const std::string& task) {
      if (rank == 2 && task == "b") counting = true;
    };
    ranks.before_request([&](const Request& request) {
      const bool is_heartbeat = request.key.starts_with("task/heartbeat/");
      if (request.rank == 2 && counting && !is_heartbeat && left-- == 0) ranks.kill(2);
    });
    run(ranks, course, 3);
    EXPECT_TRUE(ranks.end(2).killed) << requests;
    EXPECT_EQ(ranks.end(0).code, ExitCode::kPeerLost) << requests;
    EXPECT_NE(ranks.end(0).error.what.find("rank 2"), std::string::npos) << ranks.end(0).error.what;
    EXPECT_EQ(ranks.end(1).code, ExitCode::kPeerLost) << requests;
  }
}

TEST(TaskLoop, FollowersOfAKilledRank0EndAtTheirNextCheckAndSayWhoIsGone) {
  ThreadRanks ranks(3);
  Course course;
  SimulatedClock::time_point killed;
  course.when_next = [&](const std::string& task) {
    if (task != "b") return;
    killed = ranks.clock().now();
    ranks.kill(0);
  };
  run(ranks, course, 3);
  for (const int rank : {1, 2}) {
    EXPECT_EQ(ranks.end(rank).code, ExitCode::kPeerLost) << rank;
    EXPECT_NE(ranks.end(rank).error.what.find("the store that rank 0 holds"), std::string::npos)
        << ranks.end(rank).error.what;
    EXPECT_LE(ranks.end(rank).at - killed, milliseconds(6'000)) << rank;
  }
}

TEST(TaskLoop, ARank0ThatWorksForLongIsNotLost) {
  ThreadRanks ranks(2);
  Course course;
  course.when_next = [&](const std::string& task) {
    if (task == "b") ranks.clock().sleep_for(std::chrono::minutes(10));
  };
  run(ranks, course, 2);
  EXPECT_EQ(course.seen[1], course.tasks);
  EXPECT_EQ(ranks.end(1).code, ExitCode::kUnsure);
}

// Its heartbeat stops, too: a stopped process, or a machine that is gone.
TEST(TaskLoop, ARank0WhosePulseStopsIsLostAfterTheTimeout) {
  ThreadRanks ranks(2);
  std::atomic<bool> stopped{false};
  ranks.before_request([&](const Request& request) {
    if (request.rank == 0 && stopped) ranks.clock().sleep_for(std::chrono::hours(1));
  });
  Course course;
  SimulatedClock::time_point begun;
  course.when_next = [&](const std::string& task) {
    if (task == "b") begun = ranks.clock().now();
    stopped = task == "b";
  };
  run(ranks, course, 2);
  EXPECT_EQ(ranks.end(1).code, ExitCode::kPeerLost);
  EXPECT_NE(ranks.end(1).error.what.find("rank 0 sends no heartbeat"), std::string::npos)
      << ranks.end(1).error.what;
  EXPECT_GE(ranks.end(1).at - begun, milliseconds(55'000)) << "the timeout of the ranks is 60 s";
  EXPECT_LE(ranks.end(1).at - begun, milliseconds(75'000));
}

class AskingLeader : public Leader {
 public:
  AskingLeader(TaskLoop& loop, Course& course, TaskLoop::Results& answers)
      : Leader(loop, course), loop_(loop), answers_(answers) {}
  void begin() override {
    answers_ = loop_.ask_all("how", [] { return std::string("well"); });
  }

 private:
  TaskLoop& loop_;
  TaskLoop::Results& answers_;
};

TaskLoop::Results ask(ThreadRanks& ranks, Course& course) {
  course.seen.resize(3);
  TaskLoop::Results answers;
  ranks.run([&](RankLink& mine) {
    TaskLoop loop(mine);
    if (mine.rank() != 0) return run_course(mine, course);
    AskingLeader leader(loop, course, answers);
    return loop.lead(leader);
  });
  return answers;
}

TEST(TaskLoop, AnswersOfAllAreAskedForOutsideTheTasks) {
  ThreadRanks ranks(3);
  Course course;
  EXPECT_EQ(ask(ranks, course), (TaskLoop::Results{{0, "well"}, {1, "1:how"}, {2, "2:how"}}));
  EXPECT_EQ(course.seen[2], (Texts{"how", "a", "b", "c"}));
}

TEST(TaskLoop, AnAnswerThatDoesNotComeInTimeIsLeftOut) {
  ThreadRanks ranks(3);
  Course course;
  course.when_taken = [&](int rank, const std::string& task) {
    if (rank == 1 && task == "how") ranks.clock().sleep_for(milliseconds(65'000));
  };
  EXPECT_EQ(ask(ranks, course), (TaskLoop::Results{{0, "well"}, {2, "2:how"}}));
}

// Rank 0 alone has it: the one that works must hear of it before it is done.
TEST(TaskLoop, ARankThatWaitsForResultsPassesItsSignalOn) {
  ThreadRanks ranks(3);
  Course course;
  std::atomic<bool> works{false}, heard{false};
  course.when_taken = [&](int rank, const std::string& task) {
    if (rank != 1 || task != "how") return;
    works = true;
    ranks.send_signal(0, SIGTERM);
    ranks.clock().sleep_for(milliseconds(5'000));
    works = false;
  };
  ranks.before_request([&](const Request& request) {
    if (request.rank == 0 && request.verb == "set" && request.key == "stop/request") {
      heard = heard || works;
    }
  });
  ask(ranks, course);
  EXPECT_TRUE(heard);
  EXPECT_EQ(ranks.end(1).code, ExitCode::kPreempted);
}

}  // namespace
}  // namespace scalemark::testing
