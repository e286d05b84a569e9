#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <torch/csrc/distributed/c10d/HashStore.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>
#include <vector>

#include "core/base/error.h"
#include "engine/distributed/parcels.h"
#include "engine/distributed/store.h"
#include "tests/engine/distributed/counting_store.h"

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

TEST(ValuesPresent, EndAtTheFirstThatIsMissing) {
  const auto store = c10::make_intrusive<c10d::HashStore>();
  c10d::Store& keys = *store;
  keys.set("a", std::string("1"));
  keys.set("c", std::string("3"));
  EXPECT_EQ(values_present(*store, {"a", "b", "c"}), std::vector<std::string>{"1"});
  keys.set("b", std::string("2"));
  EXPECT_EQ(values_present(*store, {"a", "b", "c"}), (std::vector<std::string>{"1", "2", "3"}));
  EXPECT_TRUE(values_present(*store, {}).empty());
}

TEST(ValuesPresent, TakeTwoRequestsWhereNoneIsMissing) {
  const auto inner = c10::make_intrusive<c10d::HashStore>();
  const auto count = std::make_shared<testing::CountingStore::Counted>();
  testing::CountingStore store(inner, count);
  c10d::Store& keys = *inner;
  for (const char* key : {"a", "b", "c"}) keys.set(key, std::string("1"));
  const auto requests = [&](const std::vector<std::string>& asked) {
    count->requests = 0;
    values_present(store, asked);
    return count->requests.load();
  };
  EXPECT_EQ(requests({"a", "b", "c"}), 2);
  EXPECT_EQ(requests({"a"}), 2);
  EXPECT_EQ(requests({"d"}), 1);
  EXPECT_EQ(requests({}), 0);
}

TEST(Parcels, OfSeveralPiecesComeBackWholeAndLeaveNothing) {
  const auto store = c10::make_intrusive<c10d::HashStore>();
  for (const std::size_t bytes : {0, 1, 1 << 20, (5 << 19) + 3}) {
    std::string text(bytes, '\0');
    for (std::size_t i = 0; i < bytes; ++i) text[i] = static_cast<char>(i * i % 251);
    send_parcel(*store, "key", text);
    int pieces = 0;
    EXPECT_EQ(receive_parcel(*store, "key", [&] { ++pieces; }), text);
    EXPECT_EQ(pieces, static_cast<int>((bytes + (1 << 20) - 1) >> 20));
    delete_parcel(*store, "key");
    EXPECT_EQ(store->getNumKeys(), 0);
  }
}

}  // namespace
}  // namespace scalemark::distributed
