// Many ranks: what each part of the control plane costs the one thread that serves the store. The
// ranks are threads of one process; requests are counted.
#include <gtest/gtest.h>

#include <barrier>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <future>
#include <numeric>
#include <thread>
#include <torch/csrc/distributed/c10d/HashStore.hpp>

#include "core/base/durations.h"
#include "core/base/error.h"
#include "core/base/host_name.h"
#include "core/launch/resources.h"
#include "engine/distributed/errors.h"
#include "engine/distributed/groups.h"
#include "engine/distributed/meeting.h"
#include "engine/distributed/providers.h"
#include "engine/distributed/rendezvous.h"
#include "engine/distributed/stop_agreement.h"
#include "engine/distributed/work_queue.h"
#include "tests/engine/distributed/counting_store.h"

namespace scalemark::testing {
namespace {

using std::chrono::milliseconds;
using StorePtr = c10::intrusive_ptr<c10d::Store>;

// N ranks over one store, whose requests are counted.
class Crowd {
 public:
  explicit Crowd(int size) : size_(size) {
    const auto inner = c10::make_intrusive<c10d::HashStore>();
    for (int rank = 0; rank < size; ++rank) {
      counts_.push_back(std::make_shared<CountingStore::Counted>());
      stores_.push_back(c10::make_intrusive<CountingStore>(inner, counts_.back()));
    }
  }

  // Returns the seconds that it took.
  double run(const std::function<void(int rank, const StorePtr& store)>& body) {
    const auto begun = std::chrono::steady_clock::now();
    std::vector<std::thread> ranks;
    for (int rank = 0; rank < size_; ++rank) {
      ranks.emplace_back([&, rank] { body(rank, stores_[static_cast<std::size_t>(rank)]); });
    }
    for (std::thread& rank : ranks) rank.join();
    return seconds_since(begun);
  }

  std::int64_t requests_of(int rank) const {
    return counts_[static_cast<std::size_t>(rank)]->requests;
  }
  std::int64_t requests() const { return sum_of(&CountingStore::Counted::requests); }
  double requests_per_rank() const { return static_cast<double>(requests()) / size_; }
  double bytes_per_rank() const {
    return static_cast<double>(sum_of(&CountingStore::Counted::bytes)) / size_;
  }
  int size() const { return size_; }

 private:
  std::int64_t sum_of(std::atomic<std::int64_t> CountingStore::Counted::*number) const {
    std::int64_t sum = 0;
    for (const auto& count : counts_) sum += (*count).*number;
    return sum;
  }

