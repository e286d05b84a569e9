// Tests what a report says about collectives, with runs that can be computed by hand.
#include "report/judge/collectives/collectives.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/base/error.h"
#include "core/base/number_words.h"
#include "report/judge/collectives/words.h"
#include "tests/report/sample_collectives.h"

namespace scalemark::reporting {
namespace {

using collectives::Collective;
using collectives::DataType;
using collectives::Via;

CollectiveRecord collective_run_of(const std::string& backend, std::int64_t bytes, int repetition,
                                   double time_s) {
  CollectiveRecord run;
  run.group = "all-reduce-" + std::to_string(bytes) + "-" + backend;
  run.id = run.group + "/r" + std::to_string(repetition);
  run.repetition = repetition;
  run.backend = backend;
  run.device = "cpu";
  run.bytes = bytes;
  run.world_size = 4;
  run.members = {2, 3, 6, 7};
  return assemble_collective(run, {{.iterations = 10, .time_s = time_s}}, {});
}

Report report_of(std::vector<CollectiveRecord> runs) {
  Report report;
  report.collectives = std::move(runs);
  summarise_collectives(report);
  return report;
}

TEST(AssembleCollective, TimeIsTheMeanOverRanks) {
  CollectiveRecord identity;
  identity.bytes = 4'000'000;
  identity.world_size = 4;
  const auto run = assemble_collective(
      identity, {{.iterations = 20, .time_s = 0.001}, {.iterations = 20, .time_s = 0.003}}, {});
  EXPECT_EQ(run.status, PointStatus::kOk);
  EXPECT_EQ(run.iterations, 20);
  EXPECT_DOUBLE_EQ(run.time_s, 0.002);
  EXPECT_DOUBLE_EQ(run.algbw_GBps.value(), 2);  // 4e6 B / 2 ms
  EXPECT_DOUBLE_EQ(run.busbw_GBps.value(), 3);  // x 2 (4 - 1) / 4
  EXPECT_EQ(run.wrong, 0);
  EXPECT_FALSE(run.latency_s);
  EXPECT_THROW(assemble_collective(identity, {}, {}), Error);
}

// Type 7: position (n - 1) p of the sorted values. numpy.quantile gives the same.
TEST(AssembleCollective, QuantilesOfIsolatedCallsFromEnoughOfThem) {
  const auto latency = [](int n) {
    std::vector<double> calls;
    for (int i = n; i > 0; --i) calls.push_back(i);
    return assemble_collective({}, {{.iterations = 1, .time_s = 1}}, calls).latency_s.value();
  };
  EXPECT_DOUBLE_EQ(latency(4).p50, 2.5);
  EXPECT_EQ(latency(19).n, 19);
  EXPECT_FALSE(latency(19).p95);
  EXPECT_DOUBLE_EQ(latency(21).p95.value(), 20);
  EXPECT_FALSE(latency(99).p99);
  EXPECT_DOUBLE_EQ(latency(101).p99.value(), 100);
}

TEST(AssembleCollective, BarriersHaveNoBandwidthAndNothingToCheck) {
  CollectiveRecord identity;
  identity.collective = Collective::kBarrier;
  const auto run = assemble_collective(identity, {{.iterations = 1, .time_s = 1e-4}}, {1e-4});
  EXPECT_FALSE(run.algbw_GBps || run.busbw_GBps || run.wrong);
}

TEST(AssembleCollective, WrongElementsAreAFailureThatNamesRankAndLink) {
  CollectiveRecord identity;
  identity.id = "g/r0";
  identity.bytes = 4096;
  identity.world_size = 4;
  identity.members = {4, 5, 6, 7};
  std::vector<CollectiveTimes> ranks(4, {.iterations = 1, .time_s = 1e-3});
  ranks[2] = {.iterations = 1, .time_s = 1e-3, .wrong = 3, .wrong_from = 1, .first_wrong = 512};
  const auto one = assemble_collective(identity, ranks, {});
  EXPECT_EQ(one.status, PointStatus::kFailed);
  EXPECT_EQ(one.wrong, 3);
  EXPECT_EQ(one.reason, "3 of 1,024 elements wrong on rank 6, the first (512) came from rank 5");
  ranks[2].wrong_from.reset();
  ranks[3].wrong = 4;
  const auto two = assemble_collective(identity, ranks, {});
  EXPECT_EQ(two.wrong, 7);
  EXPECT_EQ(two.reason,
            "3 of 1,024 elements wrong on rank 6, the first is 512; 1 more rank received wrong "
            "elements");
  const auto findings = findings_of_collective(two);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].code, "wrong_elements");
  EXPECT_EQ(findings[0].severity, "error");
  EXPECT_EQ(findings[0].point, "g/r0");
  EXPECT_TRUE(findings_of_collective(collective_run_of("gloo", 4096, 0, 1)).empty());

