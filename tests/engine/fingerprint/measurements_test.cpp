#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "core/base/error.h"
#include "core/machine/survey.h"
#include "engine/device/cpu_allocator.h"
#include "engine/device/device.h"
#include "engine/fingerprint/compute.h"
#include "engine/fingerprint/disk_read.h"
#include "engine/fingerprint/machine.h"
#include "engine/fingerprint/replay.h"

namespace scalemark::fingerprint {
namespace {

namespace fs = std::filesystem;
using reporting::MachineRate;

constexpr double kShort_s = 0.02;

monitoring::Host host_with(std::vector<std::string> flags) {
  monitoring::Host host;
  host.hostname = "n1";
  host.cpu = "Made Up 9000";
  host.cpu_flags = std::move(flags);
  host.memory_bytes = 1ULL << 30;
  return host;
}

TEST(MatrixSize, GrowsWithWhatComputes) {
  EXPECT_EQ(matrix_size(true, 1), 8192);
  EXPECT_EQ(matrix_size(false, 2), 1024);
  EXPECT_EQ(matrix_size(false, 8), 2048);
  EXPECT_EQ(matrix_size(false, 64), 4096);
}

TEST(CopiedBytes, BeyondCachesAndWithinTheMemoryThatThereIs) {
  monitoring::Host host = host_with({});
  EXPECT_EQ(copied_bytes(host), 64 << 20) << "a sixteenth of 1 GiB";
  host.memory_bytes = 1ULL << 40;
  EXPECT_EQ(copied_bytes(host), 512 << 20);
  host.cgroup.memory_bytes = (160ULL << 20) + 5;
  EXPECT_EQ(copied_bytes(host), 10 << 20) << "whole MiB";
}

TEST(Precisions, OfACpuByItsFlags) {
  using enum settings::Precision;
  const auto device = device::make_cpu_device();
  EXPECT_EQ(precisions_of(*device, host_with({"avx2"})), std::vector{kFp32});
  EXPECT_EQ(precisions_of(*device, host_with({"avx2", "amx_bf16"})),
            (std::vector{kFp32, kAmpBf16}));
}

TEST(ReplayProducts, GiveTheSameBitsEachTime) {
  const auto device = device::make_cpu_device();
  const auto host = host_with({"avx2", "amx_bf16"});
  const auto once = replay_products(*device, host, {.seconds = kShort_s});
  const auto again = replay_products(*device, host, {.seconds = kShort_s});
  ASSERT_EQ(once.size(), precisions_of(*device, host).size());
  EXPECT_EQ(once.front().precision, "fp32");
  EXPECT_EQ(once.front().work, "matrix product");
  EXPECT_GE(once.front().rounds, 3);
  EXPECT_EQ(once.front().wrong, 0);
  EXPECT_EQ(once.front().digest.size(), 32u);
  EXPECT_EQ(once.front().digest, again.front().digest);
  ASSERT_GT(once.size(), 1u);
  EXPECT_NE(once.front().digest, once.back().digest);
  EXPECT_NE(once.front().method.find("1024 x 1024, Made Up 9000"), std::string::npos)
      << once.front().method;
}

TEST(ReplayProducts, EndEarlyWhereTheyAreAskedTo) {
  const auto device = device::make_cpu_device();
  int asked = 0;
  const auto once = [&] { return ++asked < 2; };
  const auto replays =
      replay_products(*device, host_with({}), {.seconds = 3600, .continues = once});
  ASSERT_EQ(replays.size(), 1u);
  EXPECT_EQ(replays.front().rounds, 1);
}

TEST(HoldProducts, OneThatFailsHasItsReasonAndNoneIsMadeAfterTheEnd) {
  const auto device = device::make_cpu_device();
  MachineOptions options{.seconds = 0.1};
  const auto held = hold_products(*device, host_with({}), options);
  ASSERT_EQ(held.size(), 1u);
  EXPECT_GT(held.front().value.value_or(0), 0) << held.front().reason;
  EXPECT_EQ(held.front().device_name, "Made Up 9000");
  device->limit_memory(1 << 10);
  const auto failed = hold_products(*device, host_with({}), options);
  device->limit_memory(std::nullopt);
  ASSERT_EQ(failed.size(), 1u);
  EXPECT_FALSE(failed.front().value);
  EXPECT_NE(failed.front().reason, "");
  EXPECT_EQ(failed.front().what, MachineRate::kSustainedProduct);
  EXPECT_EQ(failed.front().unit, "FLOP/s");
  options.continues = [] { return false; };
  EXPECT_TRUE(hold_products(*device, host_with({}), options).empty());
}

TEST(SustainedProduct, IsTheRateOfTheSecondHalf) {
  const auto device = device::make_cpu_device();
  const auto record =
      sustained_product(*device, settings::Precision::kFp32, 0.2, [] { return true; });
  EXPECT_EQ(record.what, MachineRate::kSustainedProduct);
  EXPECT_GT(record.value.value_or(0), 0);
  EXPECT_NE(record.method.find(", held for 0.2 s"), std::string::npos) << record.method;
  const auto late =
      sustained_product(*device, settings::Precision::kFp32, 1e-9, [] { return true; });
  EXPECT_GT(late.value.value_or(0), 0) << late.reason;
}

TEST(MatrixProduct, IsTheRateOfTheMachine) {
  const auto device = device::make_cpu_device();
  const auto record = matrix_product(*device, settings::Precision::kFp32, kShort_s);
  EXPECT_EQ(record.what, MachineRate::kMatrixProduct);
  EXPECT_EQ(record.precision, "fp32");
  EXPECT_EQ(record.unit, "FLOP/s");
  ASSERT_TRUE(record.value);
  EXPECT_GT(*record.value, 1e8);
  EXPECT_LT(*record.value, 1e16);
  EXPECT_GE(record.n, 2);
}

TEST(DiskRead, PastTheCacheOrWithAReason) {
  const ScratchFolder scratch(::testing::TempDir());
  const auto record = disk_read(scratch.path(), kShort_s);
  EXPECT_EQ(record.unit, "B/s");
  EXPECT_NE(record.value.has_value(), !record.reason.empty());
  EXPECT_TRUE(fs::is_empty(scratch.path())) << "the file has no name";
}

TEST(DiskRead, OfMemoryIsNone) {
  if (!fs::is_directory("/dev/shm")) GTEST_SKIP() << "there is no /dev/shm";
  const auto record = disk_read("/dev/shm", kShort_s);
  EXPECT_FALSE(record.value);
  EXPECT_NE(record.reason.find("tmpfs"), std::string::npos) << record.reason;
}

TEST(ScratchFolder, BelowTheNearestFolderThatExistsAndGoneAfterwards) {
  fs::path path;
  {
    const ScratchFolder scratch(fs::path(::testing::TempDir()) / "not" / "there");
    path = scratch.path();
    EXPECT_TRUE(fs::is_directory(path));
    EXPECT_EQ(fs::canonical(path.parent_path()), fs::canonical(::testing::TempDir()));
  }
  EXPECT_FALSE(fs::exists(path));
  EXPECT_THROW(ScratchFolder("/proc/1"), Error);
}

std::vector<MachineRate> kinds(const std::vector<FingerprintRecord>& records) {
  std::vector<MachineRate> found;
  for (const auto& record : records) found.push_back(record.what);
  return found;
}

TEST(MeasureMachine, EverythingThatOneProcessCan) {
  const auto device = device::make_cpu_device();
  MachineOptions options;
  options.threads = {1, 2};
  options.folder = ::testing::TempDir();
  options.seconds = kShort_s;
  const auto records = measure_machine(*device, host_with({"avx2"}), options);
  using enum MachineRate;
  EXPECT_EQ(kinds(records),
            (std::vector{kMatrixProduct, kMatrixProduct, kMemoryCopy, kImageLoader, kDiskRead}));
  EXPECT_EQ(records[0].threads, 1);
  EXPECT_EQ(records[1].threads, 2);
  EXPECT_EQ(records[2].threads, 2);
  for (const auto& record : records) {
    EXPECT_EQ(record.host, "n1");
    EXPECT_EQ(record.device_name, "Made Up 9000");
    EXPECT_NE(record.value.has_value(), !record.reason.empty());
  }
}

// A limit of memory is met by the copy alone; the rest is measured.
TEST(MeasureMachine, AMeasurementThatFailsHasItsReason) {
  const auto device = device::make_cpu_device();
  device->limit_memory(32 << 20);
  MachineOptions options;
  options.folder = "/proc/1";
  options.seconds = kShort_s;
  const auto records = measure_machine(*device, host_with({}), options);
  device->limit_memory(std::nullopt);
  ASSERT_EQ(records.size(), 4u);
  EXPECT_TRUE(records[0].value);
  EXPECT_FALSE(records[1].value);
  EXPECT_NE(records[1].reason, "");
  EXPECT_EQ(records[1].unit, "B/s");
  EXPECT_NE(records[2].reason.find("/proc/1"), std::string::npos) << records[2].reason;
}

TEST(MeasureMachine, EndsWhenAsked) {
  const auto device = device::make_cpu_device();
  MachineOptions options;
  options.folder = ::testing::TempDir();
  options.seconds = kShort_s;
  int asked = 0;
  options.continues = [&] { return ++asked < 2; };
  EXPECT_EQ(measure_machine(*device, host_with({}), options).size(), 1u);
}

}  // namespace
}  // namespace scalemark::fingerprint
