#include "core/machine/health.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>

#include "tests/core/machine/fake_root.h"

namespace scalemark::monitoring {
namespace {

using Values = std::map<std::string, double>;

std::string nvml_variant(const std::string& variant) {
  return std::string(SCALEMARK_BINARY_DIR) + "/tests/libfake_nvml_" + variant + ".so";
}

// Returns values by counter; one of the machine has the device before its name.
Values by_name(const std::vector<HealthCounter>& counters) {
  Values values;
  for (const auto& one : counters) {
    values[one.uuid.empty() ? one.device + " " + one.counter : one.counter] = one.value;
  }
  return values;
}

class GpuCounters : public ::testing::Test {
 protected:
  ~GpuCounters() override { ::unsetenv("FAKE_NVML_HEALTH"); }
  static auto open(const char* uuid = "GPU-aaaa-0000", const char* variant = "whole") {
    return GpuHealth::open(uuid, "cuda:0", nvml_variant(variant));
  }
};

TEST_F(GpuCounters, AreThoseThatTheDriverReports) {
  const auto gpu = open();
  ASSERT_TRUE(gpu);
  const auto counters = gpu->read();
  for (const auto& one : counters) {
    EXPECT_EQ(one.device, "cuda:0");
    EXPECT_EQ(one.uuid, "GPU-aaaa-0000");
  }
  const Values read = by_name(counters);
  const Values expected{{"ecc_uncorrected_volatile", 0},
                        {"ecc_uncorrected_aggregate", 7},
                        {"rows_remapped_corrected", 1},
                        {"rows_remapped_uncorrected", 0},
                        {"rows_remap_pending", 0},
                        {"rows_remap_failed", 0},
                        {"nvlinks_active", 17},
                        {"nvlink_replays", 0},
                        {"nvlink_recoveries", 0},
                        {"nvlink_crc_errors", 20},
                        {"pcie_replays", 4},
                        {"pcie_generation", 5},
                        {"pcie_generation_max", 5},
                        {"pcie_width", 16},
                        {"pcie_width_max", 16},
                        {"held_back_thermal_s", 0},
                        {"held_back_reliability_s", 0},
                        {"xid_events", 0}};
  for (const auto& [counter, value] : expected) {
    ASSERT_TRUE(read.contains(counter)) << counter;
    EXPECT_EQ(read.at(counter), value) << counter;
  }
  EXPECT_TRUE(read.contains("ecc_corrected_volatile"));
  EXPECT_FALSE(read.contains("ecc_corrected_aggregate")) << "the driver keeps none";
  EXPECT_FALSE(read.contains("held_back_board_limit_s")) << "likewise";
  EXPECT_FALSE(read.contains("xid_last")) << "there was none";
}

TEST_F(GpuCounters, GrowOnOneGpuOnly) {
  const auto sick = open(), well = open("GPU-bbbb-1111");
  ASSERT_TRUE(sick && well);
  const Values before = by_name(sick->read()), other_before = by_name(well->read());
  ::setenv("FAKE_NVML_HEALTH", "0,ecc_uncorrected=2,rows=1,pending=1,nvlink_replays=3,xid=79", 1);
  const Values after = by_name(sick->read()), other_after = by_name(well->read());
  for (const auto& [counter, grew] : Values{{"ecc_uncorrected_volatile", 2},
                                            {"ecc_uncorrected_aggregate", 2},
                                            {"rows_remapped_uncorrected", 1},
                                            {"rows_remap_pending", 1},
                                            {"nvlink_replays", 3},
                                            {"nvlink_crc_errors", 0},
                                            {"xid_events", 1}}) {
    EXPECT_EQ(after.at(counter) - before.at(counter), grew) << counter;
    EXPECT_EQ(other_after.at(counter), other_before.at(counter)) << counter;
  }
  EXPECT_EQ(after.at("xid_last"), 79);
  EXPECT_EQ(by_name(sick->read()).at("xid_events"), 1) << "an event is reported once, and kept";
}

TEST_F(GpuCounters, SecondsGrowAsTheDriverHoldsClocksDown) {
  const auto gpu = open();
  ASSERT_TRUE(gpu);
  const double before = by_name(gpu->read()).at("held_back_power_s");
  EXPECT_NEAR(by_name(gpu->read()).at("held_back_power_s") - before, 1e-3, 1e-9);
}

// None of the functions that an old driver lacks; instances have no counters of their own.
TEST_F(GpuCounters, AreAbsentWhereTheDriverHasNone) {
  EXPECT_FALSE(open("GPU-aaaa-0000", "old"));
  EXPECT_FALSE(open("GPU-aaaa-0000", "broken"));
  EXPECT_FALSE(open("GPU-aaaa-0000", "mig"));
  EXPECT_FALSE(open("GPU-none"));
  EXPECT_FALSE(GpuHealth::open("GPU-aaaa-0000", "cuda:0", "/nonexistent.so"));
}

TEST(MachineCounters, AreThoseOfPortsInterfacesAndMemory) {
  const FakeRoot root;
  const std::string port = "sys/class/infiniband/mlx5_0/ports/1/counters/";
  root.write(port + "link_downed", "3\n");
  root.write(port + "symbol_error", "N/A (no PMA)\n");
  root.write(port + "port_rcv_errors", "18446744073709551615\n");
  root.write(port + "port_rcv_data", "123456\n");
  root.write("sys/class/net/eth0/carrier_changes", "2\n");
  root.write("sys/class/net/eth0/device/vendor", "0x15b3\n");
  root.write("sys/class/net/br0/carrier_changes", "900\n");
  root.write("sys/devices/system/edac/mc/mc0/ce_count", "11\n");
  root.write("sys/devices/system/edac/mc/mc0/ue_count", "0\n");
  root.write("sys/devices/system/edac/mc/power/control", "auto\n");
  EXPECT_EQ(by_name(machine_health(root.path())), (Values{{"mlx5_0/1 link_downed", 3},
                                                          {"mlx5_0/1 port_rcv_errors", 0x1p64},
                                                          {"eth0 carrier_changes", 2},
                                                          {"mc0 ce_count", 11},
                                                          {"mc0 ue_count", 0}}));
}

TEST(MachineCounters, AMachineWithoutIsNoError) {
  const FakeRoot root;
  EXPECT_TRUE(machine_health(root.path()).empty());
}

}  // namespace
}  // namespace scalemark::monitoring
