#include "report/judge/point/fingerprint.h"

#include <gtest/gtest.h>

#include <cmath>

#include "report/judge/point/disturbances.h"
#include "report/record/verdict.h"
#include "report/say/compare/compare.h"
#include "report/say/table/table.h"
#include "tests/report/sample_report.h"

namespace scalemark::reporting {
namespace {

FingerprintRecord gemm(double flops_per_s, const std::string& host = "n1") {
  FingerprintRecord record;
  record.host = host;
  record.device = "cpu";
  record.precision = "fp32";
  record.threads = 2;
  record.method = "1024 x 1024";
  record.unit = "FLOP/s";
  record.value = flops_per_s;
  record.ci95.low = 0.99 * flops_per_s;
  record.ci95.high = 1.01 * flops_per_s;
  return record;
}

TEST(Work, OfOneCall) {
  EXPECT_EQ(matrix_product_flops(1024), 2147483648.0);
  EXPECT_EQ(number_format("amp-bf16"), "bf16");
  EXPECT_EQ(number_format("tf32"), "tf32");
}

// Twenty blocks are twenty batches of one, alternately 9.8 and 10.2 ms: their standard error is
// 0.2 ms / sqrt(19), and t(.975, 19) = 2.093024.
TEST(SetRate, TheMeanAndTheIntervalOfBatchMeans) {
  TimedCalls calls{.call_s = {}, .calls_per_block = 5};
  for (int i = 0; i < 20; ++i) calls.call_s.push_back(i % 2 ? 0.0102 : 0.0098);
  FingerprintRecord record = gemm(0);
  set_rate(record, calls, 1e9);
  EXPECT_EQ(record.n, 100);
  EXPECT_DOUBLE_EQ(record.seconds, 1);
  EXPECT_DOUBLE_EQ(*record.value, 1e11);
  ASSERT_TRUE(record.ci95);
  const double half = 0.0002 / std::sqrt(19.0) * 2.093024;
  EXPECT_NEAR(*record.ci95.low, 1e9 / (0.01 + half), 1e4);
  EXPECT_NEAR(*record.ci95.high, 1e9 / (0.01 - half), 1e4);
}

TEST(SetRate, FewBlocksHaveNoInterval) {
  FingerprintRecord record;
  set_rate(record, {.call_s = {0.5, 0.5, 0.5}, .calls_per_block = 1}, 10);
  EXPECT_DOUBLE_EQ(*record.value, 20);
  EXPECT_FALSE(record.ci95.low);
}

TEST(SetRate, NoTimeIsNoRate) {
  FingerprintRecord record;
  set_rate(record, {.call_s = {0, 0}, .calls_per_block = 1}, 10);
  EXPECT_FALSE(record.value);
  EXPECT_EQ(record.reason, "no time passed");
}

PointRecord point_on(const std::vector<std::string>& hosts) {
  PointRecord point;
  point.device = "cpu";
  point.precision = "fp32";
  point.threads = 2;
  point.samples_per_sec = 50;
  point.flops_per_sample = 1e9;
  for (const std::string& host : hosts) {
    RankRecord rank;
    rank.host = host;
    point.ranks.push_back(rank);
  }
  return point;
}

// 50 x 1e9 FLOP/s of two ranks, on machines that do 100 and 150 GFLOP/s: 50 / 250.
TEST(MfuOfMeasuredGemm, EachRankAgainstItsOwnMachine) {
  const std::vector fingerprint{gemm(1e11), gemm(1.5e11, "n2")};
  EXPECT_DOUBLE_EQ(*mfu_of_measured_gemm(point_on({"n1", "n2"}), fingerprint), 0.2);
  EXPECT_DOUBLE_EQ(*mfu_of_measured_gemm(point_on({"n1", "n1"}), fingerprint), 0.25);
}

TEST(MfuOfMeasuredGemm, AbsentWithoutTheSameMeasurement) {
  const std::vector fingerprint{gemm(1e11)};
  EXPECT_FALSE(mfu_of_measured_gemm(point_on({"n1", "n3"}), fingerprint));
  PointRecord point = point_on({"n1"});
  EXPECT_TRUE(mfu_of_measured_gemm(point, fingerprint));
  point.threads = 1;
  EXPECT_FALSE(mfu_of_measured_gemm(point, fingerprint)) << "other threads";
  point.threads = 2;
  point.precision = "amp-bf16";
  EXPECT_FALSE(mfu_of_measured_gemm(point, fingerprint)) << "another format";
  point.precision = "fp32";
  point.status = PointStatus::kOom;
  EXPECT_FALSE(mfu_of_measured_gemm(point, fingerprint)) << "nothing was measured";
  EXPECT_FALSE(mfu_of_measured_gemm(point_on({}), fingerprint)) << "no rank";
}

TEST(MfuOfMeasuredGemm, AProductBesideOtherProgramsIsNoBound) {
  std::vector<FingerprintRecord> fingerprint{gemm(1e11)};
  const PointRecord point = point_on({"n1"});
  ASSERT_TRUE(mfu_of_measured_gemm(point, fingerprint));
  fingerprint[0].disturbed = "shared: n1: other processes used 1.40 CPUs (limit 0.10)";
  EXPECT_FALSE(mfu_of_measured_gemm(point, fingerprint));
}

// A report of `doctor --measure`, beside programs that use so many of 2 CPUs.
Report measured_beside(double other_cpus) {
  Report report;
  monitoring::Host host;
  host.hostname = "n1";
  host.cores = {.physical = 2, .logical = 2, .usable = 2};
  report.environment.hosts = {host};
  monitoring::SourceSummary used{.source = "other_cpus"};
  used.mean = other_cpus;
  used.observed_s = 12;
  report.telemetry = {{"", "n1", used}};
  report.status = ReportStatus::kComplete;
  report.fingerprint = {gemm(1.2e10)};
  mark_disturbed(report);
  return report;
}

TEST(MarkDisturbed, ValuesFindingsAndVerdictReportOtherPrograms) {
  Report report = measured_beside(1.4);
  EXPECT_EQ(report.fingerprint[0].disturbed,
            "shared: n1: other processes used 1.40 CPUs (limit 0.10)");
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.findings[0].code, "shared");
  EXPECT_EQ(verdict_of(report)->level, VerdictLevel::kDoNotQuote);
  const std::string text = render_table(std::span(&report, 1));
  EXPECT_NE(text.find("! 12.00 GFLOP/s"), std::string::npos) << text;
  EXPECT_NE(text.find("1.40 CPUs"), std::string::npos) << text;
  report.findings.clear();
  EXPECT_EQ(verdict_of(report)->level, VerdictLevel::kDoNotQuote) << "the values say it, too";
}

TEST(MarkDisturbed, AMachineAtRestIsMeasuredOnce) {
  const Report report = measured_beside(0.02);
  EXPECT_TRUE(report.fingerprint[0].disturbed.empty());
  EXPECT_TRUE(report.findings.empty());
  const Verdict verdict = verdict_of(report).value();
  EXPECT_EQ(verdict.level, VerdictLevel::kWithCare);
  EXPECT_EQ(verdict.reasons.at(0).code, "single_repetition");
  EXPECT_EQ(render_table(std::span(&report, 1)).find("! "), std::string::npos);
}

TEST(MfuOfMeasuredGemm, AGpuStandsForTheOthersOfItsHostWhateverTheThreads) {
  FingerprintRecord record = gemm(1e11);
  record.device = "cuda:0";
  PointRecord point = point_on({"n1"});
  point.device = "cuda";
  point.threads = 7;
  point.ranks[0].device = "cuda:1";
  EXPECT_DOUBLE_EQ(*mfu_of_measured_gemm(point, std::vector{record}), 0.5);
}

TEST(RateText, HasFourDigitsAndADecimalPrefix) {
  EXPECT_EQ(rate_text(1.4321e11, "FLOP/s"), "143.2 GFLOP/s");
  EXPECT_EQ(rate_text(9.87654e14, "FLOP/s"), "987.7 TFLOP/s");
  EXPECT_EQ(rate_text(1.25e10, "B/s"), "12.50 GB/s");
  EXPECT_EQ(rate_text(1344, "images/s"), "1,344 images/s");
  EXPECT_EQ(rate_interval_text(gemm(1e11)), "99.00 to 101.0");
  FingerprintRecord near = gemm(1e12);  // the interval's ends have the prefix of the value
  EXPECT_EQ(rate_interval_text(near), "0.990 to 1.01");
}

TEST(FingerprintTable, AReportOfDoctorIsATableOfItsOwn) {
  Report report;
  report.fingerprint = {gemm(1.432e11)};
  FingerprintRecord lone = gemm(0);
  lone.what = MachineRate::kAllReduce;
  lone.value.reset();
  lone.precision = lone.method = "";
  lone.reason = "doctor is one process";
  report.fingerprint.push_back(lone);
  const std::string text = render_table(std::span(&report, 1));
  EXPECT_NE(text.find("matrix product fp32"), std::string::npos) << text;
  EXPECT_NE(text.find("143.2 GFLOP/s"), std::string::npos) << text;
  EXPECT_NE(text.find("141.8 to 144.6"), std::string::npos) << text;
  EXPECT_NE(text.find("not measured"), std::string::npos) << text;
  EXPECT_NE(text.find("- all-reduce: doctor is one process\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("no points were measured"), std::string::npos) << text;
}

ComparedSide doctor(const std::vector<FingerprintRecord>& fingerprint) {
  NamedReport named{"doctor", sample_report(1, false)};
  named.report.points.clear();
  named.report.fingerprint = fingerprint;
  return {named};
}

std::vector<std::string> differences(const ComparedSide& before, const ComparedSide& after) {
  return compare_sides(std::vector{before, after}, {.threshold = 0.02}).fingerprints;
}

TEST(CompareFingerprints, NamesWhatDiffersBeyondIntervalsAndThreshold) {
  const auto found = differences(doctor({gemm(1e11)}), doctor({gemm(0.88e11, "n9")}));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0],
            "matrix product fp32 on the new machine is 12.0 % slower: 88.00 GFLOP/s (87.12 to "
            "88.88) against 100.0 GFLOP/s (99.00 to 101.0)");
}

TEST(CompareFingerprints, AgreementIsSaidOnce) {
  const std::string agrees =
      "what was measured of the machines by themselves agrees (1 measurement): within its "
      "intervals or 2.0 %";
  // Intervals overlap.
  EXPECT_EQ(differences(doctor({gemm(1e11)}), doctor({gemm(1.015e11)})),
            std::vector<std::string>{agrees});
  // They do not, and the difference is below the threshold.
  FingerprintRecord sharp = gemm(1e11), other = gemm(1.01e11);
  sharp.ci95.low = 0.999e11, sharp.ci95.high = 1.001e11;
  other.ci95.low = 1.009e11, other.ci95.high = 1.011e11;
  EXPECT_EQ(differences(doctor({sharp}), doctor({other})), std::vector<std::string>{agrees});
}

// Three reports of one machine span what it differs by from day to day.
TEST(CompareFingerprints, SeveralReportsOfASideWidenItsInterval) {
  ComparedSide before = doctor({gemm(1e11)});
  before.push_back(doctor({gemm(1.1e11)}).front());
  const auto found = differences(before, doctor({gemm(0.99e11)}));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NE(found[0].find("agrees"), std::string::npos) << found[0];
}

TEST(CompareFingerprints, OnlyTheSameMeasurementsAreCompared) {
  FingerprintRecord other = gemm(5e10);
  other.threads = 1;
  EXPECT_TRUE(differences(doctor({gemm(1e11)}), doctor({other})).empty());
  other = gemm(5e10);
  other.method = "2048 x 2048";
  EXPECT_TRUE(differences(doctor({gemm(1e11)}), doctor({other})).empty());
}

// The machine was not slower: something else used it.
TEST(CompareFingerprints, WhatOthersSharedIsLeftOutAndSaid) {
  FingerprintRecord beside = gemm(0.5e11);
  beside.disturbed = "shared: n1: other processes used 1.40 CPUs (limit 0.10)";
  beside.disturbed_by = {"shared"};
  const auto found = differences(doctor({gemm(1e11)}), doctor({beside}));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_TRUE(found[0].starts_with("1 measurement of the machines by themselves left out"))
      << found[0];
  beside.disturbed = "throttled: cuda:0 of n1: power brake in 100.0 % of the readings";
  beside.disturbed_by = {"throttled"};
  EXPECT_NE(differences(doctor({gemm(1e11)}), doctor({beside})).at(0).find("50.0 % slower"),
            std::string::npos);
}

// Older reports say in words only what disturbed it.
TEST(CompareFingerprints, OlderReportsGetTheCodesOfWhatDisturbed) {
  Report report;
  report.fingerprint.assign(3, gemm(1e11));
  report.fingerprint[0].disturbed = "throttled: cuda:0 of n1: power brake; shared: n1: others";
  report.fingerprint[1].disturbed = "shared: n1: other processes used 1.40 CPUs (limit 0.10)";
  complete_values(report);
  EXPECT_EQ(report.fingerprint[0].disturbed_by, (std::vector<std::string>{"throttled", "shared"}));
  EXPECT_EQ(report.fingerprint[1].disturbed_by, std::vector<std::string>{"shared"});
  EXPECT_TRUE(report.fingerprint[2].disturbed_by.empty());
}

TEST(CompareFingerprints, TwoReportsOfDoctorPassAndHaveNoEmptyTable) {
  const auto comparison = compare_sides(std::vector{doctor({gemm(1e11)}), doctor({gemm(0.88e11)})},
                                        {.threshold = 0.02});
  EXPECT_EQ(exit_code(comparison), ExitCode::kPass);
  const std::string text = comparison_markdown(comparison);
  EXPECT_NE(text.find("12.0 % slower"), std::string::npos) << text;
  EXPECT_EQ(text.find("verdict"), std::string::npos) << text;
}

}  // namespace
}  // namespace scalemark::reporting
