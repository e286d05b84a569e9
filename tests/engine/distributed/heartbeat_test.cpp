#include "engine/distributed/heartbeat.h"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <mutex>
#include <stdexcept>

#include "tests/engine/distributed/simulated_clock.h"
#include "tests/engine/process/memory_store.h"

namespace scalemark::distributed {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::MemoryStore;
using testing::MemoryStoreServer;
using testing::SimulatedClock;

// Ranks that only send heartbeats, over one store in simulated time. What hooks use outlives them:
// a heartbeat may be sent once more when it ends.
class HeartbeatRanks {
 public:
  // `late` of them never begin.
  explicit HeartbeatRanks(int size, int late = 0)
      : late_(late), server_(std::make_shared<MemoryStoreServer>(clock_)) {
    server_->before = [this](const testing::Request& request) {
      const std::lock_guard lock(mutex_);
      if (is_lost_) throw std::runtime_error("Connection reset by peer");
      requests_[request.verb]++;
    };
    for (int rank = 0; rank < size; ++rank) {
      stores_.push_back(std::make_unique<ErrorStore>(
          c10::make_intrusive<MemoryStore>(server_, rank), rank, size, false, clock_));
    }
  }

  // Begins every rank's heartbeat, lets `time` pass, then calls `then`, and lets it pass again. The
  // hooks are rank 0's; `on_lost` is that of the others.
  void run(Heartbeat::Hooks hooks, milliseconds time, const std::function<void()>& then = {},
           const std::function<void(const ErrorRecord&)>& on_lost = {}) {
    std::optional<SimulatedClock::Hold> hold(clock_);
    for (int rank = 0; rank < static_cast<int>(stores_.size()) - late_; ++rank) {
      Heartbeat::Hooks mine = rank == 0 ? hooks : Heartbeat::Hooks{.on_lost = on_lost};
      mine.record = [rank] { return "record of " + std::to_string(rank); };
      heartbeats_.push_back(std::make_unique<Heartbeat>(rank, static_cast<int>(stores_.size()),
                                                        *stores_[static_cast<std::size_t>(rank)],
                                                        std::move(mine), clock_));
    }
    std::thread waiting = clock_.start([&] {
      clock_.sleep_for(time);
      if (then) {
        then();
        clock_.sleep_for(time);
      }
      over_.emplace(clock_);  // else time would pass while the test checks
    });
    hold.reset();
    clock_.join(waiting);
  }
  void lose_store() {
    const std::lock_guard lock(mutex_);
    is_lost_ = true;
  }
  void look_for_cause(int rank) {
    stores_[static_cast<std::size_t>(rank)]->find_cause(milliseconds(1));
  }
  void end(int rank) { heartbeats_[static_cast<std::size_t>(rank)].reset(); }
  ~HeartbeatRanks() {
    if (!over_) over_.emplace(clock_);
    heartbeats_.clear();
  }

  int requests(const std::string& verb) {
    const std::lock_guard lock(mutex_);
    return requests_[verb];
  }

