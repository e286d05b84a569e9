// Claims on what an option changes, and on collectives.
#include <gtest/gtest.h>

#include "tests/claims/judge/sample_claims.h"

namespace scalemark::claims {
namespace {

using published::Row;
using reporting::Report;

// Sets the second group of a100_report() against the first.
reporting::EffectRecord effect_of(const char* axis, const char* from, const char* to,
                                  double ratio) {
  reporting::EffectRecord effect{.axis = axis,
                                 .fixed = {{"world_size", "8"}},
                                 .from = from,
                                 .to = to,
                                 .groups = {"p1", "p8"},
                                 .pairs = 5,
                                 .ratio = ratio};
  effect.ratio_ci95 = {ratio - 0.01, ratio + 0.01};
  return effect;
}

// Values of the option itself that were made smaller stand for the ones in their places.
TEST(Claims, SmallerValuesStandForThoseThatAreClaimed) {
  Row row{.id = "x-1", .group = "g", .repo = "practice", .path = "batches", .workload = "resnet50"};
  row.metric = "throughput";
  row.direction = "at_least";
  row.relative_to = published::Relative{.option = "batch_size", .from = "16", .to = "32"};
  Report report = a100_report(1000, 1000);
  report.effects.push_back(effect_of("batch_size", "2", "4", 1.2));
  EXPECT_EQ(verdicts({row}, report), Texts{"x-1 throughput not_measured"});
  report.scaled_down.push_back({"batch_size", "16,32,128,256", "2,4,16,32"});
  EXPECT_EQ(verdicts({row}, report), Texts{"x-1 throughput same_direction"});
}

// "30 % more latency under other traffic", said of 4 GPUs and measured on 2 ranks.
TEST(Claims, CongestionIsARatioOfLatencies) {
  Row row{.id = "x-1", .group = "g", .repo = "practice", .path = "all-reduce"};
  row.gpus = 4;
  row.metric = "latency_s";
  row.value = 1.3;
  row.collective = "all-reduce";
  row.relative_to = published::Relative{.option = "congestion", .from = "off", .to = "on"};
  Report report;
  for (const bool congestion : {false, true}) {
    reporting::CollectiveGroup group;
    group.group = congestion ? "c-on" : "c-off";
    group.backend = "gloo";
    group.bytes = 4096;
    group.world_size = 2;
    group.n = 5;
    group.congestion = congestion;
    const double latency_s = congestion ? 0.0025 : 0.001;
    group.latency_p50_s = {.value = latency_s,
                           .ci95 = {.low = 0.99 * latency_s, .high = 1.01 * latency_s}};
    report.collective_groups.push_back(group);
  }
  EXPECT_EQ(verdicts({row}, report), Texts{"x-1 latency_s differs_here"});
  report.collective_groups.back().backend = "mpi";
  EXPECT_EQ(verdicts({row}, report), Texts{"x-1 latency_s not_measured"});
}

// "15 to 20 % less time at 100 MB" and "more memory", from the effect of an option.
TEST(Claims, AChangeIsReadFromEffects) {
  Row row{.id = "x-1", .group = "g", .repo = "practice", .path = "buckets", .workload = "resnet50"};
  row.metric = "step_s";
  row.low = 0.80;
  row.high = 0.85;
  row.relative_to = published::Relative{.option = "bucket_cap_mb", .from = "25", .to = "100"};
  Row memory = row;
  memory.id = "x-2";
  memory.metric = "memory_bytes";
  memory.low.reset();
  memory.high.reset();
  memory.direction = "at_least";
  Report report = a100_report(1000, 1000);
  report.points[1].memory_peak_bytes = 2 * report.points[0].memory_peak_bytes;
  report.effects.push_back(effect_of("bucket_cap_mb", "25", "100", 1.21));
  EXPECT_EQ(verdicts({row, memory}, report),
            (Texts{"x-1 step_s confirmed", "x-2 memory_bytes confirmed"}));
  // The other way round in the report, as its axis begins with another value.
  std::swap(report.effects[0].from, report.effects[0].to);
  std::swap(report.effects[0].groups[0], report.effects[0].groups[1]);
  report.effects[0].ratio = 1 / 1.05;
  report.effects[0].ratio_ci95.low = 1 / 1.06;
  report.effects[0].ratio_ci95.high = 1 / 1.04;
  EXPECT_EQ(verdicts({row, memory}, report),
            (Texts{"x-1 step_s refuted", "x-2 memory_bytes confirmed"}));
  // Resident memory of a process on a CPU varies.
  for (auto& point : report.points) point.device_name.clear();
  EXPECT_EQ(verdicts({memory}, report), Texts{"x-2 memory_bytes not_judged"});
  // Another network of the same kind stands for it where --scale-down took it, and only there.
  for (auto& point : report.points) point.workload = "resnet18";
  EXPECT_EQ(verdicts({row}, report), Texts{"x-1 step_s not_measured"});
  row.workload = "bert-large";
  for (auto& point : report.points) point.workload = "bert-mini";
  EXPECT_EQ(verdicts({row}, report), Texts{"x-1 step_s not_measured"});
  report.scaled_down.push_back({.option = "workload", .from = "bert-base", .to = "bert-mini"});
  EXPECT_EQ(verdicts({row}, report), Texts{"x-1 step_s same_direction"});
}

TEST(Claims, ABandwidthAboveTheClaimIsReached) {
  Row row{.id = "x-1", .group = "g", .repo = "o/r", .path = "p"};
  row.metric = "busbw_GBps";
  row.value = 400;
  row.collective = "all-reduce";
  Report report = a100_report(1, 1);
  reporting::CollectiveGroup group;
  group.group = "c";
  group.backend = "nccl";
  group.bytes = 1 << 30;
  group.world_size = 8;
  group.device = "NVIDIA H100 80GB HBM3";
  group.n = 5;
  group.busbw_GBps = {.value = 520, .ci95 = {.low = 510, .high = 530}};
  report.collective_groups.push_back(group);
  EXPECT_EQ(verdicts({row}, report), Texts{"x-1 busbw_GBps reached"});
  row.conditions = {{"in_place", "on"}, {"dtypes", "fp32"}, {"via", "c10d"}};
  EXPECT_EQ(verdicts({row}, report), Texts{"x-1 busbw_GBps reached"});
  for (const auto& [option, value] :
       {std::pair("in_place", "off"), {"dtypes", "bf16"}, {"via", "direct"}}) {
    Row other = row;
    other.conditions[option] = value;
    EXPECT_EQ(verdicts({other}, report), Texts{"x-1 busbw_GBps not_measured"}) << option;
  }
}

}  // namespace
}  // namespace scalemark::claims