  identity.collective = Collective::kReduceScatter;  // a rank receives its share only
  EXPECT_TRUE(assemble_collective(identity, ranks, {}).reason.starts_with("3 of 256 elements"));
}

// ln t = ln 1e-3 + {-0.1, 0, 0.1}: mean 0, s = 0.1, t(.975, 2) = 4.3027, half = 0.248414.
TEST(CollectiveGroups, AreGeometricMeansWithStudentsTOverRepetitions) {
  std::vector<CollectiveRecord> runs;
  for (int k = 0; k < 3; ++k) {
    runs.push_back(collective_run_of("gloo", 1'000'000, k, 1e-3 * std::exp(0.1 * (k - 1))));
    runs.back().latency_s = Latency{.n = 30, .p50 = 2e-3 * (k + 1), .p95 = 1, .p99 = {}};
    runs.back().expected_busbw_GBps = 6;
    runs.back().expected_source = "a guess";
  }
  runs.push_back(collective_run_of("gloo", 1'000'000, 3, 1e-3));
  runs.back().status = PointStatus::kFailed;
  const Report report = report_of(runs);
  ASSERT_EQ(report.collective_groups.size(), 1u);
  const CollectiveGroup& group = report.collective_groups[0];
  EXPECT_EQ(group.n, 3);
  EXPECT_EQ(group.status_counts, (std::map<std::string, int>{{"failed", 1}, {"ok", 3}}));
  EXPECT_NEAR(group.time_s.value.value(), 1e-3, 1e-9);
  EXPECT_NEAR(group.time_s.ci95.low.value(), 1e-3 * std::exp(-0.248414), 1e-8);
  EXPECT_NEAR(group.time_s.ci95.high.value(), 1e-3 * std::exp(0.248414), 1e-8);
  EXPECT_NEAR(group.busbw_GBps.value.value(), 1.5, 1e-6);
  EXPECT_NEAR(group.busbw_GBps.ci95.high.value(), 1.5 * std::exp(0.248414), 1e-5);
  EXPECT_NEAR(group.latency_p50_s.value.value(), 2e-3 * std::cbrt(6), 1e-9);
  EXPECT_FALSE(group.latency_p99_s.value);
  EXPECT_NEAR(group.expected_share.value.value(), 0.25, 1e-6);
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.findings[0].code, "expected_bandwidth");
  EXPECT_EQ(report.findings[0].text,
            "all-reduce-1000000-gloo: 1.5 GB/s is 25.0 % of the 6 GB/s that are expected (a "
            "guess)");
  for (CollectiveRecord& run : runs) run.bytes = 8;  // latency decides at this size
  EXPECT_TRUE(report_of(runs).findings.empty());
  Report again = report;
  summarise_collectives(again);
  EXPECT_EQ(again.findings.size(), 1u) << "what was derived before is replaced";
}

TEST(CollectiveEffects, AreRatiosOfTimesWithinRepetitions) {
  std::vector<CollectiveRecord> runs;
  for (int k = 0; k < 5; ++k) {
    const double block = 1 + 0.3 * k;  // both have it, so that it cancels
    for (const std::int64_t bytes : {4096, 1 << 20}) {
      runs.push_back(collective_run_of("mpi", bytes, k, 2e-6 * block * (1 + 0.001 * (k % 2))));
      runs.push_back(collective_run_of("gloo", bytes, k, 1.2e-4 * block));
    }
  }
  const auto effects = report_of(runs).effects;
  ASSERT_EQ(effects.size(), 2u);
  EXPECT_EQ(effects[0].axis, "backend");
  EXPECT_EQ(effects[0].from, "gloo") << "the order of the list of backends";
  EXPECT_EQ(effects[0].to, "mpi");
  EXPECT_EQ(effects[0].fixed.at("bytes"), "4096");
  EXPECT_EQ(effects[0].pairs, 5);
  EXPECT_NEAR(effects[0].ratio, 60, 0.05);
  EXPECT_EQ(effects[0].verdict, statistics::EffectVerdict::kReal);
  EXPECT_FALSE(effects[0].memory_delta_bytes);
  EXPECT_EQ(effects[0].in_words, "mpi against gloo at 4 KiB: 60 x faster (60 to 60): real");
  EXPECT_EQ(effects[1].in_words, "mpi against gloo at 1 MiB: 60 x faster (60 to 60): real");
}

