#include <gtest/gtest.h>

#include <chrono>
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
