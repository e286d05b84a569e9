#include "report/say/explain/explain.h"

#include <gtest/gtest.h>

#include <cmath>
#include <sstream>
#include <string>

#include "core/base/error.h"
#include "tests/report/sample_sweep.h"

namespace scalemark::reporting {
namespace {

// 8 ranks give 6.1x: 12 points go to communication, 8 to a slow rank, 3.75 to slow steps.
Report six_of_eight() {
  Report report;
  ScalingRow row{.world_size = 8, .group = "g8", .strategy = "ddp", .points = {"p0", "p1"}};
  row.speedup = 6.1;
  row.efficiency = 0.7625;
  row.step_time_s = 0.1;
  row.loss_of_efficiency = LossOfEfficiency{.persistent_imbalance = 0.08, .communication = 0.12};
  row.loss_of_efficiency->jitter = 0.0375;
  row.loss_of_efficiency_ci95 = LossIntervals{};
  row.loss_of_efficiency_ci95->communication = {0.11, 0.13};
  ScalingTable table{.kind = "weak", .relative_to = "1 rank without communication"};
  table.baseline_points = {"p-base"};
  table.rows = {row};
  report.scaling = {table};
  for (const char* id : {"p0", "p1"}) {
    PointRecord point;
    point.id = id;
    point.group = "g8";
    point.backend = "nccl";
    point.world_size = point.processes = 8;
    point.bucket_bytes = {1 << 20, 26214400, 26214400};
    point.strategy = "ddp";
    point.communication.network_s = 0.009;
    point.communication.peer_wait_s = 0.004;
    report.points.push_back(point);
  }
  return report;
}

std::string text_of(const Explanation& explanation, int columns = 200) {
  return explanation_text(explanation, {.is_terminal = true, .columns = columns});
}

CollectiveGroup measured_alone(std::int64_t bytes, double time_s) {
  CollectiveGroup group;
  group.backend = "nccl";
  group.world_size = 8;
  group.bytes = bytes;
  group.time_s.value = time_s;
  return group;
}

Report network() {
  Report report;
  report.collective_groups = {measured_alone(1 << 20, 0.001), measured_alone(4 << 20, 0.002),
                              measured_alone(64 << 20, 0.016)};
  return report;
}

TEST(Explain, EachPartHasWhatItMayBeAtMostForTheTarget) {
  const Report report = six_of_eight();
  const auto all = explain(report, {}, {});
  EXPECT_NEAR(all.ideal_speedup, 8, 1e-9);
  ASSERT_EQ(all.shares.size(), 3u);
  // 95 % is 18.75 points away: none of the parts has so many.
  EXPECT_STREQ(all.shares[0].name, "communication");
  EXPECT_FALSE(all.shares[0].at_most);
  EXPECT_NE(text_of(all).find("the target of 95.0 % (--target) is 18.8 points away, "
                              "more"),
            std::string::npos)
      << text_of(all);
  // 85 % is 8.75 points away.
  const auto nearer = explain(report, {}, {.group = "g8", .target = 0.85});
  EXPECT_NEAR(*nearer.shares[0].at_most, 0.12 - 0.0875, 1e-12);
  EXPECT_NE(text_of(nearer).find("it would suffice that \"communication\" cost 3.2 points instead "
                                 "of 12.0"),
            std::string::npos)
      << text_of(nearer);
  EXPECT_FALSE(nearer.shares[1].at_most);
  EXPECT_FALSE(explain(report, {}, {.group = {}, .target = 0.7}).shares[0].at_most);
}

TEST(Explain, InBriefItSaysWhatWasReachedAndWhereTheRestWent) {
  Report report = six_of_eight();
  const auto brief = explanation_in_brief(explain(report, {}, {}));
  ASSERT_EQ(brief.size(), 2u);
  EXPECT_TRUE(brief[0].starts_with("against 1 rank with no exchange: 8 ranks give ")) << brief[0];
  EXPECT_NE(brief[1].find("communication -"), std::string::npos) << brief[1];
  EXPECT_LT(brief[1].find("communication -"), brief[1].find("always slower")) << "largest first";
  EXPECT_NE(text_of(explain(report, {}, {})).find(brief[0].substr(33)), std::string::npos)
      << "explain's own sentence";
  report.scaling[0].rows[0].loss_of_efficiency.reset();
  EXPECT_EQ(explanation_in_brief(explain(report, {}, {})).back(),
            "where it went: the runs have no phases of steps");
  report.scaling[0].rows[0].standing = {.level = kWithheld, .reason = "shared"};
  EXPECT_EQ(explanation_in_brief(explain(report, {}, {})).size(), 1u);
}

// On the line between 4 MiB and 64 MiB: slope ln 8 / ln 16 = 3 / 4.
TEST(Explain, TheNetworkByItselfIsReadAtTheBucketSizes) {
  const Report report = six_of_eight(), measured = network();
  const auto all = explain(report, {&measured}, {});
  ASSERT_TRUE(all.buckets && all.buckets->together_s);
  ASSERT_EQ(all.buckets->sizes.size(), 2u);
  EXPECT_EQ(all.buckets->sizes[1].buckets, 2);
  const double large = 0.002 * std::pow(26214400.0 / (4 << 20), 0.75);
  EXPECT_NEAR(*all.buckets->together_s, 0.001 + 2 * large, 1e-12);
  const std::string text = text_of(all);
  char hidden[64];
  std::snprintf(hidden, sizeof hidden, "waits for %.1f %% of that; the rest is hidden",
                100 * 0.009 / (0.001 + 2 * large));
  EXPECT_NE(text.find(hidden), std::string::npos) << text;
}

// Backward ends at 50 ms. Under way for 20 + 30 ms, of which 20 + 10 lie before that.
TEST(Explain, BucketTimelinesSayWhatBackwardHides) {
  Report report = six_of_eight();
  for (PointRecord& point : report.points) {
    point.bucket_timeline = {{26214400, "all_reduce", 0.01, 0.01, 0.03, 1},
                             {1 << 20, "all_reduce", 0.05, 0.04, 0.07, 1. / 3}};
  }
  const auto all = explain(report, {}, {});
  ASSERT_TRUE(all.overlap);
  EXPECT_NEAR(all.overlap->hidden_share, 0.6, 1e-12);
  EXPECT_NEAR(all.overlap->after_backward_s, 0.02, 1e-12);
  EXPECT_EQ(all.overlap->hidden, 1);
  EXPECT_EQ(all.overlap->unhidden_bytes, 1 << 20);
  const std::string text = text_of(all);
  EXPECT_NE(text.find("backward hides 60.0 % of the time that buckets are under way; 1 of 2 (1 "
                      "MiB)"),
            std::string::npos)
      << text;

  // One run that hides less counts with the others; one without a timeline leaves nothing to say.
  report.points[1].bucket_timeline[0].end_s = 0.06;
  EXPECT_EQ(explain(report, {}, {}).overlap->hidden, 0);
  report.points[1].bucket_timeline.clear();
  EXPECT_FALSE(explain(report, {}, {}).overlap);
}

// Buckets of flat and its like are filled up: 24 bytes above the largest size that was measured.
TEST(Explain, ABucketThatIsFilledUpCountsAsTheSizeThatItHolds) {
  Report report = six_of_eight();
  for (PointRecord& point : report.points) point.bucket_bytes = {(64 << 20) + 24};
  const Report measured = network();
  EXPECT_NEAR(*explain(report, {&measured}, {}).buckets->together_s, 0.016, 1e-12);
  for (PointRecord& point : report.points) point.bucket_bytes = {66 << 20};
  EXPECT_FALSE(explain(report, {&measured}, {}).buckets->together_s);
}

TEST(Explain, OtherCollectivesAndSizesSayNothing) {
  const Report report = six_of_eight();
  Report other = network();
  for (auto& group : other.collective_groups) group.backend = "gloo";
  EXPECT_FALSE(explain(report, {&other}, {}).buckets);
  Report small = network();
  small.collective_groups.pop_back();
  const auto all = explain(report, {&small}, {});
  EXPECT_TRUE(all.buckets->sizes[0].time_s);
  EXPECT_FALSE(all.buckets->sizes[1].time_s);
  EXPECT_FALSE(all.buckets->together_s);
}

// A server's 8 ranks are 9 processes that gather: 9 buckets are what `comm` calls the size.
TEST(Explain, BucketsAreComparedWithTheirOwnCollective) {
  Report report = six_of_eight();
  for (PointRecord& point : report.points) {
    point.processes = 9;
    point.bucket_bytes = {1 << 20};
    point.bucket_timeline = {{.bytes = 1 << 20, .collective = "gather"}};
  }
  const Report all_reduces = network();
  const auto other = explain(report, {&all_reduces}, {});
  EXPECT_FALSE(other.buckets);
  EXPECT_NE(other.missing.at(1).find("comm --collectives gather --world-sizes 9,"),
            std::string::npos)
      << other.missing.at(1);

  Report gathers = network();
  for (CollectiveGroup& group : gathers.collective_groups) {
    group.collective = collectives::Collective::kGather;
    group.world_size = 9;
  }
  const auto all = explain(report, {&gathers}, {});
  ASSERT_TRUE(all.buckets && all.buckets->together_s);
  EXPECT_NEAR(*all.buckets->together_s, 0.002 * std::pow(9. / 4, 0.75), 1e-12);
  // The step's waits hold the way of the parameters as well.
  EXPECT_EQ(text_of(all).find("a step waits for"), std::string::npos);
}

TEST(Explain, WhatWasNotMeasuredIsNamedAndNothingElse) {
  const auto all = explain(six_of_eight(), {}, {});
  EXPECT_EQ(all.slow.proven.size() + all.slow.of_two.size(), 0u);
  EXPECT_EQ(all.best_effect, nullptr);
  EXPECT_EQ(all.missing.size(), 4u);  // cost, comm, solo, effects
  const Report measured = network();
  EXPECT_EQ(explain(six_of_eight(), {&measured}, {}).missing.size(), 3u);
}

TEST(Explain, TheRealEffectWithTheLargestProvenGainAtThatManyRanksIsTheOption) {
  Report report = six_of_eight();
  const auto effect = [&](const char* to, double ratio, double low, const char* ranks,
                          statistics::EffectVerdict verdict) {
    EffectRecord record{
        .axis = "bucket_cap_mb", .fixed = {{"world_size", ranks}}, .from = "25", .to = to};
    record.ratio = ratio;
    record.ratio_ci95.low = low;
    record.verdict = verdict;
    report.effects.push_back(record);
  };
  using enum statistics::EffectVerdict;
  effect("5", 1.3, 1.2, "4", kReal);
  effect("50", 1.2, 1.01, "8", kReal);
  effect("100", 1.1, 1.05, "8", kReal);
  effect("200", 1.5, 1.4, "8", kUnsure);
  effect("1", 0.5, 0.4, "8", kReal);
  const auto all = explain(report, {}, {});
  ASSERT_NE(all.best_effect, nullptr);
  EXPECT_EQ(all.best_effect->to, "100");
  for (EffectRecord& one : report.effects) one.verdict = kUnsure;
  EXPECT_NE(text_of(explain(report, {}, {})).find("none: no gain is proven"), std::string::npos);
}

// Rank 5 of the sample needs 4 % more.
TEST(Explain, ASweepsSlowRankIsNamedAtTheMostRanks) {
  const Report report = sample_sweep({});
  const auto all = explain(report, {}, {});
  EXPECT_EQ(all.row->world_size, 8);
  ASSERT_FALSE(all.slow.proven.empty());
  EXPECT_EQ(all.slow.proven[0].rfind("rank 5 (gpu-node-07, cuda:5) needs 4.0 %", 0), 0u)
      << all.slow.proven[0];
  double sum = 0;
  for (const LostShare& share : all.shares) sum += share.share;
  EXPECT_NEAR(sum, 1 - all.row->efficiency.value(), 6 * 5e-4);
  const std::string text = text_of(all, 100);
  std::size_t longest = 0, lines = 0;
  for (std::size_t begin = 0; begin < text.size(); ++lines) {
    const std::size_t end = text.find('\n', begin);
    longest = std::max(longest, end - begin);
    begin = end + 1;
  }
  EXPECT_LE(longest, 100u) << text;
  EXPECT_LE(lines, 45u) << text;
}

// Each of two is the other's only reference: the tables and the finding say the same.
TEST(Explain, OfTwoNoneIsProvenSlow) {
  for (const int ranks : {2, 4}) {
    Report report = six_of_eight();
    PointRecord solo;
    solo.group = "solo";
    solo.world_size = ranks;
    report.points.push_back(solo);
    for (int rank = 0; rank < ranks; ++rank) {
      DeviceRecord device{.group = "solo", .rank = rank, .host = "n1", .device = "cpu"};
      device.deviation = rank == 1 ? -0.096 : 0.1;
      device.deviation_ci95 = {*device.deviation - 0.02, *device.deviation + 0.02};
      report.devices.push_back(device);
    }
    const std::string text = text_of(explain(report, {}, {}));
    EXPECT_EQ(text.find("Proven slow") == text.npos, ranks == 2) << text;
    EXPECT_NE(text.find(ranks == 2 ? "rank 1 (n1, cpu): by itself 9.6 % slower than the other one "
                                     "(7.6 to 11.6); of two, neither can be said to be at fault"
                                   : "rank 1 (n1, cpu): by itself 9.6 % slower than the median of "
                                     "the others (7.6 to 11.6)\n"),
              text.npos)
        << text;
  }
}

TEST(Explain, EachLargeCauseSaysWhatToDo) {
  const std::string text = text_of(explain(six_of_eight(), {}, {}));
  for (const char* advice :
       {"communication: send less", "always slower: scalemark doctor --measure",
        "single slow steps: --bind"}) {
    EXPECT_NE(text.find(advice), std::string::npos) << text;
  }
  EXPECT_EQ(text.find("waiting for data"), std::string::npos) << text;
}

// Fewer ranks help where ranks disturb each other anyway, and not where the exchange does it.
TEST(Explain, SaysWhetherTheExchangeSlowsComputing) {
  const auto advised = [](std::optional<double> alone, std::optional<double> low) {
    Report report = six_of_eight();
    auto& rows = report.scaling[0].rows;
    rows[0].loss_of_efficiency = LossOfEfficiency{.slower_compute = 0.19, .communication = 0.0475};
    ScalingRow solo;
    solo.world_size = 8;
    solo.group = "solo";
    solo.strategy = "none";
    solo.efficiency = alone;
    solo.efficiency_ci95.low = low;
    if (alone) rows.push_back(solo);
    return text_of(explain(report, {}, {}));
  };
  const std::string exchange = "slower computing than alone: as many ranks with no exchange lose";
  const std::string machine = "slower computing than alone: ranks take bandwidth";
  EXPECT_NE(advised(0.97, 0.92).find(exchange), std::string::npos);
  EXPECT_NE(advised(0.97, std::nullopt).find(exchange), std::string::npos);
  for (const auto& text : {advised(0.85, 0.84), advised(0.97, 0.88), advised({}, {})}) {
    EXPECT_NE(text.find(machine), std::string::npos) << text;
  }
}

TEST(Explain, SaysHowSurelyTheEfficiencyIsKnown) {
  Report report = six_of_eight();
  ScalingRow& row = report.scaling[0].rows[0];
  row.efficiency_ci95 = {0.3, 1.4};
  const std::string wide = text_of(explain(report, {}, {}));
  EXPECT_NE(wide.find("(95 %: 30 to 140)"), std::string::npos) << wide;
  row.efficiency_ci95 = {};
  row.points.resize(1);
  const std::string single = text_of(explain(report, {}, {}));
  EXPECT_NE(single.find("(one run)"), std::string::npos) << single;
}

TEST(Explain, WithholdsIntervalsThatSayNothing) {
  Report report = six_of_eight();
  ScalingRow& row = report.scaling[0].rows[0];
  row.loss_of_efficiency_ci95->communication = {-3.0, 4.0};
  row.efficiency_ci95.low = 0.01;
  row.efficiency_ci95.high = 5.0;
  const std::string text = text_of(explain(report, {}, {}));
  EXPECT_EQ(text.find("400.0"), std::string::npos) << text;
  EXPECT_EQ(text.find("500.0"), std::string::npos) << text;
  EXPECT_NE(text.find("not known (2 runs)"), std::string::npos) << text;
}

TEST(Explain, FitsEveryWidth) {
  for (const int columns : {60, 80, 120}) {
    std::istringstream text(text_of(explain(sample_sweep({}), {}, {}), columns));
    for (std::string line; std::getline(text, line);) {
      EXPECT_LE(line.size(), static_cast<std::size_t>(columns)) << line;
    }
  }
}

TEST(Explain, AReportWithoutScalingIsRefused) {
  EXPECT_THROW(explain({}, {}, {}), Error);
  try {
    explain(six_of_eight(), {}, {.group = "g9"});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.record().exit_code, ExitCode::kConfiguration);
    EXPECT_NE(error.record().expected.find("g8"), std::string::npos);
  }
}

}  // namespace
}  // namespace scalemark::reporting
