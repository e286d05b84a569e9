#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <torch/csrc/distributed/c10d/HashStore.hpp>
#include <vector>

#include "core/base/error.h"
#include "engine/distributed/backends.h"
#include "engine/distributed/groups.h"
#include "engine/distributed/providers.h"

namespace scalemark::distributed {
namespace {

using Type = c10d::ProcessGroup::BackendType;

// c10d knows this backend only by name; it carries nothing.
class SilentBackend final : public c10d::Backend {
 public:
  SilentBackend(int rank, int size) : c10d::Backend(rank, size) {}
  const std::string getBackendName() const override { return "silent"; }
};

class Counting final : public BackendProvider {
 public:
  explicit Counting(std::string_view name, bool messages = true)
      : name_(name), notices_(messages) {}
  std::string_view name() const override { return name_; }
  bool serves(c10::DeviceType) const override { return true; }
  bool notices_lost_peers() const override { return notices_; }
  c10::intrusive_ptr<c10d::Backend> make(const GroupSpec& spec) const override {
    specs.push_back(spec);
    return c10::make_intrusive<SilentBackend>(spec.rank, spec.size());
  }
  mutable std::vector<GroupSpec> specs;

 private:
  std::string_view name_;
  bool notices_;
};

GroupSpec alone_on(c10::DeviceType device) {
  return {.store = c10::make_intrusive<c10d::HashStore>(),
          .name = "one",
          .members = {3},
          .device = c10::Device(device),
          .timeout = std::chrono::milliseconds(5000),
          .interface = "lo"};
}

// A second Gloo for the GPU's tensors would be a second full mesh of connections, for nothing.
TEST(PointGroup, MakesOneGlooForControlAndAGpusTensors) {
  const PointGroup point(alone_on(c10::DeviceType::CUDA), gloo());
  EXPECT_EQ(point.group()->getBackend(c10::DeviceType::CUDA), point.control());
  EXPECT_EQ(point.group()->getBackendType(), Type::GLOO);
}

TEST(PointGroup, KeepsControlTrafficOffAnotherBackend) {
  const Counting silent("silent");
  const PointGroup point(alone_on(c10::DeviceType::CPU), silent);
  ASSERT_EQ(silent.specs.size(), 1U);
  EXPECT_EQ(silent.specs[0].members, std::vector<int>{3});
  EXPECT_EQ(silent.specs[0].timeout, std::chrono::milliseconds(5000));
  EXPECT_NE(point.group()->getBackend(c10::DeviceType::CPU), point.control());
}

// Runs `body` of each member of a group whose payload `provider` carries, as threads.
void run_members(int size, const BackendProvider& provider,
                 const std::function<void(int rank, PointGroup&, ErrorStore&)>& body) {
  const auto store = c10::make_intrusive<c10d::HashStore>();
  std::vector<std::thread> members;
  for (int rank = 0; rank < size; ++rank) {
    members.emplace_back([&, rank] {
      GroupSpec spec = alone_on(c10::DeviceType::CPU);
      spec.store = store;
      spec.members = all_ranks(size);
      spec.rank = rank;
      spec.timeout = std::chrono::seconds(60);
      PointGroup point(spec, provider);
      ErrorStore faults(store, rank, size, false);
      body(rank, point, faults);
    });
  }
  for (std::thread& member : members) member.join();
}

// A hang is explained by who has begun fewer collectives. Ranks send and receive different numbers
// of messages, which Gloo counts as collectives.
TEST(PointGroup, EveryMemberHasBegunEquallyManyCollectives) {
  const Counting silent("silent");
  for (const BackendProvider* provider : {&gloo(), static_cast<const BackendProvider*>(&silent)}) {
    run_members(5, *provider, [&](int rank, PointGroup& point, ErrorStore& faults) {
      ControlGroup control(point.control(), point.count(), std::chrono::seconds(60), faults,
                           std::chrono::milliseconds(0));
      const auto before = point.count()->begun();
      const auto texts = control.gather(std::string(static_cast<std::size_t>(rank), 'x'));
      if (rank == 0) {
        EXPECT_EQ(texts, (std::vector<std::string>{"", "x", "xx", "xxx", "xxxx"}));
      }
      control.broadcast("to all");
      control.barrier();
      EXPECT_EQ(point.count()->begun() - before, 3U) << provider->name() << " " << rank;
    });
  }
}

// Connected lazily, a member that talks to none of the others would never learn of it.
TEST(PointGroup, AMemberThatGoesAwayBeforeTheFirstCollectiveFreesAllOthers) {
  constexpr int kSize = 9, kGone = 3;  // a leaf of the tree: its parent is 2, whose parent is 0
  const Counting silent("silent");
  std::atomic<int> freed{0};
  run_members(kSize, silent, [&](int rank, PointGroup& point, ErrorStore& faults) {
    auto control =
        std::make_unique<ControlGroup>(point.control(), point.count(), std::chrono::seconds(60),
                                       faults, std::chrono::milliseconds(0));
    if (rank != kGone) {
      try {
        control->barrier();
      } catch (const Error& error) {
        const std::string& what = error.record().what;
        freed += error.record().code == "E_PEER_LOST" && what.find("Timed out") == what.npos;
      }
    }
    control.reset();
    point.drop();
  });
  EXPECT_EQ(freed, kSize - 1);
}

// Registered under one type and looked for under another, c10d would not find it.
TEST(PointGroup, ABackendIsFoundUnderTheTypeThatItIsRegisteredUnder) {
  for (const auto& [name, type] :
       {std::pair{"silent", Type::CUSTOM}, std::pair{"mpi", Type::MPI}}) {
    const Counting provider(name);
    const PointGroup point(alone_on(c10::DeviceType::CPU), provider);
    EXPECT_EQ(point.group()->getBackendType(), type);
    EXPECT_EQ(point.group()->getDefaultBackend(), point.group()->getBackend(c10::DeviceType::CPU));
  }
}

TEST(Backends, AreFoundByNameAndRefusedWithWhatThereIs) {
  EXPECT_EQ(&find_provider("gloo", c10::DeviceType::CPU, {}), &gloo());
  const Counting nccl("nccl", false);
  EXPECT_EQ(&find_provider("nccl", c10::DeviceType::CUDA, {.nccl = &nccl}), &nccl);
  try {
    find_provider("nccl", c10::DeviceType::CPU, {});
    FAIL() << "found a backend whose part is not loaded";
  } catch (const Error& error) {
    EXPECT_EQ(error.record().exit_code, ExitCode::kConfiguration);
    EXPECT_EQ(error.record().what, "backend 'nccl' on a CPU");
    EXPECT_EQ(error.record().expected, "gloo");
  }
}

}  // namespace
}  // namespace scalemark::distributed
