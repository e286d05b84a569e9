#include "engine/distributed/clock.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <torch/csrc/distributed/c10d/FileStore.hpp>
#include <torch/csrc/distributed/c10d/HashStore.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

#include "engine/distributed/store.h"
#include "tests/engine/distributed/simulated_clock.h"

namespace scalemark::distributed {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(AwakeClock, LeavesOutTheTimeInWhichNobodyChecked) {
  testing::SimulatedClock time;
  AwakeClock clock(time);
  time.skip(milliseconds(300));
  EXPECT_EQ(clock.elapsed(), milliseconds(300));
  time.skip(milliseconds(2000));
  EXPECT_EQ(clock.elapsed(), milliseconds(2300));
  // Stopped for an hour: what one check may cost is counted, and no more.
  time.skip(seconds(3600));
  EXPECT_EQ(clock.elapsed(), milliseconds(4300));
  time.skip(milliseconds(500));
  EXPECT_EQ(clock.elapsed(), milliseconds(4800));
}

// Every kind of store says "not in time" in its own words.
TEST(AwaitKey, IsTheSameWithEachStore) {
  const std::string file = "/tmp/await-key-" + std::to_string(getpid());
  const auto hash = c10::make_intrusive<c10d::HashStore>();
  const auto by_file = c10::make_intrusive<c10d::FileStore>(file, 1);
  const auto by_tcp = c10::make_intrusive<c10d::TCPStore>(
      "127.0.0.1", c10d::TCPStoreOptions{.port = 0, .isServer = true, .waitWorkers = false});
  for (c10d::Store* store :
       std::initializer_list<c10d::Store*>{hash.get(), by_file.get(), by_tcp.get()}) {
    for (int i = 0; i < 3; ++i) EXPECT_FALSE(await_key(*store, "late", milliseconds(30)));
    store->set("late", "here");
    EXPECT_TRUE(await_key(*store, "late", milliseconds(30)));
    EXPECT_EQ(store->get_to_str("late"), "here");  // it still serves
  }
  unlink(file.c_str());
}

}  // namespace
}  // namespace scalemark::distributed
