#include <gtest/gtest.h>

#include <chrono>
#include <torch/csrc/distributed/c10d/HashStore.hpp>

#include "engine/distributed/gloo.h"
#include "engine/distributed/groups.h"

namespace scalemark::distributed {
namespace {

// c10d keeps one backend of each type. A second Gloo for the GPU's tensors would connect, be
// dropped at once, and break the peer that is still connecting to it.
TEST(PointGroup, MakesOneGlooForCpuAndGpuTensors) {
  const auto store = c10::make_intrusive<c10d::HashStore>();
  const std::chrono::milliseconds timeout(5000);
  int made = 0;
  const DeviceBackend on_gpu{.device = c10::DeviceType::CUDA,
                             .name = "gloo",
                             .make = [&](c10::intrusive_ptr<c10d::Store> keys, int rank, int size) {
                               ++made;
                               return make_gloo_backend(std::move(keys), rank, size, timeout, "lo");
                             }};
  PointGroup point(store, "one", 0, 1, timeout, "lo", on_gpu);
  EXPECT_EQ(made, 0);
  EXPECT_EQ(point.group()->getBackend(c10::DeviceType::CUDA),
            point.group()->getBackend(c10::DeviceType::CPU));
}

}  // namespace
}  // namespace scalemark::distributed
