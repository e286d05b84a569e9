#include <gtest/gtest.h>
#include <signal.h>

#include <thread>

#include "tests/engine/distributed/ranks.h"

namespace scalemark::testing {
namespace {

using std::chrono::milliseconds;
constexpr milliseconds kEndingLimit{300000};

void expect_says(const Ended& rank, const std::string& text) {
  EXPECT_NE(rank.output.find(text), std::string::npos) << "no \"" << text << "\" in:\n"
                                                       << rank.output;
}

// How a rank ends whose peer never does.
Ended ended_within(Ranks& ranks, int rank, milliseconds limit) {
  const auto end = std::chrono::steady_clock::now() + limit;
  Ended ended;
  while (ended.exit_code == -1 && std::chrono::steady_clock::now() < end) {
    ended = ranks.wait(milliseconds(100))[static_cast<std::size_t>(rank)];
  }
  return ended;
}

TEST(Watchdog, AHangEndsEveryRankNamingPhaseAndStep) {
  Ranks ranks(scenario("hang", 2, free_address()));
  for (const Ended& rank : ranks.wait(kEndingLimit)) {
    EXPECT_EQ(rank.exit_code, 81) << rank.output;
    expect_says(rank, "E_HANG (exit 81) phase=window step=7: no progress for 1.5 s.");
  }
}

TEST(Watchdog, ARankWhoseStoreDoesNotAnswerHasLostItsPeer) {
  Ranks ranks(scenario("vanishing_host", 2, free_address()));
  const Ended survivor = ended_within(ranks, 1, kEndingLimit);
  EXPECT_EQ(survivor.exit_code, 69) << survivor.output;
  expect_says(survivor, "E_PEER_LOST (exit 69) phase=wait: the run's store does not answer");
}

TEST(Watchdog, APostedCauseWinsOverTheHang) {
  Ranks ranks(scenario("hang", 2, free_address(), {"post"}));
  const auto ended = ranks.wait(kEndingLimit);
  EXPECT_EQ(ended[0].exit_code, 80) << ended[0].output;
  expect_says(ended[0], "rank 1 ended: E_OUT_OF_MEMORY (exit 80) rank=1: asked for 9 GB");
  expect_says(ended[0], "phase=window step=7: rank 1 ended");
}

TEST(Terminate, AnExceptionInAForeignThreadStillSaysItsLine) {
  Ranks lost({{"throw_in_a_thread", "0", "1", "none",
               "[gloo/transport/tcp/pair.cc:534] Connection closed by peer [127.0.0.1]:999"}});
  const auto peer = lost.wait(kEndingLimit);
  EXPECT_EQ(peer[0].exit_code, 69) << peer[0].output;
  expect_says(peer[0], "E_PEER_LOST (exit 69)");

  Ranks odd({{"throw_in_a_thread", "0", "1", "none", "vector::_M_range_check"}});
  const auto bug = odd.wait(kEndingLimit);
  EXPECT_EQ(bug[0].exit_code, 70) << bug[0].output;
  expect_says(bug[0], "E_BUG (exit 70): vector::_M_range_check");
}

std::string steps_line(const Ended& rank) {
  const auto at = rank.output.find("steps ");
  return at == std::string::npos ? "none" : rank.output.substr(at, rank.output.find('\n', at) - at);
}

struct Interruption {
  const char* name;
  const char* kind;  // ranks in lock step, or each at its own speed
  int signal;
  int signalled;  // rank
  int exit_code;
};

class Interrupted : public ::testing::TestWithParam<Interruption> {};

// Who is asked and at which step: stop_agreement_test.cpp.
TEST_P(Interrupted, EveryRankRunsTheSameStepsAndEnds) {
  const Interruption& how = GetParam();
  Ranks ranks(scenario("interrupted", 3, free_address(), {how.kind, "5"}));
  for (int rank = 0; rank < 3; ++rank) {
    ASSERT_TRUE(ranks.wait_for_text(rank, "looping", kEndingLimit));
  }
  ranks.signal(how.signalled, how.signal);
  const auto ended = ranks.wait(kEndingLimit);
  for (const Ended& rank : ended) {
    EXPECT_EQ(rank.exit_code, how.exit_code) << rank.output;
    expect_says(rank, "\nagreed");
    EXPECT_EQ(steps_line(rank), steps_line(ended[0]));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Ways, Interrupted,
    ::testing::Values(Interruption{"LockStepTermToRank1", "barrier", SIGTERM, 1, 75},
                      Interruption{"UnevenUsr1ToRank0", "alone", SIGUSR1, 0, 75},
                      Interruption{"UnevenInterruptToRank1", "alone", SIGINT, 1, 130}),
    [](const auto& named) { return named.param.name; });

TEST(Interruption, APeerThatNeverAnswersDoesNotHoldTheOthers) {
  Ranks ranks(scenario("interrupted", 2, free_address(), {"stuck", "5"}));
  ASSERT_TRUE(ranks.wait_for_text(0, "at the barrier", kEndingLimit));
  ranks.signal(0, SIGTERM);
  const Ended rank_0 = ended_within(ranks, 0, kEndingLimit);
  EXPECT_EQ(rank_0.exit_code, 75) << rank_0.output;
  expect_says(rank_0, "overdue");
}

}  // namespace
}  // namespace scalemark::testing
