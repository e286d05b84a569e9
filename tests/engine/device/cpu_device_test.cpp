#include <gtest/gtest.h>

#include "engine/device/cpu_allocator.h"
#include "engine/device/device.h"

namespace scalemark::device {
namespace {

TEST(CpuDevice, BatchesCountAgainstTheLimitUntilTheirLastHolderLetsGo) {
  constexpr std::size_t kBytes = 1 << 20;
  const auto device = make_cpu_device();
  const auto allocate = device->batch_allocator(false);
  const auto before = cpu_allocator().memory().live_bytes;
  auto batch = allocate(kBytes);
  auto kept = batch;
  batch.reset();
  EXPECT_EQ(cpu_allocator().memory().live_bytes, before + kBytes);
  device->limit_memory(before + kBytes + 100);
  EXPECT_THROW(allocate(101), c10::OutOfMemoryError);
  kept.reset();
  EXPECT_EQ(cpu_allocator().memory().live_bytes, before);
  EXPECT_NE(allocate(kBytes), nullptr);
  EXPECT_NE(allocate(0), nullptr) << "an empty field has an address, too";
  device->limit_memory(std::nullopt);
}

}  // namespace
}  // namespace scalemark::device