  int size_;
  std::vector<CountingStore::Count> counts_;  // one of each rank
  std::vector<StorePtr> stores_;
};

distributed::MeetingTerms terms_of(int rank, int size) {
  distributed::MeetingTerms terms{.timeout = milliseconds(60000)};
  terms.world.rank = rank;
  terms.world.world_size = size;
  terms.run = "r";
  terms.place = "here";
  return terms;
}

// A rank that comes early asks around three times a second: these requests depend on time, not on
// the number of ranks.
constexpr double kPerWaitingSecond = 5;

TEST(ManyRanks, MeetWithSomeRequestsEach) {
  for (const int size : {8, 512}) {
    Crowd crowd(size);
    const double seconds = crowd.run([&](int rank, const StorePtr& store) {
      distributed::meet(store, terms_of(rank, size), [] {});
    });
    std::printf("%d ranks met with %.1f requests each, %.2f s\n", size, crowd.requests_per_rank(),
                seconds);
    EXPECT_LT(crowd.requests_per_rank(), 10 + kPerWaitingSecond * seconds) << size;
  }
}

// Rank 0's error where the ranks of nodes 1 and 2 and another one never come.
std::string missing_error(distributed::MeetingTerms terms) {
  constexpr int kSize = 16, kPerNode = 4;
  terms.timeout = milliseconds(8000);  // the others must have come by then
  terms.world.local_world_size = kPerNode;
  terms.world.nodes = kSize / kPerNode;
  std::string what;
  Crowd(kSize).run([&](int rank, const StorePtr& store) {
    if ((rank >= 4 && rank < 12) || rank == 13) return;
    auto own = terms;
    own.world.rank = rank;
    own.world.world_size = kSize;
    try {
      distributed::meet(store, own, [] {});
    } catch (const Error& error) {
      if (rank == 0) what = error.record().what;
    }
  });
  return what.substr(0, what.find(" run "));
}

// It costs the time that rank 0 waits, once for all three.
TEST(ManyRanks, ThoseWhoHaveNotComeAreNamedByNode) {
  const auto numbered = terms_of(0, 16);
  auto listed = numbered, assumed = numbered;
  listed.world.node_list = host_name() + ",n[13-14]";
  assumed.world.assumes_node = true;
  const auto in_parallel = [](const distributed::MeetingTerms& terms) {
    return std::async(std::launch::async, missing_error, terms);
  };
  auto first = in_parallel(numbered), second = in_parallel(listed), third = in_parallel(assumed);
  EXPECT_EQ(first.get(), "ranks 4-11 and 13 of 16 (nobody came from nodes 1 and 2) did not join");
  EXPECT_EQ(second.get(), "ranks 4-11 and 13 of 16 (nobody came from n[13-14]) did not join");
  EXPECT_EQ(third.get(), "ranks 4-11 and 13 of 16 did not join");
}

TEST(NameRanks, IsShortForManyInARowAndForManyScattered) {
  using distributed::name_ranks;
  EXPECT_EQ(name_ranks({7}), "rank 7");
  EXPECT_EQ(name_ranks({1, 2}), "ranks 1 and 2");
  EXPECT_EQ(name_ranks({0, 2, 3, 4, 9}), "ranks 0, 2-4 and 9");
  std::vector<int> even;
  for (int rank = 0; rank < 1000; rank += 2) even.push_back(rank);
  EXPECT_EQ(name_ranks(even),
            "ranks 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30 and 484 more");
}

TEST(ManyRanks, CompareWithSomeRequestsEach) {
  for (const int size : {8, 512}) {
    Crowd crowd(size);
    const double seconds = crowd.run([&](int rank, const StorePtr& store) {
      distributed::ErrorStore error_store(store, rank, size, false);
      distributed::preflight(store, size, {{"batch_size", "32"}}, error_store, milliseconds(60000));
    });
    std::printf("%d ranks compared with %.1f requests each, %.2f s\n", size,
                crowd.requests_per_rank(), seconds);
    EXPECT_LT(crowd.requests_per_rank(), 10 + kPerWaitingSecond * seconds) << size;
  }
}

TEST(ManyRanks, AllThatDifferAreReportedInOneLineThatCanBeRead) {
  constexpr int kSize = 64;
  Crowd crowd(kSize);
  std::vector<std::string> seen(kSize);
  crowd.run([&](int rank, const StorePtr& store) {
    distributed::ErrorStore error_store(store, rank, kSize, false);
    const std::string batch = rank == 0 ? "32" : "64";
    try {
      distributed::preflight(store, kSize, {{"batch_size", batch}}, error_store,
                             milliseconds(60000));
    } catch (const Error& error) {
      seen[static_cast<std::size_t>(rank)] = error.record().what;
    }
  });
  for (const std::string& what : seen) {
    EXPECT_EQ(what.find("rank 1: batch_size is 64; rank 0 has 32; rank 2: "), 0u) << what;
    EXPECT_NE(what.find("; 47 more ranks differ"), std::string::npos) << what;
  }
}

struct Waited {
  double requests_per_second = 0;  // a rank makes so many
  double notice_s = 0;             // the last rank had it after this time
};

// Rank 0 posts a notice after `seconds`, for which the others wait.
Waited waiting(int size, double seconds) {
  Crowd crowd(size);
  std::barrier all_have_come(size);
  Waited waited;
  std::chrono::steady_clock::time_point posted;
  crowd.run([&](int rank, const StorePtr& store) {
    distributed::ErrorStore faults(store, rank, size, false);
    distributed::WorkQueue queue(store, rank, size, faults, milliseconds(30000), {});
    all_have_come.arrive_and_wait();
    if (rank != 0) {
      EXPECT_EQ(queue.next(0, [] {}).text, "go");
      return;
    }
    const std::int64_t before = crowd.requests();
    const auto begun = std::chrono::steady_clock::now();
    std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
    waited.requests_per_second =
        static_cast<double>(crowd.requests() - before) / seconds_since(begun) / size;
    posted = std::chrono::steady_clock::now();
    queue.post("go");
  });
  waited.notice_s = seconds_since(posted);
  return waited;
}

TEST(ManyRanks, WaitWithSomeRequestsASecondAndHearAtOnce) {
  const Waited waited = waiting(256, 4);
  std::printf("a waiting rank makes %.2f requests a second; a notice reached 256 in %.3f s\n",
              waited.requests_per_second, waited.notice_s);
  EXPECT_LT(waited.requests_per_second, 6);
  EXPECT_GT(waited.requests_per_second, 0);
  EXPECT_LT(waited.notice_s, 15);  // 256 threads share two busy cores; the deadline is 30 s
}

TEST(ManyRanks, AWaitingRankHearsOfAFaultWithinAboutASecond) {
  constexpr int kSize = 32;
  Crowd crowd(kSize);
  std::barrier all_have_come(kSize);
  std::chrono::steady_clock::time_point posted;
  std::atomic<int> heard{0};
  crowd.run([&](int rank, const StorePtr& store) {
    distributed::ErrorStore faults(store, rank, kSize, false);
    distributed::WorkQueue queue(store, rank, kSize, faults, milliseconds(30000), {});
    all_have_come.arrive_and_wait();
    if (rank == 1) {
      posted = std::chrono::steady_clock::now();
      faults.post(bad_data("photo.jpg is not a JPEG").record());
      return;
    }
    try {
      queue.next(0, [] {});
    } catch (const Error& error) {
      heard += error.record().exit_code == ExitCode::kBadData;
    }
  });
  EXPECT_EQ(heard, kSize - 1);
  EXPECT_LT(seconds_since(posted), 15);  // about 1 s on cores at rest; the deadline is 30 s
}

// A rank that missed messages whose bells are gone reads the newest.
TEST(ManyRanks, OneThatWasAwayCatchesUp) {
  const auto store = c10::make_intrusive<c10d::HashStore>();
  distributed::ErrorStore faults(store, 0, 1, false);
  distributed::WorkQueue queue(store, 0, 1, faults, milliseconds(30000), {});
  for (int number = 1; number <= 20; ++number) queue.post(std::to_string(number));
  EXPECT_EQ(queue.next(2, [] {}).number, 20);
  EXPECT_EQ(queue.next(19, [] {}).text, "20");
  EXPECT_LT(store->getNumKeys(), 6);
}

TEST(ManyRanks, ResultsAreReadOnceEach) {
  constexpr int kSize = 256;
  Crowd crowd(kSize);
  std::vector<int> all_ranks(kSize);
  std::iota(all_ranks.begin(), all_ranks.end(), 0);
  const double seconds = crowd.run([&](int rank, const StorePtr& store) {
    distributed::ErrorStore faults(store, rank, kSize, false);
    distributed::WorkQueue queue(store, rank, kSize, faults, milliseconds(30000), {});
    queue.report_result(1, "text of " + std::to_string(rank), false);
    if (rank != 0) return;
    const auto results = queue.result_texts(
        1, all_ranks, [](const auto&, milliseconds waited) { return waited < milliseconds(30000); },
        [] {});
    ASSERT_EQ(results.size(), all_ranks.size());
    EXPECT_EQ(results.at(200), "text of 200");
  });
  std::printf("a result from each of %d ranks took %.1f requests each, %.2f s\n", kSize,
              crowd.requests_per_rank(), seconds);
  // A result is two requests, a heartbeat one, and rank 0 reads at once what has come since it last
  // asked, twenty times a second.
  EXPECT_LT(crowd.requests_per_rank(), 4.5 + 100.0 / kSize * seconds);
}

TEST(ManyRanks, AgreeOnAStopWithSomeRequestsEach) {
  constexpr int kSize = 256;
  Crowd crowd(kSize);
  std::atomic<int> agreed{0};
  const double seconds = crowd.run([&](int rank, const StorePtr& store) {
    distributed::StopAgreement agreement(store, "loop", rank, kSize, {});
    std::int64_t step = 0;
    for (; agreement.may_begin(step); ++step) {
      std::this_thread::sleep_for(milliseconds(20));
      if (rank == 7 && step == 10) distributed::request_stop(*store, 15);
    }
    agreed += agreement.stop()->agreed;
  });
  std::printf("a stop of %d took %.1f requests each, %.2f s\n", kSize, crowd.requests_per_rank(),
              seconds);
  EXPECT_EQ(agreed, kSize);
  EXPECT_LT(seconds, 60);  // 2 s on cores at rest; one that did not hear of it would never end
  EXPECT_LT(crowd.requests_per_rank(), 12 + 2 * 5 * seconds);
  // It looks four times a second which promises are there, by halving.
  EXPECT_LT(crowd.requests_of(0), 20 + (1 + 4 * seconds) * 12);
}

std::int64_t descriptors() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
}

// The connections of a rank cost this; the descriptors are those of both their ends.
struct Cost {
  double requests = 0, bytes = 0, descriptors = 0;
};

// `connect` returns what holds a rank's connections.
template <class Connect>
Cost cost_of_connecting(const char* what, int size, Connect connect) {
  Crowd crowd(size);
  std::barrier all_connected(size), all_counted(size);
  const std::int64_t before = descriptors();
  Cost cost;
  const double seconds = crowd.run([&](int rank, const StorePtr& store) {
    distributed::ErrorStore faults(store, rank, size, false);
    const auto held = connect(rank, store, faults);
    // A member that drops the group while another still connects is a lost peer to that one.
    all_connected.arrive_and_wait();
    if (rank == 0) {
      cost = {.requests = crowd.requests_per_rank(),
              .bytes = crowd.bytes_per_rank(),
              .descriptors = static_cast<double>(descriptors() - before) / size};
    }
    all_counted.arrive_and_wait();
  });
  std::printf("%s of %d: %.2f requests, %.0f bytes and %.2f descriptors a rank, %.2f s\n", what,
              size, cost.requests, cost.bytes, cost.descriptors, seconds);
  return cost;
}

// The run's control group, and that of a point whose payload does not go over Gloo: two connections
// a rank on average, each of them two requests at either end.
TEST(ManyRanks, AControlGroupCostsARankTheSameHoweverManyThereAre) {
  constexpr std::uint64_t kDescriptors = 8 * 512;
  if (launching::raise_descriptor_limit() < kDescriptors) GTEST_SKIP() << "few files may be open";
  for (const int size : {8, 64, 512}) {
    const Cost cost = cost_of_connecting(
        "control group", size, [&](int rank, const StorePtr& store, auto& faults) {
          auto group = std::make_unique<distributed::ControlGroup>(
              store, rank, size, milliseconds(120000), "lo", faults);
          const auto texts = group->gather(std::to_string(rank));
          if (rank == 0) {
            EXPECT_EQ(texts.back(), std::to_string(size - 1));
          }
          std::vector<double> largest{static_cast<double>(rank)};
          group->max_over_ranks(largest);
          EXPECT_EQ(largest, std::vector<double>{size - 1.0});
          std::vector<double> sums{1, static_cast<double>(rank)};
          group->sum_over_ranks(sums);
          EXPECT_EQ(sums, (std::vector<double>{size * 1.0, size * (size - 1.0) / 2}));
          return group;
        });
    EXPECT_LT(cost.requests, 6);
    EXPECT_LT(cost.bytes, 1200);
    EXPECT_LT(cost.descriptors, 8);
  }
}

// All pairs must connect where the payload goes over Gloo; the records' bytes and the connections
// are what still grows with the square.
TEST(ManyRanks, AGroupOverGlooReadsAllAddressesAtOnce) {
  distributed::gloo_variables();
  for (const int size : {8, 16, 32}) {
    std::vector<int> members(static_cast<std::size_t>(size));
    std::iota(members.begin(), members.end(), 0);
    const Cost cost =
        cost_of_connecting("group over Gloo", size, [&](int rank, const StorePtr& store, auto&) {
          return std::make_unique<distributed::PointGroup>(
              distributed::GroupSpec{.store = store,
                                     .name = "g",
                                     .members = members,
                                     .rank = rank,
                                     .timeout = milliseconds(60000),
                                     .interface = "lo"},
              distributed::gloo());
        });
    EXPECT_LE(cost.requests, 3);
    EXPECT_LT(cost.bytes, 300 * (size + 1));
    EXPECT_LT(cost.descriptors, size + 6);
  }
}

// The counted numbers are those of docs/internals/SCALE.md, of ranks over Gloo.
TEST(Descriptors, OfARankAreWhatItsConnectionsNeed) {
  using launching::descriptors_of_rank;
  using launching::Rendezvous;
  const Rendezvous own{.kind = Rendezvous::Kind::kTcp}, file{.kind = Rendezvous::Kind::kFile};
  const Rendezvous agents{.kind = Rendezvous::Kind::kTcp, .agent_store = true};
  struct Counted {
    int ranks;
    std::uint64_t of_rank_0, of_last;
  };
  constexpr std::uint64_t kSpare = 32;
  for (const auto& [ranks, of_rank_0, of_last] :
       {Counted{2, 54, 39}, {8, 74, 45}, {32, 148, 69}, {64, 245, 101}}) {
    const auto first = descriptors_of_rank(0, ranks, own, 1);
    const auto last = descriptors_of_rank(ranks - 1, ranks, own, 1);
    EXPECT_TRUE(first >= of_rank_0 && first < of_rank_0 + kSpare) << ranks << ": " << first;
    EXPECT_TRUE(last >= of_last && last < of_last + kSpare) << ranks << ": " << last;
  }
  constexpr std::uint64_t kUsualHardLimit = 4096;
  EXPECT_LT(descriptors_of_rank(0, 1024, own, 0), kUsualHardLimit) << "the store's";
  EXPECT_LT(descriptors_of_rank(1, 100'000, own, 0), 100u) << "a tree's";
  EXPECT_GT(descriptors_of_rank(1, 4096, own, 1), kUsualHardLimit) << "a mesh's";
  for (const Rendezvous& elsewhere : {file, agents})
    EXPECT_EQ(descriptors_of_rank(0, 64, elsewhere, 1), descriptors_of_rank(1, 64, own, 1));
}

TEST(LookPeriod, GrowsWithTheRanksAndEnds) {
  using distributed::poll_period;
  EXPECT_EQ(poll_period(milliseconds(100), 1), milliseconds(100));
  EXPECT_EQ(poll_period(milliseconds(100), 256), milliseconds(256));
  EXPECT_EQ(poll_period(milliseconds(100), 10000), milliseconds(1000));
}

TEST(Preflight, NamesEveryKeyThatDiffers) {
  const distributed::Facts zero{{"a", "1"}, {"b.c", "x"}, {"b.d", "[1]"}};
  const distributed::Facts mine{{"a", "1"}, {"b.c", "y"}, {"f", "true"}};
  EXPECT_EQ(distributed::differences(zero, mine),
            (std::vector<std::string>{"b.c is y; rank 0 has x", "b.d is absent; rank 0 has [1]",
                                      "f is true; rank 0 has absent"}));
  EXPECT_TRUE(distributed::differences(zero, zero).empty());
}

}  // namespace
}  // namespace scalemark::testing
