#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

#include "core/base/error.h"
#include "engine/distributed/store.h"

namespace scalemark::distributed {
namespace {

using std::chrono::milliseconds;

// A rank 0 whose store answers at once, and which says only later what it serves.
class SlowRankZero {
 public:
  explicit SlowRankZero(const std::string& serves)
      : store_(c10::make_intrusive<c10d::TCPStore>("127.0.0.1", options())), says_([this, serves] {
          std::this_thread::sleep_for(milliseconds(400));
          static_cast<c10d::Store&>(*store_).set("scalemark/serving", serves);
        }) {}
  ~SlowRankZero() { says_.join(); }

  launching::Rendezvous place(const std::string& run) const {
    return {.kind = launching::Rendezvous::Kind::kTcp,
            .host = "127.0.0.1",
            .port = store_->getPort(),
            .run_id = run};
  }

 private:
  static c10d::TCPStoreOptions options() {
    c10d::TCPStoreOptions options;
    options.port = 0;
    options.isServer = true;
    options.waitWorkers = false;
    return options;
  }

  c10::intrusive_ptr<c10d::TCPStore> store_;
  std::thread says_;
};

launching::World second_of_two() {
  launching::World world;
  world.rank = 1;
  world.world_size = 2;
  return world;
}

// It would wait in vain for its own rank 0 otherwise.
TEST(OpenStore, WaitsUntilItLearnsWhichRunAStoreServes) {
  SlowRankZero other("a ");
  try {
    open_store(second_of_two(), other.place("b"), milliseconds(1500));
    FAIL() << "another run's store was taken for its own";
  } catch (const Error& error) {
    EXPECT_NE(error.record().what.find("serves run a"), std::string::npos) << error.what();
  }
}

TEST(OpenStore, TakesItsOwnRunsStore) {
  SlowRankZero own("a ");
  const OpenedStore opened = open_store(second_of_two(), own.place("a"), milliseconds(5000));
  ASSERT_TRUE(opened.store);
  EXPECT_FALSE(opened.hosts);
}

}  // namespace
}  // namespace scalemark::distributed
