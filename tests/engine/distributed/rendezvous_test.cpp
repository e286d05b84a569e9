#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include "tests/engine/distributed/ranks.h"

namespace scalemark::testing {
namespace {

using std::chrono::milliseconds;
constexpr milliseconds kLimit{100000};
// From the start of the ranks, which alone takes seconds on a busy machine; c10d waits for minutes.
constexpr double kSoon_s = 90;

TEST(Rendezvous, ThreeRanksMeetOverTcpAndTalk) {
  Ranks ranks(scenario("talk", 3, free_address()));
  const auto ended = ranks.wait(kLimit);
  for (const Ended& rank : ended) {
    EXPECT_EQ(rank.exit_code, 0) << rank.output;
    EXPECT_NE(rank.output.find("all_gather [][bbb][cccccc]\nbroadcast from zero\n"
                               "broadcast nothing []\n"
                               "max 2.000000 10.000000 0.500000\n"),
              std::string::npos)
        << rank.output;
  }
  EXPECT_NE(ended[0].output.find("gather [][bbb][cccccc]\nall_gather"), std::string::npos);
  EXPECT_NE(ended[1].output.find("gather \nall_gather"), std::string::npos) << ended[1].output;
}

TEST(Rendezvous, TwoRanksMeetByFile) {
  Ranks ranks(scenario("talk", 2, fresh_file_place()));
  for (const Ended& rank : ranks.wait(kLimit)) {
    EXPECT_EQ(rank.exit_code, 0) << rank.output;
    EXPECT_NE(rank.output.find("all_gather [][bbb]"), std::string::npos) << rank.output;
  }
}

TEST(Rendezvous, RankZeroTakesOverTheLaunchersSocket) {
  const Listener listener = listen_anywhere();
  Ranks ranks(scenario("talk", 2, listener.address, {"fd=" + std::to_string(listener.descriptor)}),
              listener.descriptor);
  close(listener.descriptor);
  for (const Ended& rank : ranks.wait(kLimit)) EXPECT_EQ(rank.exit_code, 0) << rank.output;
}

TEST(Rendezvous, OneProcessNeedsNoPlace) {
  Ranks ranks(scenario("talk", 1, "none"));
  EXPECT_EQ(ranks.wait(kLimit)[0].exit_code, 0);
}

TEST(Rendezvous, SeveralRanksWithoutAPlaceAreRefused) {
  Ranks ranks({{"join", "0", "2", "none"}});
  const auto ended = ranks.wait(kLimit);
  EXPECT_EQ(ended[0].exit_code, 78);
  EXPECT_NE(ended[0].output.find("2 ranks have no place to meet"), std::string::npos);
}

TEST(Rendezvous, NobodyAtTheAddressEndsWithinTheDeadline) {
  Ranks ranks({{"join", "1", "2", free_address(), "timeout_ms=1500"}});
  const auto ended = ranks.wait(kLimit);
  EXPECT_EQ(ended[0].exit_code, 69) << ended[0].output;
  EXPECT_LT(ended[0].seconds, kSoon_s);
  EXPECT_NE(ended[0].output.find("within 1.5 s; waited for the store of rank 0"), std::string::npos)
      << ended[0].output;
}

TEST(Rendezvous, AServerThatIsNoStoreEndsWithinTheDeadline) {
  const Listener listener = listen_anywhere();  // accepts, and never says a word
  Ranks ranks({{"join", "1", "2", listener.address, "timeout_ms=1500"}});
  const auto ended = ranks.wait(kLimit);
  close(listener.descriptor);
  EXPECT_EQ(ended[0].exit_code, 69) << ended[0].output;
  EXPECT_LT(ended[0].seconds, kSoon_s);
}

TEST(Rendezvous, ANameThatDoesNotResolveIsSaidAtOnce) {
  Ranks ranks({{"join", "1", "2", "no-such-host.invalid:29500", "timeout_ms=60000"}});
  const auto ended = ranks.wait(kLimit);
  EXPECT_EQ(ended[0].exit_code, 69) << ended[0].output;
  EXPECT_NE(ended[0].output.find("no-such-host.invalid"), std::string::npos);
  EXPECT_LT(ended[0].seconds, kSoon_s);
}

TEST(Rendezvous, MissingRanksAreNamed) {
  const std::string address = free_address();
  // So long may one of the two start after the other.
  Ranks ranks({{"join", "0", "4", address, "timeout_ms=6000"},
               {"join", "2", "4", address, "timeout_ms=6000"}});
  const auto ended = ranks.wait(kLimit);
  for (const Ended& rank : ended) {
    EXPECT_EQ(rank.exit_code, 69) << rank.output;
    EXPECT_LT(rank.seconds, kSoon_s);
  }
  EXPECT_NE(ended[0].output.find("ranks 1 and 3 of 4 did not join run none"), std::string::npos)
      << ended[0].output;
}

TEST(Rendezvous, ASecondProcessWithTheSameRankIsRefused) {
  const std::string address = free_address();
  Ranks running(scenario("train_until", 2, address, {"1", "wait"}));
  ASSERT_TRUE(running.wait_for_text(1, "waiting", kLimit));
  Ranks second({{"join", "1", "2", address}});
  const auto ended = second.wait(kLimit);
  EXPECT_EQ(ended[0].exit_code, 78);
  EXPECT_NE(
      ended[0].output.find("E_DUPLICATE_RANK (exit 78): rank 1 has already joined run none at " +
                           address + " (on host "),
      std::string::npos)
      << ended[0].output;
}

TEST(Rendezvous, AnotherWorldSizeEndsEveryRank) {
  const std::string address = free_address();
  Ranks ranks({{"talk", "0", "2", address}, {"talk", "1", "3", address}});
  const auto ended = ranks.wait(kLimit);
  EXPECT_EQ(ended[1].exit_code, 76) << ended[1].output;
  EXPECT_NE(ended[1].output.find("rank 1: world_size is 3; rank 0 has 2"), std::string::npos);
  EXPECT_EQ(ended[0].exit_code, 76) << ended[0].output;
  // Rank 0 ends after 5 s in which no rank that fits has come.
  EXPECT_LT(ended[0].seconds, kSoon_s);
}

// A job of another size asks for rank 1 before our own rank 1 comes, and again when the run goes.
TEST(Rendezvous, ARankOfAnotherSizeDoesNoHarmToARunThatIsComplete) {
  const std::string address = free_address();
  Ranks first({{"train_until", "0", "2", address, "timeout_ms=60000", "1", "wait_for_signal"}});
  // Started now: its place stays free for 5 s only, and a busy machine takes as long to start it.
  Ranks second({{"train_until", "1", "2", address, "timeout_ms=60000", "joins_at_signal", "1",
                 "wait_for_signal"}});
  ASSERT_TRUE(second.wait_for_text(0, "ready to join", kLimit));
  Ranks early({{"join", "1", "4", address}});
  const auto refused = early.wait(kLimit);
  EXPECT_EQ(refused[0].exit_code, 76) << refused[0].output;
  second.signal(0, SIGUSR2);
  ASSERT_TRUE(second.wait_for_text(0, "waiting", kLimit));
  Ranks late({{"join", "1", "4", address}, {"join", "3", "4", address}});
  for (const Ended& rank : late.wait(kLimit)) {
    EXPECT_EQ(rank.exit_code, 69) << rank.output;
    EXPECT_NE(rank.output.find("has started with its ranks; it has 2; this is rank "),
              std::string::npos)
        << rank.output;
  }
  second.signal(0, SIGUSR2);
  EXPECT_EQ(first.wait(kLimit)[0].exit_code, 0);
  EXPECT_EQ(second.wait(kLimit)[0].exit_code, 0);
}

// Two jobs in one file: different run ids, different keys.
TEST(Rendezvous, TwoRunsShareAStoreWithoutMeeting) {
  const std::string place = fresh_file_place();
  Ranks ranks({{"talk", "0", "2", place, "run=a"},
               {"talk", "1", "2", place, "run=a"},
               {"talk", "0", "2", place, "run=b"},
               {"talk", "1", "2", place, "run=b"}});
  for (const Ended& rank : ranks.wait(kLimit)) EXPECT_EQ(rank.exit_code, 0) << rank.output;
}

TEST(Rendezvous, ARankOfAnotherRunOnOurPortIsToldWhose) {
  const std::string address = free_address();
  // Rank 1 asks for as long as a busy machine may take to start rank 0, which serves for longer.
  Ranks ranks({{"join", "0", "2", address, "run=a", "timeout_ms=25000"},
               {"join", "1", "2", address, "run=b", "timeout_ms=15000"}});
  const auto ended = ranks.wait(kLimit);
  EXPECT_EQ(ended[1].exit_code, 69) << ended[1].output;
  EXPECT_NE(ended[1].output.find("serves run a; this is run b"), std::string::npos)
      << ended[1].output;
}

}  // namespace
}  // namespace scalemark::testing
