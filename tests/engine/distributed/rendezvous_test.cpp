#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <future>
#include <torch/csrc/distributed/c10d/HashStore.hpp>

#include "engine/distributed/meeting.h"
#include "tests/engine/distributed/rank_threads.h"

namespace scalemark::testing {
namespace {

TEST(Rendezvous, ThreeRanksMeetOverTcpAndTalk) {
  RankThreads ranks(scenario("talk", 3, free_address()));
  const auto ended = ranks.wait();
  for (const Ended& rank : ended) {
    EXPECT_EQ(rank.exit_code, 0) << rank.output;
    EXPECT_NE(rank.output.find("answered [][bbb][cccccc]\nbroadcast from zero\n"
                               "broadcast nothing []\n"
                               "max 2.000000 10.000000 0.500000\n"),
              std::string::npos)
        << rank.output;
  }
  EXPECT_NE(ended[0].output.find("gather [][bbb][cccccc]\nanswered "), std::string::npos);
  EXPECT_NE(ended[1].output.find("gather \nanswered "), std::string::npos) << ended[1].output;
}

TEST(Rendezvous, TwoRanksMeetByFile) {
  RankThreads ranks(scenario("talk", 2, fresh_file_place()));
  for (const Ended& rank : ranks.wait()) {
    EXPECT_EQ(rank.exit_code, 0) << rank.output;
    EXPECT_NE(rank.output.find("answered [][bbb]"), std::string::npos) << rank.output;
  }
}

TEST(Rendezvous, RankZeroTakesOverTheLaunchersSocket) {
  const Listener listener = listen_anywhere();
  RankThreads ranks(
      scenario("talk", 2, listener.address, {"fd=" + std::to_string(listener.descriptor)}));
  for (const Ended& rank : ranks.wait()) EXPECT_EQ(rank.exit_code, 0) << rank.output;
}

TEST(Rendezvous, OneProcessNeedsNoPlace) {
  RankThreads ranks(scenario("talk", 1, "none"));
  EXPECT_EQ(ranks.wait()[0].exit_code, 0);
}

TEST(Rendezvous, SeveralRanksWithoutAPlaceAreRefused) {
  RankThreads ranks({{"join", "0", "2", "none"}});
  const auto ended = ranks.wait();
  EXPECT_EQ(ended[0].exit_code, 78);
  EXPECT_NE(ended[0].output.find("2 ranks have no place to meet"), std::string::npos);
}

TEST(Rendezvous, NobodyAtTheAddressEndsWithinTheDeadline) {
  RankThreads ranks({{"join", "1", "2", free_address(), "timeout_ms=1500"}});
  const auto ended = ranks.wait();
  EXPECT_EQ(ended[0].exit_code, 69) << ended[0].output;
  EXPECT_NE(ended[0].output.find("; waited 1.5 s for rank 0 (Connection refused)"),
            std::string::npos)
      << ended[0].output;
}

TEST(Rendezvous, AServerThatIsNoStoreEndsWithinTheDeadline) {
  const Listener listener = listen_anywhere();  // accepts, and never says a word
  RankThreads ranks({{"join", "1", "2", listener.address, "timeout_ms=1500"}});
  const auto ended = ranks.wait();
  close(listener.descriptor);
  EXPECT_EQ(ended[0].exit_code, 69) << ended[0].output;
}

TEST(Rendezvous, ANameThatDoesNotResolveIsSaidAtOnce) {
  RankThreads ranks({{"join", "1", "2", "no-such-host.invalid:29500", "timeout_ms=60000"}});
  const auto ended = ranks.wait();
  EXPECT_EQ(ended[0].exit_code, 69) << ended[0].output;
  EXPECT_NE(ended[0].output.find("no-such-host.invalid"), std::string::npos);
}

TEST(Rendezvous, MissingRanksAreNamed) {
  const std::string address = free_address();
  RankThreads ranks({{"join", "0", "4", address, "timeout_ms=3000"},
                     {"join", "2", "4", address, "timeout_ms=3000"}});
  const auto ended = ranks.wait();
  for (const Ended& rank : ended) {
    EXPECT_EQ(rank.exit_code, 69) << rank.output;
  }
  EXPECT_NE(ended[0].output.find("ranks 1 and 3 of 4 did not join run none"), std::string::npos)
      << ended[0].output;
}

TEST(Rendezvous, ASecondProcessWithTheSameRankIsRefused) {
  const std::string address = free_address();
  RankThreads running(scenario("train_until", 2, address, {"1", "wait_for_signal"}));
  ASSERT_TRUE(running.wait_for_text(1, "waiting"));
  RankThreads second({{"join", "1", "2", address}});
  const auto ended = second.wait();
  EXPECT_EQ(ended[0].exit_code, 78);
  EXPECT_NE(
      ended[0].output.find("E_DUPLICATE_RANK (exit 78): rank 1 has already joined run none at " +
                           address + " (on host "),
      std::string::npos)
      << ended[0].output;
  running.signal(1);
  for (const Ended& rank : running.wait()) EXPECT_EQ(rank.exit_code, 0) << rank.output;
}

TEST(Rendezvous, AnotherWorldSizeEndsEveryRank) {
  const std::string address = free_address();
  RankThreads ranks({{"talk", "0", "2", address}, {"talk", "1", "3", address}});
  const auto ended = ranks.wait();
  EXPECT_EQ(ended[1].exit_code, 76) << ended[1].output;
  EXPECT_NE(ended[1].output.find("rank 1: world_size is 3; rank 0 has 2"), std::string::npos);
  EXPECT_EQ(ended[0].exit_code, 76) << ended[0].output;
  // Rank 0 ends after 5 s in which no rank that fits has come.
}

// A job of another size asks for rank 1 before our own rank 1 comes, and again when the run goes.
TEST(Rendezvous, ARankOfAnotherSizeDoesNoHarmToARunThatIsComplete) {
  const std::string address = free_address();
  RankThreads first(
      {{"train_until", "0", "2", address, "timeout_ms=60000", "1", "wait_for_signal"}});
  RankThreads second({{"train_until", "1", "2", address, "timeout_ms=60000", "joins_at_signal", "1",
                       "wait_for_signal"}});
  ASSERT_TRUE(second.wait_for_text(0, "ready to join"));
  RankThreads early({{"join", "1", "4", address}});
  const auto refused = early.wait();
  EXPECT_EQ(refused[0].exit_code, 76) << refused[0].output;
  second.signal(0);
  ASSERT_TRUE(second.wait_for_text(0, "waiting"));
  RankThreads late({{"join", "1", "4", address}, {"join", "3", "4", address}});
  for (const Ended& rank : late.wait()) {
    EXPECT_EQ(rank.exit_code, 69) << rank.output;
    EXPECT_NE(rank.output.find("has started with its ranks; it has 2; this is rank "),
              std::string::npos)
        << rank.output;
  }
  second.signal(0);
  EXPECT_EQ(first.wait()[0].exit_code, 0);
  EXPECT_EQ(second.wait()[0].exit_code, 0);
}

constexpr std::chrono::minutes kLong(5);

// Returns the code of the error by which it ends.
std::string meets(
    const c10::intrusive_ptr<c10d::Store>& store, const distributed::MeetingTerms& terms,
    const std::function<void()>& on_poll = [] {}) {
  try {
    distributed::meet(store, terms, on_poll);
  } catch (const Error& error) {
    return error.record().code;
  }
  return "met";
}

distributed::MeetingTerms terms_of(int rank, int world_size) {
  distributed::MeetingTerms terms{.run = "r", .place = "here", .timeout = kLong, .grace = kLong};
  terms.world.rank = rank;
  terms.world.world_size = world_size;
  return terms;
}

// The second of two nodes has more or fewer ranks than the first: its numbers are beyond those of
// rank 0's world, or others of it have them. Nobody waits for the deadline.
TEST(Rendezvous, ANodeWithAnotherNumberOfRanksEndsEveryRank) {
  for (const int of_node_1 : {1, 4}) {
    const auto store = c10::make_intrusive<c10d::HashStore>();
    const auto node = [&](int number, int ranks) {
      std::vector<std::future<std::string>> ends;
      for (int local = 0; local < ranks; ++local) {
        auto terms = terms_of(number * ranks + local, 2 * ranks);
        terms.grace = std::chrono::milliseconds(100);
        terms.world.local_world_size = ranks;
        terms.world.node = number;
        terms.world.nodes = 2;
        ends.push_back(std::async(std::launch::async, [=] { return meets(store, terms); }));
      }
      return ends;
    };
    auto ends = node(0, 2);
    store->wait({"rank/0", "rank/1"});
    for (auto& end : node(1, of_node_1)) ends.push_back(std::move(end));
    for (auto& end : ends) EXPECT_EQ(end.get(), "E_RANKS_DISAGREE") << of_node_1;
  }
}

// The launcher's own SIGTERM, which follows, is not the cause.
TEST(Rendezvous, ARankThatIsKilledBeforeAllHaveComeEndsThoseWhoWait) {
  const auto store = c10::make_intrusive<c10d::HashStore>();
  auto beside_it = terms_of(1, 3);
  beside_it.launcher = [] {
    ErrorRecord killed = bad_data("rank 2 (pid 7) was killed").record();
    killed.code = kRankKilledCode;
    return std::optional(killed);
  };
  auto leader = std::async(std::launch::async, [&] { return meets(store, terms_of(0, 3)); });
  EXPECT_EQ(meets(store, beside_it), kRankKilledCode);
  EXPECT_EQ(leader.get(), kRankKilledCode);
}

// Rank 1 of a job with other settings is there before ours, and leaves it the place.
TEST(Rendezvous, ARankWithOtherSettingsLeavesThePlaceToOurs) {
  const auto store = c10::make_intrusive<c10d::HashStore>();
  const auto meets = [&](int rank, const char* settings, const std::function<void()>& on_poll) {
    auto terms = terms_of(rank, 2);
    terms.digest = settings;
    return testing::meets(store, terms, on_poll);
  };
  auto leader = std::async(std::launch::async, [&] { return meets(0, "ours", [] {}); });
  store->wait({"profile"});
  std::atomic<bool> asks = false;  // The stranger waits for the place, or it has ended.
  const auto note = [&] { asks = true, asks.notify_all(); };
  auto stranger = std::async(std::launch::async, [&] {
    const std::string end = meets(1, "theirs", note);
    note();
    return end;
  });
  asks.wait(false);
  EXPECT_EQ(meets(1, "ours", [] {}), "met");
  EXPECT_EQ(leader.get(), "met");
  EXPECT_EQ(stranger.get(), "E_DUPLICATE_RANK");
}

// Two jobs in one file: different run ids, different keys.
TEST(Rendezvous, TwoRunsShareAStoreWithoutMeeting) {
  const std::string place = fresh_file_place();
  RankThreads ranks({{"talk", "0", "2", place, "run=a"},
                     {"talk", "1", "2", place, "run=a"},
                     {"talk", "0", "2", place, "run=b"},
                     {"talk", "1", "2", place, "run=b"}});
  for (const Ended& rank : ranks.wait()) EXPECT_EQ(rank.exit_code, 0) << rank.output;
}

TEST(Rendezvous, ARankOfAnotherRunOnOurPortLearnsWhoseItIs) {
  const std::string address = free_address();
  // Rank 0 serves for longer than rank 1 asks.
  RankThreads ranks({{"join", "0", "2", address, "run=a", "timeout_ms=6000"},
                     {"join", "1", "2", address, "run=b", "timeout_ms=3000"}});
  const auto ended = ranks.wait();
  EXPECT_EQ(ended[1].exit_code, 69) << ended[1].output;
  EXPECT_NE(ended[1].output.find("serves run a; this is run b"), std::string::npos)
      << ended[1].output;
}

TEST(Preflight, EqualFactsContinue) {
  RankThreads ranks(
      scenario("compare_facts", 3, free_address(), {"1", "b=1,a.c=[1]", "a.c=[1],b=1"}));
  for (const Ended& rank : ranks.wait()) {
    EXPECT_EQ(rank.exit_code, 0) << rank.output;
    EXPECT_NE(rank.output.find("agreed"), std::string::npos) << rank.output;
  }
}

TEST(Preflight, ADifferenceEndsEveryRankNamingRankKeyAndBothValues) {
  for (const auto& place : {free_address(), fresh_file_place()}) {
    RankThreads ranks(scenario("compare_facts", 3, place,
                               {"2", "settings.batch_size=32,settings.seed=7,torch=2.10.0",
                                "settings.batch_size=64,settings.seed=7,torch=2.11.0"}));
    for (const Ended& rank : ranks.wait()) {
      EXPECT_EQ(rank.exit_code, 76) << rank.output;
      EXPECT_NE(rank.output.find(
                    "rank 2: settings.batch_size is 32; rank 0 has 64, torch is 2.10.0; rank 0 has "
                    "2.11.0."),
                std::string::npos)
          << rank.output;
    }
  }
}

TEST(Fault, ThePostedCauseWinsOnEveryRank) {
  for (const auto make : {free_address, fresh_file_place}) {
    for (const char* culprit : {"0", "1"}) {
      RankThreads ranks(scenario("train_until", 3, make(), {culprit, "throw"}));
      const auto ended = ranks.wait();
      for (int rank = 0; rank < 3; ++rank) {
        const Ended& end = ended[static_cast<std::size_t>(rank)];
        EXPECT_EQ(end.exit_code, 65) << end.output;
        const std::string line =
            std::to_string(rank) == culprit
                ? "E_BAD_DATA (exit 65): photo.jpg is not a JPEG."
                : "rank " + std::string(culprit) + " ended: E_BAD_DATA (exit 65) rank=" + culprit;
        EXPECT_NE(end.output.find(line), std::string::npos) << end.output;
      }
    }
  }
}

}  // namespace
}  // namespace scalemark::testing
