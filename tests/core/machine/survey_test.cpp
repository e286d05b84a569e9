#include "core/machine/survey.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mman.h>

#include <cstring>

#include "core/machine/process_reading.h"
#include "tests/core/machine/fake_root.h"

namespace scalemark::monitoring {
namespace {

constexpr const char* kCpuinfo =
    "processor\t: 0\nmodel name\t: Made Up 9000 CPU @ 2.00GHz\nphysical id\t: 0\ncore id\t\t: 0\n"
    "flags\t\t: fpu sse avx2 fma avx512f avx512_bf16 amx_tile amx_bf16\n\n"
    "processor\t: 1\nmodel name\t: Made Up 9000 CPU @ 2.00GHz\nphysical id\t: 0\ncore id\t\t: 0\n\n"
    "processor\t: 2\nmodel name\t: Made Up 9000 CPU @ 2.00GHz\nphysical id\t: 1\ncore id\t\t: "
    "0\n\n";

TEST(Environment, ReadsAMachine) {
  FakeRoot root;
  root.write("proc/cpuinfo", kCpuinfo);
  root.write("proc/meminfo", "MemTotal:       16384 kB\nMemFree: 1 kB\n");
  root.write("etc/os-release", "NAME=\"Debian\"\nPRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\n");
  root.write("sys/class/net/eth0/speed", "25000\n");
  root.write("sys/class/net/eth0/operstate", "up\n");
  root.write("sys/class/net/eth0/mtu", "9000\n");
  root.write("sys/class/net/veth1/speed", "-1\n");
  root.write("sys/class/net/lo/mtu", "65536\n");
  const Host host = survey_host(root.path(), "");
  EXPECT_EQ(host.cpu, "Made Up 9000 CPU @ 2.00GHz");
  EXPECT_EQ(host.os, "Debian GNU/Linux 12 (bookworm)");
  EXPECT_EQ(host.cores.physical, 2);
  EXPECT_EQ(host.cores.logical, 3);
  EXPECT_EQ(host.memory_bytes, 16384u * 1024);
  EXPECT_EQ(host.cpu_flags, (std::vector<std::string>{"avx2", "fma", "avx512f", "avx512_bf16",
                                                      "amx_tile", "amx_bf16"}));
  ASSERT_EQ(host.nics.size(), 2u);
  EXPECT_EQ(host.nics[0].name, "eth0");
  EXPECT_EQ(host.nics[0].speed_Mbit_per_s, 25000);
  EXPECT_EQ(host.nics[0].mtu, 9000);
  EXPECT_FALSE(host.nics[1].speed_Mbit_per_s);  // -1 is "unknown", never a speed
}

TEST(Environment, KnowsThisMachine) {
  const Host host = survey_host("/", "");
  cpu_set_t set;
  ASSERT_EQ(sched_getaffinity(0, sizeof set, &set), 0);
  EXPECT_EQ(host.cores.usable, CPU_COUNT(&set));
  EXPECT_GE(host.cores.logical, host.cores.usable);
  EXPECT_GT(host.memory_bytes, 1u << 28);
  EXPECT_FALSE(host.hostname.empty());
  EXPECT_EQ(usable_cores(), usable_cores(host));
}

TEST(Environment, AnEmptyTreeIsNoError) {
  FakeRoot root;
  const Host host = survey_host(root.path(), "");
  EXPECT_EQ(host.cpu, "");
  EXPECT_EQ(host.cgroup.version, 0);
  EXPECT_TRUE(host.nics.empty());
}

TEST(Cgroup, VersionTwoTakesTheTightestOnTheWayUp) {
  FakeRoot root;
  root.write("proc/self/cgroup", "0::/jobs/17\n");
  root.write("sys/fs/cgroup/cgroup.controllers", "cpu memory\n");
  root.write("sys/fs/cgroup/jobs/cpu.max", "250000 100000\n");
  root.write("sys/fs/cgroup/jobs/17/cpu.max", "max 100000\n");
  root.write("sys/fs/cgroup/jobs/memory.max", "max\n");
  root.write("sys/fs/cgroup/jobs/17/memory.max", "1073741824\n");
  const auto limits = cgroup_limits(root.path());
  EXPECT_EQ(limits.version, 2);
  EXPECT_EQ(limits.cpus, 2.5);
  EXPECT_EQ(limits.memory_bytes, 1073741824u);
}

TEST(Cgroup, VersionOneAndItsWayToSayUnlimited) {
  FakeRoot root;
  root.write("proc/self/cgroup", "5:memory:/job\n4:cpu,cpuacct:/job\n");
  root.write("sys/fs/cgroup/cpu/job/cpu.cfs_quota_us", "150000\n");
  root.write("sys/fs/cgroup/cpu/job/cpu.cfs_period_us", "100000\n");
  root.write("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n");
  root.write("sys/fs/cgroup/memory/job/memory.limit_in_bytes", "9223372036854771712\n");
  const auto limits = cgroup_limits(root.path());
  EXPECT_EQ(limits.version, 1);
  EXPECT_EQ(limits.cpus, 1.5);
  EXPECT_FALSE(limits.memory_bytes);
}

TEST(Cgroup, AQuotaBoundsTheUsableCoresToWholeOnes) {
  Host host;
  host.cores.usable = 8;
  EXPECT_EQ(usable_cores(host), 8);
  host.cgroup.cpus = 2.5;
  EXPECT_EQ(usable_cores(host), 2);
  host.cgroup.cpus = 0.5;
  EXPECT_EQ(usable_cores(host), 1);
}

TEST(Variables, OnlyTheAllowListAndNoSecrets) {
  const char* environment[] = {"OMP_NUM_THREADS=4", "NCCL_DEBUG=INFO",    "NCCL_SECRET_KEY=x",
                               "HOME=/home/me",     "AWS_SECRET_KEY=abc", "CUDA_VISIBLE_DEVICES=",
                               "SLURM_JWT=abc",     "GLOO_AUTH_TOKEN=t",  "garbage"};
  const std::map<std::string, std::string> expected = {
      {"OMP_NUM_THREADS", "4"}, {"NCCL_DEBUG", "INFO"}, {"CUDA_VISIBLE_DEVICES", ""}};
  EXPECT_EQ(allowed_variables(environment), expected);
}

TEST(Memory, ThePeakFollowsAnAllocationAndIsReset) {
  if (!reset_peak_rss()) GTEST_SKIP() << "this kernel refuses /proc/self/clear_refs";
  const auto before = peak_rss_bytes();
  constexpr std::size_t kBytes = 64 << 20;
  // Mapped here, not from the heap: a sanitizer keeps freed heap blocks resident.
  void* block = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(block, MAP_FAILED);
  std::memset(block, 1, kBytes);
  EXPECT_GE(peak_rss_bytes(), before + kBytes - (4 << 20));
  EXPECT_EQ(munmap(block, kBytes), 0);
  ASSERT_TRUE(reset_peak_rss());
  EXPECT_LT(peak_rss_bytes(), before + kBytes / 2);
}

TEST(Memory, FieldsOfStatus) {
  EXPECT_EQ(kilobyte_field("VmPeak:\t 9 kB\nVmHWM:\t   123 kB\n", "VmHWM"), 123u * 1024);
  EXPECT_FALSE(kilobyte_field("VmPeak:\t 9 kB\n", "VmHWM"));
  EXPECT_FALSE(kilobyte_field("VmHWM:\n", "VmHWM"));
}

}  // namespace
}  // namespace scalemark::monitoring
