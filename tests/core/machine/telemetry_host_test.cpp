#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <map>

#include "core/machine/process_reading.h"
#include "core/machine/telemetry/host_probes.h"

namespace scalemark::monitoring {
namespace {

namespace fs = std::filesystem;

// /proc and /sys of a made-up machine. Files are rewritten in place, as the kernel's are: a probe
// keeps them open.
class HostTelemetry : public ::testing::Test {
 protected:
  HostTelemetry() { fs::remove_all(root_); }
  ~HostTelemetry() override { fs::remove_all(root_); }

  void set(const std::string& file, const std::string& text) {
    fs::create_directories((root_ / file).parent_path());
    std::ofstream(root_ / file) << text;
  }

  static std::map<std::string, double> values_of(Probe& probe) {
    std::vector<std::optional<double>> values(probe.sources().size());
    probe.read(values);
    std::map<std::string, double> by_name;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const SourceName& name = probe.sources()[i];
      if (values[i])
        by_name[name.device + (name.device.empty() ? "" : " ") + name.source] = *values[i];
    }
    return by_name;
  }

  const fs::path root_ =
      fs::temp_directory_path() / ("scalemark-telemetry-" + std::to_string(::getpid()));
};

using Values = std::map<std::string, double>;

TEST_F(HostTelemetry, BusyIsUserNiceAndSystemInSeconds) {
  set("proc/stat", "cpu  1000 100 300 9999 5 7 9 40 0 0\ncpu0 1 1 1 1\n");
  const auto probe = cpu_time_probe(root_);
  ASSERT_NE(probe, nullptr);
  const auto ticks_per_s = static_cast<double>(::sysconf(_SC_CLK_TCK));
  EXPECT_EQ(values_of(*probe), (Values{{"busy_cpus", 1400 / ticks_per_s},
                                       {"interrupt_cpus", 16 / ticks_per_s},
                                       {"steal_cpus", 40 / ticks_per_s}}));
  set("proc/stat", "cpu  1100 100 300 9999 5 7 9 41 0 0\n");
  EXPECT_EQ(values_of(*probe), (Values{{"busy_cpus", 1500 / ticks_per_s},
                                       {"interrupt_cpus", 16 / ticks_per_s},
                                       {"steal_cpus", 41 / ticks_per_s}}));
  set("proc/stat", "cpu  0 0 0 0 0 0 0 0 0 0\n");  // a sandbox
  EXPECT_EQ(values_of(*probe), Values{});
  set("proc/stat", "no such line\n");
  EXPECT_EQ(values_of(*probe), Values{});
}

TEST_F(HostTelemetry, FrequencyIsAMeanOverCpus) {
  set("sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq", "2000000\n");
  set("sys/devices/system/cpu/cpu1/cpufreq/scaling_cur_freq", "3000000\n");
  set("sys/devices/system/cpu/cpufreq/policy0/scaling_cur_freq", "1\n");
  EXPECT_EQ(values_of(*cpu_frequency_probe(root_)), (Values{{"cpu_frequency_MHz", 2500}}));
}

TEST_F(HostTelemetry, FrequencyReadsEightCpusAtMost) {
  for (int cpu = 0; cpu < 64; ++cpu) {
    set("sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/cpufreq/scaling_cur_freq",
        "1000000");
  }
  const auto probe = cpu_frequency_probe(root_);
  const auto before = std::distance(fs::directory_iterator("/proc/self/fd"), {});
  const auto another = cpu_frequency_probe(root_);
  EXPECT_EQ(std::distance(fs::directory_iterator("/proc/self/fd"), {}), before + 8);
}

TEST_F(HostTelemetry, QuotaOfVersion2IsReadOnTheWayUp) {
  set("sys/fs/cgroup/cgroup.controllers", "cpu");
  set("proc/self/cgroup", "0::/a/b\n");
  set("sys/fs/cgroup/cpu.stat", "usage_usec 5\n");  // the root has no quota
  set("sys/fs/cgroup/a/cpu.stat",
      "usage_usec 5\nnr_periods 9\nnr_throttled 2\nthrottled_usec 500000\n");
  set("sys/fs/cgroup/a/b/cpu.stat", "nr_periods 9\nnr_throttled 1\nthrottled_usec 250000\n");
  EXPECT_EQ(values_of(*cgroup_probe(root_)),
            (Values{{"quota_throttled_cpus", 0.75}, {"quota_throttled_periods_per_s", 3}}));
}

TEST_F(HostTelemetry, QuotaOfVersion1IsInNanoseconds) {
  set("proc/self/cgroup", "4:cpu,cpuacct:/job\n");
  set("sys/fs/cgroup/cpu/job/cpu.stat",
      "nr_periods 9\nnr_throttled 4\nthrottled_time 2000000000\n");
  EXPECT_EQ(values_of(*cgroup_probe(root_)),
            (Values{{"quota_throttled_cpus", 2}, {"quota_throttled_periods_per_s", 4}}));
}

TEST_F(HostTelemetry, AControlGroupIsKnownByItsFolder) {
  EXPECT_EQ(cpu_group_id(root_), "");
  set("proc/self/cgroup", "4:cpu,cpuacct:/job/a\n");
  set("sys/fs/cgroup/cpu/job/a/cpu.stat", "");
  set("sys/fs/cgroup/cpu/job/b/cpu.stat", "");
  const std::string a = cpu_group_id(root_);
  EXPECT_EQ(a, cpu_group_id(root_));
  EXPECT_NE(a.find("/job/a:"), std::string::npos) << a;
  set("proc/self/cgroup", "4:cpu,cpuacct:/job/b\n");
  EXPECT_NE(a, cpu_group_id(root_));
}

// The name may hold anything.
TEST_F(HostTelemetry, ProcessorTimeOfAProcessIsCountedTwice) {
  set("proc/self/stat",
      "71 (a) 9 (b) R 1 2 3 4 5 6 7 8 9 10 150 50 7 7 20 0 9 0 1312072 3133440 380\n");
  const auto values = values_of(*process_cpu_probe(root_));
  EXPECT_DOUBLE_EQ(values.at("process_cpus_by_ticks"),
                   200 / static_cast<double>(::sysconf(_SC_CLK_TCK)));
  EXPECT_GT(values.at("process_cpus"), 0);
  set("proc/self/stat", "nonsense");
  EXPECT_EQ(values_of(*process_cpu_probe(root_)).size(), 1u);
}

// A run and `doctor --measure` read the same of themselves, a quota among it.
TEST_F(HostTelemetry, AProcessReadsItsTimeItsThreadsAndItsQuota) {
  set("proc/self/cgroup", "4:cpu,cpuacct:/job\n");
  set("sys/fs/cgroup/cpu/job/cpu.stat",
      "nr_periods 9\nnr_throttled 4\nthrottled_time 2000000000\n");
  const std::atomic<int> threads(3);
  Values all;
  for (const auto& probe : process_probes(threads, root_)) all.merge(values_of(*probe));
  EXPECT_EQ(all.at("quota_throttled_cpus"), 2);
  EXPECT_EQ(all.at("wanted_cpus"), 3);
  EXPECT_TRUE(all.contains("process_cpus") && all.contains("watching_cpu_share"));
}

// The kernel makes both of the same sums.
TEST(ProcessTelemetry, TheTwoCountsOfThisProcessAgree) {
  const auto probe = process_cpu_probe();
  std::vector<std::optional<double>> values(2);
  probe->read(values);
  if (!values[1]) GTEST_SKIP() << "no /proc/self/stat";
  EXPECT_NEAR(*values[0], *values[1], 0.05 + 0.02 * *values[0]);
}

TEST_F(HostTelemetry, NetworkIsOfHardwareAndOfLo) {
  for (const std::string name : {"eth0", "veth7", "lo"}) {
    set("sys/class/net/" + name + "/statistics/rx_bytes", "100\n");
    set("sys/class/net/" + name + "/statistics/tx_bytes", "200\n");
  }
  set("sys/class/net/eth0/device/vendor", "0x1af4");
  EXPECT_EQ(values_of(*network_probe(root_)), (Values{{"eth0 received_bytes_per_s", 100},
                                                      {"eth0 sent_bytes_per_s", 200},
                                                      {"lo received_bytes_per_s", 100},
                                                      {"lo sent_bytes_per_s", 200}}));
}

TEST_F(HostTelemetry, NetworkOfAContainerIsAllThatItHas) {
  set("sys/class/net/eth0/statistics/rx_bytes", "1\n");
  set("sys/class/net/eth0/statistics/tx_bytes", "2\n");
  EXPECT_EQ(values_of(*network_probe(root_)).size(), 2u);
}

TEST_F(HostTelemetry, InfinibandCountsWordsOfFourBytes) {
  set("sys/class/infiniband/mlx5_0/ports/1/counters/port_rcv_data", "10\n");
  set("sys/class/infiniband/mlx5_0/ports/1/counters/port_xmit_data", "20\n");
  const auto probe = infiniband_probe(root_);
  EXPECT_TRUE(probe->only_at_ends());
  EXPECT_EQ(values_of(*probe),
            (Values{{"mlx5_0/1 received_bytes_per_s", 40}, {"mlx5_0/1 sent_bytes_per_s", 80}}));
}

TEST_F(HostTelemetry, WhatIsNotThereIsAbsent) {
  EXPECT_TRUE(host_probes(root_).empty());
  EXPECT_EQ(machine_id(root_), "");
  set("proc/sys/kernel/random/boot_id", "c0ffee\n");
  EXPECT_EQ(machine_id(root_), "c0ffee");
}

TEST_F(HostTelemetry, MemoryThatIsAvailableAndSwap) {
  set("proc/meminfo", "MemTotal:  100 kB\nMemFree:  1 kB\nMemAvailable:  50 kB\n");
  set("proc/vmstat", "nr_free_pages 7\npswpin 2\npswpout 3\n");
  const auto page = static_cast<double>(::sysconf(_SC_PAGESIZE));
  EXPECT_EQ(values_of(*memory_probe(root_)),
            (Values{{kMemoryAvailable, 50 * 1024}, {kSwappedBytes, 5 * page}}));
  set("proc/vmstat", "");
  EXPECT_EQ(values_of(*memory_probe(root_)), (Values{{kMemoryAvailable, 50 * 1024}}));
}

TEST_F(HostTelemetry, PressureIsTheTotalOfSome) {
  EXPECT_EQ(pressure_probe(root_), nullptr);
  set("proc/pressure/cpu", "some avg10=1.00 avg60=2.00 avg300=3.00 total=2500000\n");
  set("proc/pressure/io",
      "some avg10=0.00 avg60=0.00 avg300=0.00 total=7\nfull avg10=0.00 total=5\n");
  EXPECT_EQ(values_of(*pressure_probe(root_)), (Values{{kPressureCpu, 2.5}, {kPressureIo, 7e-6}}));
}

TEST_F(HostTelemetry, DisksThatAreHardwareAddUp) {
  set("sys/block/loop0/stat", "9 9 9 9 9 9 9 9\n");
  for (const char* disk : {"sda", "nvme0n1"}) {
    set(std::string("sys/block/") + disk + "/device/model", "x");
    set(std::string("sys/block/") + disk + "/stat", "   10 0  200 5  20 0  400 9 0 0 0\n");
  }
  EXPECT_EQ(values_of(*disk_probe(root_)),
            (Values{{kDiskReadBytes, 2 * 200 * 512}, {kDiskWrittenBytes, 2 * 400 * 512}}));
}

TEST_F(HostTelemetry, SegmentsSentAgainAndErrorsOfInterfaces) {
  set("proc/net/snmp",
      "Ip: Forwarding DefaultTTL\nIp: 1 64\n"
      "Tcp: RtoAlgorithm RtoMin RetransSegs InErrs\nTcp: 1 200 17 3\nUdp: In\nUdp: 5\n");
  EXPECT_EQ(values_of(*retransmit_probe(root_)), (Values{{kRetransmits, 17}}));
  set("proc/net/snmp", "Tcp: RtoAlgorithm\nTcp: 1\n");
  EXPECT_EQ(values_of(*retransmit_probe(root_)), Values{});
  const std::string eth0 = "sys/class/net/eth0/", veth = "sys/class/net/veth1/statistics/";
  set(eth0 + "device/vendor", "x");
  set(eth0 + "statistics/rx_errors", "1\n");
  set(eth0 + "statistics/tx_dropped", "14\n");
  set(veth + "rx_errors", "1000\n");  // no hardware: what it drops, eth0 may have dropped
  EXPECT_EQ(values_of(*network_error_probe(root_)), (Values{{kNetworkErrors, 15}}));
}

TEST(ProcessReader, ReadsThisProcess) {
  ProcessReader reader;
  const ProcessReading before = reader.read();
  EXPECT_GT(before.resident_bytes, 1 << 20);
  ASSERT_TRUE(before.main_ran_s && before.main_queued_s);
  double sum = 0;
  ProcessReading after;
  do {
    for (int i = 0; i < 1000; ++i) sum += i;
    after = reader.read();
  } while (!(*after.main_ran_s > *before.main_ran_s));  // the kernel counts at its ticks
  EXPECT_GE(*after.main_queued_s, *before.main_queued_s);
  EXPECT_GT(sum, 0);
  EXPECT_FALSE(ProcessReader("/nowhere").read().main_ran_s);
}

}  // namespace
}  // namespace scalemark::monitoring