TEST(CollectiveEffects, ComeFromEveryAxisAllElseEqual) {
  std::vector<CollectiveRecord> runs;
  for (int k = 0; k < 3; ++k) {
    CollectiveRecord run = collective_run_of("gloo", 4096, k, 1e-3);
    const auto add = [&](const char* group, auto change, double time_s) {
      CollectiveRecord other = run;
      other.group = group;
      change(other);
      other.time_s = time_s;
      runs.push_back(other);
    };
    add(
        "direct", [](auto& r) { r.via = Via::kDirect; }, 0.5e-3);
    add(
        "bf16", [](auto& r) { r.dtype = DataType::kBf16; }, 2e-3);
    add(
        "out", [](auto& r) { r.in_place = false; }, 1e-3);
    add(
        "congested", [](auto& r) { r.congestion = true; }, 1.1e-3);
    add(
        "both", [](auto& r) { r.congestion = r.overlap_compute = true; }, 1.1e-3);
    runs.push_back(run);
  }
  std::vector<std::string> words;
  for (const auto& effect : report_of(runs).effects) words.push_back(effect.in_words);
  EXPECT_EQ(words,
            (std::vector<std::string>{
                "via direct against via c10d at 4 KiB: 2.0 x faster (2.0 to 2.0): real",
                "bf16 against fp32 at 4 KiB: 2.0 x slower (2.0 to 2.0): real",
                "out of place against in place at 4 KiB: 0.0 % faster (0.0 to 0.0): none",
                "congestion on against congestion off at 4 KiB: 9.1 % slower (9.1 to 9.1): real",
                "beside compute on against beside compute off at 4 KiB: 0.0 % faster (0.0 to 0.0): "
                "none"}));
}

TEST(CollectiveWinners, SayFromWhichSizeOnABackendWins) {
  const auto winners = report_of(sample_collective_runs({.noise = 0.002})).collective_winners;
  ASSERT_EQ(winners.size(), 4u);  // fp32 in place and out of place, bf16, barrier
  const CollectiveWinners& fp32 = winners[0];
  ASSERT_EQ(fp32.sizes.size(), 7u);
  EXPECT_EQ(fp32.sizes[0].bytes, 1024);
  EXPECT_EQ(fp32.sizes[0].fastest, "mpi");
  EXPECT_TRUE(fp32.sizes[0].not_distinguishable.empty());
  ASSERT_EQ(fp32.ranges.size(), 2u);  // 100 us + n / 2e9 = 2 us + n / 1e9: n = 196 kB
  EXPECT_EQ(fp32.ranges[0].to_bytes, 65536);
  EXPECT_EQ(fp32.ranges[1].from_bytes, 262144);
  EXPECT_EQ(fp32.in_words,
            "all-reduce, fp32, 2 ranks, in place: mpi wins up to 64 KiB, gloo from 256 KiB on");
  EXPECT_EQ(winners[3].in_words, "barrier, 2 ranks: mpi wins");
}

TEST(CollectiveWinners, NameWhatCannotBeToldApart) {
  std::vector<CollectiveRecord> runs;
  for (int k = 0; k < 5; ++k) {
    const double noise = 1 + 0.1 * ((k * 3) % 5 - 2);
    runs.push_back(collective_run_of("gloo", 1024, k, 1e-3));
    runs.push_back(collective_run_of("mpi", 1024, k, 0.99e-3 * noise));
    runs.push_back(collective_run_of("gloo", 4096, k, 1e-3));
    runs.push_back(collective_run_of("mpi", 4096, k, 3e-3 * (1 + 0.01 * k)));
    runs.push_back(collective_run_of("gloo", 9999, k, 1e-3));  // alone: no contest
  }
  const auto winners = report_of(runs).collective_winners;
  ASSERT_EQ(winners.size(), 1u);
  ASSERT_EQ(winners[0].sizes.size(), 2u);
  EXPECT_EQ(winners[0].sizes[0].not_distinguishable.size(), 1u);
  EXPECT_EQ(winners[0].in_words,
            "all-reduce, fp32, 4 ranks: gloo wins from 4 KiB on; not distinguishable at 1 KiB");
}

