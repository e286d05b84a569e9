#include "core/machine/energy.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

namespace scalemark::monitoring {
namespace {

namespace fs = std::filesystem;

// A powercap folder as the kernel lays it out.
class Rapl : public ::testing::Test {
 protected:
  Rapl() { fs::remove_all(root_); }
  ~Rapl() override { fs::remove_all(root_); }

  void set(const std::string& zone, const std::string& name, const std::string& energy_uj) {
    fs::create_directories(root_ / zone);
    std::ofstream(root_ / zone / "name") << name << "\n";
    std::ofstream(root_ / zone / "max_energy_range_uj") << "1000000000\n";
    std::ofstream(root_ / zone / "energy_uj") << energy_uj << "\n";
  }

  const fs::path root_ =
      fs::temp_directory_path() / ("scalemark-rapl-" + std::to_string(::getpid()));
};

TEST_F(Rapl, IsAbsentWithoutZones) { EXPECT_EQ(open_cpu_energy(root_), nullptr); }

TEST_F(Rapl, CountsPackagesOnlyAndInJoules) {
  set("intel-rapl:0", "package-0", "1000000");
  set("intel-rapl:0:0", "core", "5");
  set("intel-rapl:1", "package-1", "0");
  set("intel-rapl:2", "psys", "7");
  const auto meter = open_cpu_energy(root_);
  ASSERT_NE(meter, nullptr);
  meter->begin();
  set("intel-rapl:0", "package-0", "3500000");
  set("intel-rapl:1", "package-1", "250000");
  EXPECT_EQ(meter->joules(), (std::vector<double>{2.5, 0.25}));
}

TEST_F(Rapl, KnowsThatACounterWrapsAround) {
  set("intel-rapl:0", "package-0", "999000000");
  const auto meter = open_cpu_energy(root_);
  meter->begin();
  set("intel-rapl:0", "package-0", "1000000");
  EXPECT_EQ(meter->joules(), (std::vector<double>{2.0}));
}

TEST_F(Rapl, SaysNothingWhenACounterCannotBeRead) {
  set("intel-rapl:0", "package-0", "1");
  const auto meter = open_cpu_energy(root_);
  meter->begin();
  set("intel-rapl:0", "package-0", "not a number");
  EXPECT_TRUE(meter->joules().empty());
}

TEST(GpuEnergy, IsAbsentWithoutADriver) {
  EXPECT_EQ(open_gpu_energy("GPU-0", "libno-such-library.so.1"), nullptr);
}

std::string fake_energy(const std::string& variant) {
  return std::string(SCALEMARK_BINARY_DIR) + "/tests/libfake_nvml_" + variant + ".so";
}

TEST(GpuEnergy, IsWhatTheDriverCountsBetweenTwoReadings) {
  const auto meter = open_gpu_energy("GPU-aaaa-0000", fake_energy("whole"));
  ASSERT_NE(meter, nullptr);
  meter->begin();
  EXPECT_EQ(meter->joules(), (std::vector<double>{1.5}));
}

// GPU 0 has instances: its counter is theirs together.
TEST(GpuEnergy, IsAbsentForAGpuInMigModeAndForItsInstances) {
  EXPECT_EQ(open_gpu_energy("GPU-aaaa-0000", fake_energy("mig")), nullptr);
  EXPECT_EQ(open_gpu_energy("GPU-cccc-0", fake_energy("mig")), nullptr);
}

TEST(GpuEnergy, IsAbsentForAnUnknownGpuAndUnderAnOldDriver) {
  EXPECT_EQ(open_gpu_energy("GPU-zzzz", fake_energy("whole")), nullptr);
  EXPECT_EQ(open_gpu_energy("GPU-aaaa-0000", fake_energy("old")), nullptr);
}

}  // namespace
}  // namespace scalemark::monitoring
