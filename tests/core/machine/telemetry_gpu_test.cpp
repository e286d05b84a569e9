#include <gtest/gtest.h>

#include <cstdlib>
#include <map>

#include "core/machine/telemetry/gpu_probes.h"
#include "core/machine/telemetry/sampler.h"

namespace scalemark::monitoring {
namespace {

std::string fake_readings(const std::string& variant) {
  return std::string(SCALEMARK_BINARY_DIR) + "/tests/libfake_nvml_" + variant + ".so";
}

std::map<std::string, SourceSummary> read_once(std::vector<std::unique_ptr<Probe>> probes) {
  Sampler sampler(std::move(probes));
  sampler.begin();
  sampler.end();
  std::map<std::string, SourceSummary> by_source;
  for (const auto& summary : sampler.summaries()) by_source[summary.source] = summary;
  return by_source;
}

class GpuTelemetry : public ::testing::Test {
 protected:
  ~GpuTelemetry() override {
    ::unsetenv("FAKE_NVML_REASONS");
    ::unsetenv("FAKE_NVML_PROCESSES");
  }
  static auto read(int own_processes = 1) {
    return read_once(gpu_probes("GPU-aaaa-0000", "cuda:0", own_processes, fake_readings("whole")));
  }
};

TEST_F(GpuTelemetry, HasWhatTheDriverGivesInItsUnits) {
  const auto read = this->read();
  const std::map<std::string, double> expected = {{"sm_clock_MHz", 1755},   {"temperature_C", 61},
                                                  {"power_W", 650.5},       {"utilisation", 0.97},
                                                  {"memory_used_bytes", 1}, {"other_processes", 0}};
  for (const auto& [source, value] : expected) {
    ASSERT_TRUE(read.contains(source)) << source;
    EXPECT_DOUBLE_EQ(read.at(source).mean, value) << source;
    EXPECT_EQ(read.at(source).device, "cuda:0");
  }
}

TEST_F(GpuTelemetry, TellsApartWhatHoldsTheClocksDown) {
  for (const auto& [bit, source] :
       std::map<std::string, std::string>{{"0x4", "power_cap"},
                                          {"0x8", "hw_slowdown"},
                                          {"0x20", "sw_thermal_slowdown"},
                                          {"0x40", "hw_thermal_slowdown"},
                                          {"0x80", "power_brake"}}) {
    ::setenv("FAKE_NVML_REASONS", bit.c_str(), 1);
    const auto read = this->read();
    for (const char* reason : {"power_cap", "hw_slowdown", "sw_thermal_slowdown",
                               "hw_thermal_slowdown", "power_brake"}) {
      EXPECT_EQ(read.at(reason).mean, source == reason ? 1 : 0) << bit << ' ' << reason;
    }
  }
}

// The fake counts 1 ms of power violation and one corrected error between any two reads.
TEST_F(GpuTelemetry, CountsViolationsAndErrorsOverTheWindow) {
  const auto read = this->read();
  EXPECT_NEAR(read.at("power_violation_share").total.value(), 1e-3, 1e-9);
  EXPECT_EQ(read.at("thermal_violation_share").total.value(), 0);
  EXPECT_EQ(read.at("ecc_corrected_errors_per_s").total.value(), 1);
  EXPECT_EQ(read.at("ecc_uncorrected_errors_per_s").total.value(), 0);
  EXPECT_FALSE(read.contains("board_limit_violation_share"));  // this driver does not support it
}

TEST_F(GpuTelemetry, OtherProcessesAreThoseBeyondOurRanks) {
  ::setenv("FAKE_NVML_PROCESSES", "3", 1);
  EXPECT_EQ(read(2).at("other_processes").mean, 1);
  EXPECT_EQ(read(4).at("other_processes").mean, 0);  // a rank of ours has no context yet
}

TEST_F(GpuTelemetry, LeavesOutWhatIsNotThere) {
  EXPECT_TRUE(gpu_probes("GPU-aaaa-0000", "cuda:0", 1, "libno-such-library.so.1").empty());
  EXPECT_TRUE(gpu_probes("GPU-aaaa-0000", "cuda:0", 1, fake_readings("broken")).empty());
  EXPECT_TRUE(gpu_probes("GPU-ffff-0000", "cuda:0", 1, fake_readings("whole")).empty());
  EXPECT_TRUE(gpu_probes("GPU-aaaa-0000", "cuda:0", 1, fake_readings("mig")).empty());
}

}  // namespace
}  // namespace scalemark::monitoring