// An all-reduce of two ranks is two messages of half the size each.
TEST(CollectiveFits, FindLatencyAndBandwidth) {
  const auto fits = report_of(sample_collective_runs({.noise = 0.001})).collective_fits;
  ASSERT_EQ(fits.size(), 6u);
  const CollectiveFit& gloo = fits[0];
  EXPECT_EQ(gloo.fixed.at("backend"), "gloo");
  EXPECT_EQ(gloo.level, "intra_node");
  EXPECT_EQ(gloo.sizes, 7);
  EXPECT_NEAR(gloo.alpha_s, 50e-6, 0.5e-6);
  EXPECT_NEAR(gloo.bandwidth_GBps.value(), 2, 0.02);
  EXPECT_LT(gloo.alpha_ci95.low.value(), 50e-6);
  EXPECT_GT(gloo.alpha_ci95.high.value(), gloo.alpha_s);
  EXPECT_LT(gloo.worst_relative_error, 0.01);
  EXPECT_TRUE(gloo.in_words.starts_with(
      "gloo, all-reduce, fp32, 2 ranks, in place, within a node, 1 KiB to 4 MiB: "))
      << gloo.in_words;
}

TEST(Links, AboveFiveMillisecondsOrBelowTenGigabitsAreFindings) {
  EXPECT_TRUE(findings_of_links({{"a", "b", 5e-3, 1.25}}).empty());
  const auto findings = findings_of_links({{"a", "b", 5.1e-3, 1.2}});
  ASSERT_EQ(findings.size(), 2u);
  EXPECT_EQ(findings[0].code, "link_latency");
  EXPECT_EQ(findings[1].code, "link_bandwidth");
  EXPECT_TRUE(findings[0].text.starts_with("a to b: a message takes 5.10 ms")) << findings[0].text;
  EXPECT_TRUE(findings[1].text.starts_with("a to b: the link carries 9.6 Gb/s"))
      << findings[1].text;
}

TEST(CollectivesEnd, HasTheExitCodeOfTheWorst) {
  const auto code = [](const std::vector<PointStatus>& statuses, std::int64_t wrong = 0) {
    Report report;
    for (const PointStatus status : statuses) {
      report.collectives.push_back(collective_run_of("gloo", 4, 0, 1));
      report.collectives.back().status = status;
    }
    if (wrong > 0) report.collectives.back().wrong = wrong;
    return end_of_collectives(report).exit_code;
  };
  using enum PointStatus;
  EXPECT_EQ(code({}), ExitCode::kPass);
  EXPECT_EQ(code({kOk, kSkipped}), ExitCode::kPass);
  EXPECT_EQ(code({kSkipped, kSkipped}), ExitCode::kConfiguration);
  EXPECT_EQ(code({kOk, kFailed}), ExitCode::kUnsure);
  EXPECT_EQ(code({kOk, kOom}), ExitCode::kUnsure);
  EXPECT_EQ(code({kOom, kSkipped}), ExitCode::kOutOfMemory);
  EXPECT_EQ(end_of_runs({.ok = 1, .oom = 2}).why, "incomplete: 2 runs out of memory");
  EXPECT_EQ(code({kOk, kFailed}, 1), ExitCode::kSilentCorruption);
}

TEST(CollectiveWords, OneLinePerRun) {
  CollectiveRecord run = collective_run_of("gloo", 4096, 0, 112e-6);
  run.world_size = 2;
  run.busbw_GBps = 0.0366;
  EXPECT_EQ(line_of(run), "all-reduce 4 KiB fp32 gloo 2 ranks  112 us  0.0366 GB/s");
  run.latency_s = Latency{.n = 100, .p50 = 1e-4, .p95 = {}, .p99 = 240e-6};
  run.via = Via::kDirect;
  run.in_place = false;
  EXPECT_EQ(line_of(run),
            "all-reduce 4 KiB fp32 gloo 2 ranks via direct out of place  112 us  0.0366 GB/s");
  run = {};
  run.collective = Collective::kBarrier;
  run.backend = "mpi";
  run.status = PointStatus::kSkipped;
  run.reason = "not here";
  EXPECT_EQ(line_of(run), "barrier mpi 1 rank  skipped: not here");
}

TEST(CollectiveWords, SizesAndTimes) {
  EXPECT_EQ(size_text(1000), "1000 B");
  EXPECT_EQ(size_text(64 << 20), "64 MiB");
  EXPECT_EQ(duration_text(2.346e-6), "2.35 us");
  EXPECT_EQ(duration_text(0.99999e-3), "1.00 ms");
  EXPECT_EQ(duration_text(2.5), "2.50 s");
}

}  // namespace
}  // namespace scalemark::reporting
