#include <gtest/gtest.h>

#include "core/machine/telemetry/gpu_probes.h"
#include "core/machine/telemetry/host_probes.h"
#include "engine/process/machines.h"

namespace scalemark::process {
namespace {

// Each value differs, so that none can stand in another's place.
TEST(LatestReadings, OfAMachineGoToTheirFields) {
  const live::NodeStatus node = latest_of_node({{{monitoring::kBusyCpus}, 1},
                                                {{monitoring::kStealCpus}, 2},
                                                {{monitoring::kThrottledCpus}, 3},
                                                {{monitoring::kMemoryAvailable}, 4},
                                                {{monitoring::kSwappedBytes}, 5},
                                                {{monitoring::kPressureCpu}, 6},
                                                {{monitoring::kPressureMemory}, 7},
                                                {{monitoring::kPressureIo}, 8},
                                                {{monitoring::kRetransmits}, 9},
                                                {{monitoring::kNetworkErrors}, 10},
                                                {{monitoring::kDiskReadBytes}, 11},
                                                {{monitoring::kDiskWrittenBytes}, 12},
                                                {{monitoring::kReceivedBytes, "eth0"}, 13},
                                                {{monitoring::kReceivedBytes, "eth1"}, 14},
                                                {{monitoring::kSentBytes, "eth1"}, 15},
                                                {{monitoring::kSentBytes, "eth0"}, 16}},
                                               17, 18);
  EXPECT_EQ(node.busy_cpu_s, 1);
  EXPECT_EQ(node.steal_cpu_s, 2);
  EXPECT_EQ(node.throttled_cpu_s, 3);
  EXPECT_EQ(node.memory_available_bytes, 4);
  EXPECT_EQ(node.swapped_bytes, 5);
  EXPECT_EQ(node.pressure_cpu_s, 6);
  EXPECT_EQ(node.pressure_memory_s, 7);
  EXPECT_EQ(node.pressure_io_s, 8);
  EXPECT_EQ(node.retransmitted_segments, 9);
  EXPECT_EQ(node.network_errors, 10);
  EXPECT_EQ(node.disk_read_bytes, 11);
  EXPECT_EQ(node.disk_written_bytes, 12);
  ASSERT_EQ(node.interfaces.size(), 2u);
  EXPECT_EQ(node.interfaces[0].name, "eth0");
  EXPECT_EQ(node.interfaces[0].received_bytes, 13);
  EXPECT_EQ(node.interfaces[0].sent_bytes, 16);
  EXPECT_EQ(node.interfaces[1].name, "eth1");
  EXPECT_EQ(node.interfaces[1].received_bytes, 14);
  EXPECT_EQ(node.interfaces[1].sent_bytes, 15);
  EXPECT_EQ(node.clock_s, 17);
  EXPECT_EQ(node.sampler_cpu_s, 18);
  EXPECT_GE(node.cpus, 1);
}

TEST(LatestReadings, WhatAMachineDoesNotReportIsAbsent) {
  const live::NodeStatus node = latest_of_node({}, 1, 2);
  EXPECT_FALSE(node.busy_cpu_s || node.steal_cpu_s || node.throttled_cpu_s);
  EXPECT_FALSE(node.memory_available_bytes || node.network_errors || node.disk_read_bytes);
  EXPECT_TRUE(node.interfaces.empty());
}

TEST(LatestReadings, OfAGpuGoToTheirFields) {
  const std::vector<const char*> reasons = monitoring::clock_reasons();
  ASSERT_GE(reasons.size(), 3u);
  const auto gpu = latest_of_gpu({{{monitoring::kUtilisation}, 1},
                                  {{monitoring::kGpuMemoryUsed}, 2},
                                  {{monitoring::kPower}, 3},
                                  {{monitoring::kSmClock}, 4},
                                  {{monitoring::kTemperature}, 5},
                                  {{monitoring::kEccCorrected}, 6},
                                  {{monitoring::kEccUncorrected}, 7},
                                  {{monitoring::kXidErrors}, 8},
                                  {{monitoring::kPcieReplays}, 9},
                                  {{reasons[0]}, 0},
                                  {{reasons[1]}, 1},
                                  {{reasons[2]}, 0.5}});
  ASSERT_TRUE(gpu);
  EXPECT_EQ(gpu->utilisation, 1);
  EXPECT_EQ(gpu->memory_used_bytes, 2);
  EXPECT_EQ(gpu->power_W, 3);
  EXPECT_EQ(gpu->sm_clock_MHz, 4);
  EXPECT_EQ(gpu->temperature_C, 5);
  EXPECT_EQ(gpu->ecc_corrected, 6);
  EXPECT_EQ(gpu->ecc_uncorrected, 7);
  EXPECT_EQ(gpu->xid_errors, 8);
  EXPECT_EQ(gpu->pcie_replays, 9);
  EXPECT_EQ(gpu->held_down_by, (std::vector<std::string>{reasons[1], reasons[2]}));
}

TEST(LatestReadings, WithoutAClockThereIsNoGpu) {
  EXPECT_FALSE(latest_of_gpu({}));
  EXPECT_FALSE(latest_of_gpu({{{monitoring::kPower}, 3}}));
}

}  // namespace
}  // namespace scalemark::process
