#include <gtest/gtest.h>

#include "claims/import/log_text.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "tests/claims/import/sample_logs.h"

namespace scalemark::importing {
namespace {

std::optional<Log> nccl_tests_log(std::string_view text) {
  return only(read_nccl_tests(LogText(text)));
}

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
      nccl_tests_log("# Collective test starting: all_reduce_perf\n" + ranks(8) + kHeader +
                     "        8192          2048     float     sum      -1    12.50    0.66    "
                     "1.15      0    12.00    0.68    1.19      0\n"
                     "       65536         16384     float     sum      -1    20.00    3.28    "
                     "5.73      0      N/A    0.00    0.00    N/A\n"
                     "     1048576        262144     float     sum      -1    40.00   26.21   "
                     "45.88      0    41.00   25.58   44.76      3\n");
  ASSERT_TRUE(log);
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
  const auto log = nccl_tests_log("+ ./build/all_gather_perf -b 1M\n" + ranks(4) +
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

// They print the largest difference to the sum that they expect.
TEST(NcclTests, OfOlderFormsAreOffByRounding) {
  const auto claims_of = [](const std::string& type, const std::string& error) {
    const auto log = nccl_tests_log(
        ranks(4) +
        "# size count type redop time algbw busbw error time algbw busbw error\n1048576 262144 " +
        type + " sum 40.00 26.21 39.32 " + error +
        " 41.00 25.58 38.37 0e+00\n1048576 262144 float sum 40.00 26.21 39.32 0e+00 41.00 25.58 "
        "38.37 4e-07\n");
    EXPECT_EQ(log->first_line, 8u);
    EXPECT_EQ(log->last_line, 9u);
    return log->claims.size();
  };
  EXPECT_EQ(claims_of("float", "2e-07"), 4u);
  EXPECT_EQ(claims_of("float", "2e-01"), 3u);
  EXPECT_EQ(claims_of("half", "3e-02"), 4u);
  EXPECT_EQ(claims_of("half", "2e+00"), 3u);
  EXPECT_EQ(claims_of("int32", "1e+00"), 3u);
  EXPECT_EQ(claims_of("float", "nan"), 3u);
}

TEST(NcclTests, MayListTheFirstRanksOnly) {
  const std::string row =
      "1073741824 268435456 float sum -1 5792.3 185.37 367.85 0 5792.3 185.37 "
      "367.85 0\n";
  const std::string two =
      "# Rank 0 Pid 7 on n0 device 0 [0x1] NVIDIA H100\n# Rank 1 Pid 8 on n0 "
      "device 1 [0x2] NVIDIA H100\n";
  const auto log_of = [&](const std::string& list) {
    return *nccl_tests_log("# Collective test starting: all_reduce_perf\n" + list + kHeader + row);
  };
  for (const std::string& list :
       {two, two + "# ...\n", two + "...\n", "# nThread 1 nGpus 1 minBytes 8\n" + two,
        "# nThread 1 nGpus 8 minBytes 8\n" + two}) {
    const Log log = log_of(list);
    EXPECT_TRUE(log.contradictions.empty()) << list << log.contradictions.front();
    EXPECT_FALSE(log.says.gpus) << list;
    ASSERT_FALSE(log.exchanges.empty()) << list;
    EXPECT_LE(log.exchanges[0].least, 128);
    EXPECT_GE(log.exchanges[0].most, 128);
    EXPECT_EQ(log.remarks.size(), 1u);
  }
  EXPECT_EQ(log_of("# nThread 1 nGpus 2 minBytes 8\n" + two).contradictions.size(), 1u);
}

TEST(NcclTests, DoNotSayWhatIsNotThere) {
  const std::string line =
      "     1048576        262144     float     sum      -1    40.00   26.21   45.88      0    "
      "41.00   25.58   44.76      0\n";
  const auto bare = nccl_tests_log(kHeader + line);
  ASSERT_TRUE(bare);
  EXPECT_FALSE(bare->says.gpus);
  EXPECT_FALSE(bare->says.collective);
  const auto gap = nccl_tests_log(
      "#  Rank 0 Group 0 Pid 1 on a device 0 [0x1] X\n#  Rank 7 Group 0 Pid 1 on a device 7 [0x1] "
      "X\n" +
      kHeader + line);
  EXPECT_FALSE(gap->says.gpus);
}

TEST(NcclTests, AreRefusedWhereTheyAreOfSeveralRuns) {
  const std::string line =
      "     1048576        262144     float     sum      -1    40.00   26.21   45.88      0    "
      "41.00   25.58   44.76      0\n";
  EXPECT_THROW(nccl_tests_log(ranks(1) + "#  Rank 0 Group 0 Pid 8 on host1 device 0 [0x1b] X\n" +
                              kHeader + line),
               Error);
  EXPECT_THROW(nccl_tests_log(kHeader), Error);
  EXPECT_FALSE(nccl_tests_log("algbw\n"));
}

TEST(NcclTests, OfSeveralCollectivesAreRunsOfTheirOwn) {
  const std::string line =
      "     1048576        262144     float     sum      -1    40.00   26.21   39.32      0    "
      "41.00   25.58   38.37      0\n";
  const std::string text = "# Collective test starting: all_reduce_perf\n" + ranks(4) + kHeader +
                           line +
                           "# Collective test concluded: all_reduce_perf\n# Collective test "
                           "starting: broadcast_perf\n" +
                           ranks(2) + kHeader + line;
  const auto runs = read_nccl_tests(LogText(text));
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_EQ(runs[0].log.says.collective, "all-reduce");
  EXPECT_EQ(runs[0].log.says.gpus, 4);
  EXPECT_TRUE(runs[0].log.contradictions.empty());
  EXPECT_EQ(runs[1].log.says.collective, "broadcast");
  EXPECT_EQ(runs[1].log.says.gpus, 2);
  // A broadcast has a factor of 1.
  EXPECT_EQ(runs[1].log.contradictions.size(), 1u);
  const auto imported = import_logs(std::span(&runs[0].log, 1), GivenFields("", 1), "t");
  EXPECT_EQ(imported.rows[1].gpus, 4);
  EXPECT_EQ(imported.rows[1].collective, "all-reduce");
  EXPECT_THROW(import_logs(std::span(&runs[0].log, 1), GivenFields("gpus=2", 1), "t"), Error);
}

TEST(NcclTests, LeaveOutWhatIsCut) {
  const std::string row =
      "     1048576        262144     float     sum      -1    40.00   26.21   39.32      0    "
      "41.00   25.58   38.37      0\n";
  const std::string text = ranks(4) + kHeader + row + row;
  const auto first = std::to_string(lines_of(text).size() + 1);
  for (const auto& [cut, words] :
       std::vector<std::pair<std::string, int>>{{row.substr(0, row.size() - 3), 12},
                                                {row.substr(0, row.size() - 20), 11},
                                                {row.substr(0, 60), 6},
                                                {"  1048576  2621", 2},
                                                {"  33554432", 1}}) {
    const auto log = nccl_tests_log(text + cut + "\n");
    EXPECT_EQ(log->claims.size(), 4u) << cut;
    ASSERT_EQ(log->unread.size(), 1u) << cut;
    EXPECT_EQ(log->unread.front(),
              "line " + first + " is cut: " + counted(words, "word") + " where other rows have 13");
    EXPECT_TRUE(log->remarks.empty()) << log->remarks.front();
  }
  // NCCL's own lines fall into rows, too.
  const auto mixed = nccl_tests_log(text +
                                    "  2097152  524288  float  sum  -1[0] n1:77 NCCL INFO 8 "
                                    "bytes, algo 0, proto 0, time 25.8\n");
  EXPECT_EQ(mixed->unread.size(), 1u);
}

// busbw is algbw x 2 (n - 1) / n of an all-reduce on n ranks, x (n - 1) / n of an all-gather.
TEST(NcclTests, SayByTheirRatioWhatTheyCanBeOf) {
  const auto of = [&](double factor, double busbw) {
    std::string text = kHeader;
    for (const long bytes : {1L << 20, 1L << 26, 1L << 30}) {
      const double algbw = busbw / factor, us = static_cast<double>(bytes) / 1e3 / algbw;
      const std::string block =
          fixed(us, 1) + " " + fixed(algbw, 2) + " " + fixed(busbw, 2) + " 0 ";
      text += std::to_string(bytes) + " 1 float sum -1 " + block + block + "\n";
    }
    return *nccl_tests_log(text);
  };
  const auto imported = [](const Log& log, const std::string& fields) -> std::string {
    try {
      const auto rows = import_logs({&log, 1}, GivenFields("system=H200" + fields, 1), "t").rows;
      return *rows[0].collective + " on " + std::to_string(*rows[0].gpus);
    } catch (const Error& error) {
      EXPECT_EQ(error.record().exit_code, ExitCode::kConfiguration);
      return error.record().what;
    }
  };
  const Log large = of(2.0 * 47 / 48, 811.37);
  EXPECT_TRUE(large.contradictions.empty());
  ASSERT_EQ(large.exchanges.size(), 1u);
  EXPECT_EQ(large.exchanges[0].collective, "all-reduce");
  EXPECT_EQ(imported(large, ",gpus=48"), "all-reduce on 48");
  EXPECT_EQ(imported(large, ",gpus=8"),
            "--fields gives gpus=8, and by its busbw / algbw '' is of all-reduce on 48");
  EXPECT_EQ(imported(large, ",collective=all-gather"),
            "--fields gives collective=all-gather, and by its busbw / algbw '' is of all-reduce on "
            "48");
  EXPECT_EQ(imported(large, ""), "all-reduce on 48");
  const Log coarse = of(2.0 * 71 / 72, 33.4);
  EXPECT_NE(imported(coarse, "").find("does not say: gpus"), std::string::npos);
  EXPECT_EQ(imported(coarse, ",gpus=72"), "all-reduce on 72");
  EXPECT_NE(imported(coarse, ",gpus=8").find("all-reduce on 6"), std::string::npos)
      << imported(coarse, ",gpus=8");
  const Log shared = of(7.0 / 8, 380.25);
  EXPECT_EQ(imported(shared, ",collective=reduce-scatter"), "reduce-scatter on 8");
  EXPECT_NE(imported(shared, "").find("does not say: collective"), std::string::npos);
  const Log whole = of(1, 200.5);
  EXPECT_EQ(imported(whole, ",collective=broadcast,gpus=12"), "broadcast on 12");
  EXPECT_EQ(imported(whole, ",collective=all-reduce"), "all-reduce on 2");
  EXPECT_NE(imported(whole, ",collective=all-reduce,gpus=4").find("--fields gives"),
            std::string::npos);
}

TEST(NcclTests, TellRowsWhoseNumbersCannotBeTrue) {
  const std::string good = " 1048576 262144 float sum -1 40.00 26.21 39.32 0 41.00 25.58 38.37 0\n";
  const auto told = [&](const std::string& bad) {
    const auto log = nccl_tests_log(ranks(4) + kHeader + good + good + bad + good);
    return joined(log->contradictions, "; ");
  };
  EXPECT_EQ(told(good), "");
  EXPECT_NE(told(" 1048576 262144 float sum -1 40.00 36.21 54.32 0 41.00 25.58 38.37 0\n")
                .find("1,048,576 bytes in 40.00 us are not the 36.21 GB/s of algbw"),
            std::string::npos);
  EXPECT_NE(told(" 1048576 262144 float sum -1 40.00 26.21 45.88 0 41.00 25.58 38.37 0\n")
                .find("busbw 45.88 over algbw 26.21 is another ratio"),
            std::string::npos);
  const auto other =
      nccl_tests_log("# Collective test starting: all_reduce_perf\n" + ranks(8) + kHeader + good);
  EXPECT_NE(joined(other->contradictions, "; ")
                .find("all-reduce on 4, and it says collective=all-"
                      "reduce,gpus=8"),
            std::string::npos)
      << joined(other->contradictions, "; ");
}

// The output of rccl-tests has another name, and AMD's chips; a header may have lost its mark.
TEST(NcclTests, OfOtherProgramsAndOlderVersions) {
  const auto rccl = nccl_tests_log(
      "rccl-tests: Version develop:1a2b3c4\n#  Rank  0 Pid  977 on mi300 device  0 "
      "[0000:05:00.0] AMD Instinct MI300X\n#  Rank  1 Pid  977 on mi300 device  1 [0000:15:00.0] "
      "AMD Instinct MI300X\n" +
      kHeader + " 1048576 262144 float sum -1 40.00 26.21 26.21 0 41.00 25.58 25.58 0\n");
  EXPECT_EQ(rccl->says.framework, "rccl-tests");
  EXPECT_EQ(rccl->chip, "AMD Instinct MI300X");
  EXPECT_EQ(rccl->says.gpus, 2);
  const auto bare = nccl_tests_log(
      "size(B) count type redop time(us) algbw busbw error time algbw busbw error\n1048576 262144 "
      "float sum 40.00 26.21 26.21 0 41.00 25.58 25.58 0\n");
  ASSERT_TRUE(bare);
  EXPECT_EQ(bare->claims.size(), 2u);
}

}  // namespace
}  // namespace scalemark::importing
