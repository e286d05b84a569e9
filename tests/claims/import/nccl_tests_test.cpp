#include <gtest/gtest.h>

#include "claims/import/log_text.h"
#include "core/base/error.h"

namespace scalemark::importing {
namespace {

std::string ranks(int count) {
  std::string text =
      "# nThread 1 nGpus 1 minBytes 8 maxBytes 8 step: 2(factor) warmup iters: 5 iters: 20 agg "
      "iters: 1\n# Using devices\n";
  for (int i = 0; i < count; ++i)
    text += "#  Rank " + std::to_string(i) + " Group  0 Pid 7 on  host" + std::to_string(i / 4) +
            " device " + std::to_string(i % 4) + " [0x1b] NVIDIA H100 80GB HBM3\n";
  return text;
}
const std::string kHeader =
    "#       size         count      type   redop    root     time   algbw   busbw #wrong     time "
    "  algbw   busbw #wrong\n";

TEST(NcclTests, BecomeTimesOfShortAndBandwidthsOfLongCalls) {
  const auto log =
      read_nccl_tests("# Collective test starting: all_reduce_perf\n" + ranks(8) + kHeader +
                      "        8192          2048     float     sum      -1    12.50    0.66    "
                      "1.15      0    12.00    0.68    1.19      0\n"
                      "       65536         16384     float     sum      -1    20.00    3.28    "
                      "5.73      0      N/A    0.00    0.00    N/A\n"
                      "     1048576        262144     float     sum      -1    40.00   26.21   "
                      "45.88      0    41.00   25.58   44.76      3\n");
  ASSERT_TRUE(log);
  EXPECT_EQ(log->form, "nccl-tests text");
  EXPECT_EQ(log->says.collective, "all-reduce");
  EXPECT_EQ(log->says.gpus, 8);
  EXPECT_EQ(log->says.nodes, 2);
  EXPECT_EQ(log->chip, "NVIDIA H100 80GB HBM3");
  ASSERT_EQ(log->claims.size(), 5u);  // the last has wrong elements
  EXPECT_EQ(log->claims[0].metric, "latency_s");
  EXPECT_EQ(log->claims[0].value, 12.5e-6);
  EXPECT_EQ(log->claims[0].bytes, 8192);
  EXPECT_EQ(log->claims[0].printed.at("value"), "12.50 us");
  EXPECT_EQ(log->claims[0].conditions.at("dtypes"), "fp32");
  EXPECT_EQ(log->claims[1].conditions.at("in_place"), "on");
  EXPECT_EQ(log->claims[0].counts,
            "mean time of a call, of 20 one after the other and 5 before them: no isolated call");
  EXPECT_EQ(log->claims[3].metric, "busbw_GBps");
  EXPECT_EQ(log->claims[3].value, 5.73);
  EXPECT_EQ(log->claims[4].value, 45.88);
  EXPECT_EQ(log->remarks.size(), 1u);
}

// Older programs print neither a root nor, of an all-gather, an operation.
TEST(NcclTests, OfOlderFormsAreReadFromTheRight) {
  const auto log = read_nccl_tests("+ ./build/all_gather_perf -b 1M\n" + ranks(4) +
                                   "#       size         count    type   redop     time   algbw   "
                                   "busbw  error     time   algbw   busbw  error\n"
                                   "0:     1048576        262144    half             40.00   26.21 "
                                   "  19.66  0e+00    41.00   25.58   19.18  0e+00\n");
  ASSERT_TRUE(log);
  EXPECT_EQ(log->says.collective, "all-gather");
  ASSERT_EQ(log->claims.size(), 2u);
  EXPECT_EQ(log->claims[0].value, 19.66);
  EXPECT_EQ(log->claims[1].value, 19.18);
  EXPECT_EQ(log->claims[0].conditions.at("dtypes"), "fp16");
}

TEST(NcclTests, DoNotSayWhatIsNotThere) {
  const std::string line =
      "     1048576        262144     float     sum      -1    40.00   26.21   45.88      0    "
      "41.00   25.58   44.76      0\n";
  const auto bare = read_nccl_tests(kHeader + line);
  ASSERT_TRUE(bare);
  EXPECT_FALSE(bare->says.gpus);
  EXPECT_FALSE(bare->says.collective);
  const auto gap = read_nccl_tests(
      "#  Rank 0 Group 0 Pid 1 on a device 0 [0x1] X\n#  Rank 7 Group 0 Pid 1 on a device 7 [0x1] "
      "X\n" +
      kHeader + line);
  EXPECT_FALSE(gap->says.gpus);
}

TEST(NcclTests, AreRefusedWhereTheyAreOfSeveralRuns) {
  const std::string line =
      "     1048576        262144     float     sum      -1    40.00   26.21   45.88      0    "
      "41.00   25.58   44.76      0\n";
  EXPECT_THROW(read_nccl_tests(ranks(1) + "#  Rank 0 Group 0 Pid 8 on host1 device 0 [0x1b] X\n" +
                               kHeader + line),
               Error);
  EXPECT_THROW(read_nccl_tests(kHeader), Error);
  EXPECT_FALSE(read_nccl_tests("algbw\n"));
}

TEST(NcclTests, OfSeveralCollectivesAndCountsKeepTheirOwn) {
  const std::string line =
      "     1048576        262144     float     sum      -1    40.00   26.21   45.88      0    "
      "41.00   "
      "25.58   44.76      0\n";
  const auto log =
      read_nccl_tests("# Collective test starting: all_reduce_perf\n" + ranks(4) + kHeader + line +
                      "# Collective test starting: broadcast_perf\n" + ranks(2) + kHeader + line);
  ASSERT_EQ(log->claims.size(), 4u);
  EXPECT_FALSE(log->says.gpus);
  EXPECT_FALSE(log->says.collective);
  EXPECT_EQ(log->claims[0].collective, "all-reduce");
  EXPECT_EQ(log->claims[0].gpus, 4);
  EXPECT_EQ(log->claims[2].collective, "broadcast");
  EXPECT_EQ(log->claims[2].gpus, 2);
  const auto imported = import_logs({&*log, 1}, GivenFields("", 1), "t");
  EXPECT_EQ(imported.rows[2].gpus, 2);
  EXPECT_THROW(import_logs({&*log, 1}, GivenFields("gpus=4", 1), "t"), Error);
}

}  // namespace
}  // namespace scalemark::importing