 private:
  int late_;
  SimulatedClock clock_;
  std::mutex mutex_;
  std::map<std::string, int> requests_;
  bool is_lost_ = false;
  std::shared_ptr<MemoryStoreServer> server_;
  std::vector<std::unique_ptr<ErrorStore>> stores_;
  std::vector<std::unique_ptr<Heartbeat>> heartbeats_;
  std::optional<SimulatedClock::Hold> over_;
};

TEST(Heartbeat, Rank0HasTheRecordOfEveryRankAtOneRequestOfEachPerHeartbeat) {
  std::mutex mutex;
  std::vector<std::string> newest;
  HeartbeatRanks ranks(4);
  ranks.run({.read =
                 [&](const std::vector<std::string>& records) {
                   const std::lock_guard lock(mutex);
                   newest = records;
                 }},
            seconds(6));
  const std::lock_guard lock(mutex);
  EXPECT_EQ(newest,
            (std::vector<std::string>{"record of 0", "record of 1", "record of 2", "record of 3"}));
  EXPECT_LE(ranks.requests("set"), 4 * 7);
  EXPECT_GE(ranks.requests("set"), 4 * 4);
}

TEST(Heartbeat, SilentRanksAreReportedOnce) {
  std::mutex mutex;
  std::vector<std::string> lost;
  HeartbeatRanks ranks(4);
  ranks.run({.on_lost =
                 [&](const ErrorRecord& loss) {
                   const std::lock_guard lock(mutex);
                   lost.push_back(loss.what);
                 }},
            seconds(20), [&] {
              EXPECT_TRUE(lost.empty());
              ranks.end(2);
              ranks.end(3);
            });
  const std::lock_guard lock(mutex);
  ASSERT_EQ(lost.size(), 1u);
  EXPECT_NE(lost[0].find("ranks 2 and 3 send no heartbeat"), std::string::npos) << lost[0];
}

// Rank 0 has told it after three heartbeats, and ends later; without a notice it waits for eight.
TEST(Heartbeat, ARankThatIsSilentWhenAConnectionBrokeIsNamedInTime) {
  std::mutex mutex;
  std::vector<ErrorRecord> lost;
  HeartbeatRanks ranks(4);
  ranks.run({.on_lost =
                 [&](const ErrorRecord& loss) {
                   const std::lock_guard lock(mutex);
                   lost.push_back(loss);
                 }},
            seconds(7), [&] {
              EXPECT_TRUE(lost.empty());
              ranks.end(2);
              ranks.look_for_cause(1);
            });
  const std::lock_guard lock(mutex);
  ASSERT_EQ(lost.size(), 1u);
  EXPECT_EQ(lost[0].rank, 2);
}

TEST(Heartbeat, ARankThatHasNotBegunIsNotSilent) {
  std::mutex mutex;
  int lost = 0;
  HeartbeatRanks ranks(3, /*late=*/1);
  ranks.run({.on_lost =
                 [&](const ErrorRecord&) {
                   const std::lock_guard lock(mutex);
                   ++lost;
                 }},
            seconds(20));
  const std::lock_guard lock(mutex);
  EXPECT_EQ(lost, 0);
}

// Another rank may wait for the lost one as well, and rank 0 takes the store with it.
TEST(Heartbeat, RanksLearnFromRank0WhoIsLostBeforeItEnds) {
  std::mutex mutex;
  std::vector<std::string> lost;
  const auto note = [&](const ErrorRecord& loss) {
    const std::lock_guard lock(mutex);
    lost.push_back(std::to_string(loss.rank.value_or(-1)) + " " + loss.what);
  };
  HeartbeatRanks ranks(3);
  ranks.run(
      {.on_lost =
           [&](const ErrorRecord& loss) {
             note(loss);
             ranks.lose_store();
           }},
      seconds(20), [&] { ranks.end(2); }, note);
  const std::lock_guard lock(mutex);
  EXPECT_EQ(lost, std::vector<std::string>(2, "2 a rank was lost: rank 2 sends no heartbeat"));
}

// Each of the two others reports once that rank 0 is silent after it has happened.
void expect_silence_of_rank_0(const std::function<void(HeartbeatRanks&)>& happens) {
  std::mutex mutex;
  std::vector<std::string> lost;
  HeartbeatRanks ranks(3);
  ranks.run(
      {}, seconds(20),
      [&] {
        EXPECT_TRUE(lost.empty());
        happens(ranks);
      },
      [&](const ErrorRecord& loss) {
        const std::lock_guard lock(mutex);
        lost.push_back(loss.what);
      });
  const std::lock_guard lock(mutex);
  EXPECT_EQ(lost.size(), 2u);
  for (const std::string& what : lost)
    EXPECT_NE(what.find("rank 0 sends no heartbeat"), std::string::npos) << what;
}

TEST(Heartbeat, SilenceOfRank0IsReportedByEachOtherOnce) {
  expect_silence_of_rank_0([](HeartbeatRanks& ranks) { ranks.end(0); });
}

TEST(Heartbeat, AStoreThatIsGoneIsTheSilenceOfRank0) {
  expect_silence_of_rank_0([](HeartbeatRanks& ranks) { ranks.lose_store(); });
}

TEST(Heartbeat, WithoutAnybodyToNotifyASilentRankEndsNothing) {
  std::mutex mutex;
  int reads = 0;
  HeartbeatRanks ranks(3);
  ranks.run({.read =
                 [&](const auto&) {
                   const std::lock_guard lock(mutex);
                   ++reads;
                 }},
            seconds(20), [&] { ranks.end(2); });
  const std::lock_guard lock(mutex);
  EXPECT_GE(reads, 36);
}

TEST(Heartbeat, AloneItMakesNoRequest) {
  std::mutex mutex;
  int reads = 0;
  HeartbeatRanks ranks(1);
  ranks.run({.read =
                 [&](const std::vector<std::string>& records) {
                   EXPECT_EQ(records, std::vector<std::string>{"record of 0"});
                   const std::lock_guard lock(mutex);
                   ++reads;
                 }},
            seconds(6));
  const std::lock_guard lock(mutex);
  EXPECT_GE(reads, 4);
  EXPECT_EQ(ranks.requests("set") + ranks.requests("add") + ranks.requests("get"), 0);
}

}  // namespace
}  // namespace scalemark::distributed
