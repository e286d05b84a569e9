#include <gtest/gtest.h>

#include "claims/judge/band.h"
#include "claims/judge/claims.h"
#include "claims/judge/evidence.h"
#include "core/base/text.h"
#include "report/record/finding_kinds.h"
#include "report/say/render/render.h"
#include "tests/claims/judge/sample_claims.h"

namespace scalemark::claims {
namespace {

using published::Row;
using reporting::ClaimBasis;
using reporting::ClaimRecord;
using reporting::ClaimVerdict;
using reporting::Report;

Measured measured(double value, double low, double high) {
  return {.value = value, .low = low, .high = high, .runs = 5};
}

TEST(ClaimVerdicts, TheIntervalAgainstTheBand) {
  const auto verdict = [](Measured here, Claimed claimed, double tolerance) {
    return std::string(
        name_of(verdict_of(here, claimed, tolerance, ClaimBasis::kSameHardware, false)));
  };
  EXPECT_EQ(verdict(measured(7.7, 7.6, 7.8), {7.73, 7.73}, 0.05), "confirmed");
  EXPECT_EQ(verdict(measured(7.0, 6.9, 7.1), {7.73, 7.73}, 0.05), "refuted");
  EXPECT_EQ(verdict(measured(7.3, 7.2, 7.5), {7.73, 7.73}, 0.05), "undecided");
  EXPECT_EQ(verdict(measured(0.82, 0.81, 0.84), {0.8, 0.85}, 0), "confirmed");
  EXPECT_EQ(verdict(measured(4, 3.5, 4.5), {3, std::nullopt}, 0), "confirmed");
  EXPECT_EQ(verdict(measured(1.2, 1.1, 1.3), {std::nullopt, 1}, 0), "refuted");
  EXPECT_EQ(verdict({.value = 7.7}, {7.73, 7.73}, 0.05), "undecided") << "one run";
}

TEST(ClaimVerdicts, ARateIsAClaimAtLeastOnItsOwnHardware) {
  const auto verdict = [](double low, double high, ClaimBasis basis) {
    return std::string(
        name_of(verdict_of(measured(low, low, high), {1000, std::nullopt}, 0.08, basis, true)));
  };
  EXPECT_EQ(verdict(990, 1010, ClaimBasis::kSameHardware), "reached");
  EXPECT_EQ(verdict(2000, 2010, ClaimBasis::kSameHardware), "reached");
  EXPECT_EQ(verdict(800, 810, ClaimBasis::kSameHardware), "not_reached");
  EXPECT_EQ(verdict(910, 930, ClaimBasis::kSameHardware), "undecided");
  for (const ClaimBasis other :
       {ClaimBasis::kOtherHardware, ClaimBasis::kOtherPrecision, ClaimBasis::kScaledDown}) {
    EXPECT_EQ(verdict(800, 810, other), "not_judged");
  }
}

// Half of the interval is 0.353 of a logarithm, and 1 is 0.209 away: 3 x 1.69^2 runs.
TEST(ClaimVerdicts, ScaledDownADirectionIsWhatMoreRunsDecide) {
  const Measured measured{
      .value = 0.8118, .low = 0.5704, .high = 1.155, .runs = 3, .scaled_down = true};
  EXPECT_EQ(what_would_decide(measured, {3.0, 5.0}, 0.05), "about 9 repetitions would decide");
  const Measured near{.value = 2, .low = 1.02, .high = 3.9, .runs = 3};
  EXPECT_EQ(what_would_decide(near, {1.0, std::nullopt}, 0.0), "about 4 repetitions would decide");
}

TEST(ClaimVerdicts, OtherHardwareDiffersAndScaledDownHasADirection) {
  const auto verdict = [](double low, double high, ClaimBasis basis) {
    return std::string(name_of(verdict_of(measured(low, low, high), {0.8, 0.85}, 0, basis, false)));
  };
  EXPECT_EQ(verdict(0.95, 0.97, ClaimBasis::kOtherHardware), "differs_here");
  EXPECT_EQ(verdict(0.95, 0.97, ClaimBasis::kScaledDown), "same_direction");
  EXPECT_EQ(verdict(1.1, 1.2, ClaimBasis::kScaledDown), "other_direction");
  EXPECT_EQ(verdict(0.9, 1.2, ClaimBasis::kScaledDown), "undecided");
}

TEST(Claims, ATableIsJudgedByRatesAndSpeedUps) {
  EXPECT_EQ(verdicts(a100_rows(), a100_report(2600, 17500)),
            (Texts{"x-1 throughput reached", "x-2 throughput reached", "x-2 speedup confirmed"}));
  EXPECT_EQ(verdicts(a100_rows(), a100_report(2500, 9000)),
            (Texts{"x-1 throughput reached", "x-2 throughput not_reached", "x-2 speedup refuted"}));
  EXPECT_EQ(
      exit_code_of(judge(published::tables_of(a100_rows()), std::vector{a100_report(2500, 9000)})),
      ExitCode::kFail);
}

// Half as fast again on one GPU and as fast on eight: all rates are reached, and nothing is
// refuted.
TEST(Claims, ASpeedUpFromAnotherBaseIsTold) {
  const auto claims =
      judge(published::tables_of(a100_rows()), std::vector{a100_report(3705, 16700)});
  ASSERT_EQ(claims.size(), 3u);
  EXPECT_EQ(claims[0].verdict, ClaimVerdict::kReached);
  EXPECT_EQ(claims[1].verdict, ClaimVerdict::kReached);
  EXPECT_EQ(claims[2].verdict, ClaimVerdict::kDiffersHere);
  EXPECT_EQ(claims[2].reason, "its base is 1.5 times as fast here");
  EXPECT_EQ(exit_code_of(claims), ExitCode::kPass);
}

// "5 to 7 times on 8 GPUs", of no network: whichever the report has.
TEST(Claims, ARangeOfSpeedUpsIsOfAnyNetwork) {
  const auto rows = published::own_library();
  const auto table = published::find_tables(rows, "practice-scaling");
  const auto judged = [&](double eight) {
    const auto claims = judge(table, std::vector{a100_report(1000, eight)});
    return claims.size() == 1 ? std::string(name_of(claims.front().verdict)) : "?";
  };
  EXPECT_EQ(judged(6000), "confirmed");
  EXPECT_EQ(judged(7900), "refuted");
  EXPECT_EQ(judged(5000), "undecided");
}

// Times of epochs without a rate: each speed-up follows, and the first count claims none.
TEST(Claims, TimesAreWorthSpeedUps) {
  std::vector<Row> rows;
  for (const auto& [gpus, seconds] : {std::pair(1, 80.0), {8, 12.0}}) {
    Row row = a100_rows().front();
    row.id = "t-" + std::to_string(gpus);
    row.gpus = gpus;
    row.throughput.reset();
    row.unit.clear();
    row.metric = "epoch_s";
    row.value = seconds;
    row.published_speedup = 80 / seconds;
    rows.push_back(row);
  }
  EXPECT_EQ(verdicts(rows, a100_report(2500, 16700)), Texts{"t-8 speedup confirmed"});
  EXPECT_EQ(verdicts(rows, a100_report(2500, 19000)), Texts{"t-8 speedup refuted"});
  for (Row& row : rows) row.workload.clear();
  const auto claims = judge(published::tables_of(rows), std::vector{a100_report(2500, 16700)});
  ASSERT_EQ(claims.size(), 1u);
  EXPECT_TRUE(claims.front().reason.starts_with("network_missing: ")) << claims.front().reason;
}

// The bytes of a ring's busiest link are 2 / N of a parameter server's (docs/TRAINING.md), and
// nothing has to be run to know that.
TEST(Claims, BytesAreCounted) {
  const auto rows = published::own_library();
  const auto claims = judge(published::find_tables(rows, "practice-mechanisms"), {});
  ASSERT_EQ(claims.size(), 3u);
  EXPECT_EQ(claims[0].metric, "payload_bytes");
  EXPECT_EQ(claims[0].verdict, ClaimVerdict::kRefuted);  // not so on each number of ranks
  EXPECT_NE(
      claims[0].reason.find("saves 0 % on 2, 50 % on 4, 75 % on 8 ranks; as claimed on 4 to 6"),
      std::string::npos)
      << claims[0].reason;
  EXPECT_EQ(claims[1].metric, "communication_cost_s");
  EXPECT_EQ(claims[1].reason, "nothing was run");
  const auto judged = [&](std::optional<int> gpus, const char* option, const char* from,
                          const char* to, double value) {
    Row row{.id = "x-1", .group = "g", .repo = "o/r", .path = "p"};
    row.gpus = gpus;
    row.metric = "payload_bytes";
    row.value = value;
    row.relative_to = published::Relative{.option = option, .from = from, .to = to};
    return verdicts({row}, {}).front();
  };
  EXPECT_EQ(judged(4, "strategy", "parameter-server", "ddp", 0.5), "x-1 payload_bytes confirmed");
  EXPECT_EQ(judged(8, "strategy", "parameter-server", "ddp", 0.5), "x-1 payload_bytes refuted");
  EXPECT_EQ(judged(16, "strategy", "parameter-server", "flat", 0.125),
            "x-1 payload_bytes confirmed");
  EXPECT_EQ(judged({}, "gradient_compression", "none", "fp16", 0.5), "x-1 payload_bytes confirmed");
  EXPECT_EQ(judged({}, "precision", "fp32", "amp-fp16", 0.5), "x-1 payload_bytes refuted");
  EXPECT_EQ(judged({}, "bucket_cap_mb", "25", "100", 1), "x-1 payload_bytes confirmed");
  EXPECT_EQ(judged({}, "batch_size", "8", "16", 1), "x-1 payload_bytes not_measured");
  EXPECT_EQ(judged({}, "strategy", "none", "ddp", 1), "x-1 payload_bytes not_measured");
}

TEST(Claims, OnOtherHardwareOnlyRatiosAreJudged) {
  Report report = a100_report(5000, 20000);
  for (auto& point : report.points) point.device_name = "NVIDIA H100 80GB HBM3";
  EXPECT_EQ(verdicts(a100_rows(), report),
            (Texts{"x-1 throughput not_judged", "x-2 throughput not_judged",
                   "x-2 speedup differs_here"}));
}

TEST(Claims, DisturbedRunsDecideNothing) {
  Report report = a100_report(2600, 17500);
  // A disturbance of another point does not concern this one.
  report.findings = {reporting::make_finding(reporting::finding_kinds::throttled, "p2/r0"),
                     reporting::make_finding(reporting::finding_kinds::shared, "p8/r0")};
  const auto claims = judge(published::tables_of(a100_rows()), {&report, 1});
  EXPECT_EQ(claims.at(1).verdict, ClaimVerdict::kUndecided);
  EXPECT_NE(claims.at(1).reason.find("disturbed"), std::string::npos);
  EXPECT_TRUE(claims.at(1).standing.is_withheld());
  EXPECT_EQ(claims.at(1).standing.reason, "shared");
  // People are not shown what was measured, programs are.
  const std::string measured = significant(claims.at(1).measured.value(), 4);
  EXPECT_EQ(claims_text({claims.at(1)}, Terminal()).find(measured), std::string::npos);
  EXPECT_NE(claims_csv({claims.at(1)}).find(measured), std::string::npos);
}

// Both precisions were run, as the source does not say which it was: the nearer one counts.
TEST(Claims, AnOpenPrecisionIsTheNearerOne) {
  auto rows = a100_rows();
  for (Row& row : rows) row.precision = "fp32_or_tf32";
  Report report = a100_report(400, 3000);
  for (auto& point : report.points) point.precision = "fp32";
  const Report other = a100_report(2600, 17500);
  for (std::size_t i = 0; i < 2; ++i) {
    report.points.push_back(other.points[i]);
    report.points.back().precision = "tf32";
    report.points.back().group += "t";
    report.groups.push_back(other.groups[i]);
    report.groups.back().group += "t";
  }
  const auto claims = judge(published::tables_of(rows), {&report, 1});
  EXPECT_EQ(claims.at(0).verdict, ClaimVerdict::kReached);
  EXPECT_NE(claims.at(0).what.find("(as tf32)"), std::string::npos);
}

TEST(Claims, ScaledDownRatesShowTheMethodAndSpeedUpsADirection) {
  Report report = a100_report(50, 300);
  for (auto& point : report.points) point.batch_size = 8;
  report.scaled_down.push_back({"batch_size", "256", "8"});
  EXPECT_EQ(verdicts(a100_rows(), report),
            (Texts{"x-1 throughput not_judged", "x-2 throughput not_judged",
                   "x-2 speedup same_direction"}));
}

TEST(Claims, OfSeveralGroupsThatFitNoneIsTheClaims) {
  Report report = a100_report(2600, 17500);
  report.points.push_back(report.points[0]);
  report.points.back().group = "other";
  report.groups.push_back(report.groups[0]);
  report.groups.back().group = "other";
  EXPECT_EQ(verdicts(a100_rows(), report).front(), "x-1 throughput not_measured");
}

// The row that a speed-up counts from prints the time of an epoch, which by itself claims nothing.
TEST(Claims, ATimeThatClaimsNothingIsABaseAllTheSame) {
  Report report = a100_report(1000, 1600);
  for (auto& point : report.points) {
    point.workload = "mlp";
    point.batch_size = 64;
  }
  report.points[1].world_size = 2;
  const auto rows = published::own_library();
  const auto claims = judge(published::find_tables(rows, "practice-rtx4090-mlp"), {&report, 1});
  const auto two = std::ranges::find(claims, "pub-1765", &ClaimRecord::row);
  ASSERT_NE(two, claims.end());
  EXPECT_EQ(two->verdict, ClaimVerdict::kConfirmed) << two->reason;
}

TEST(Claims, WhatCannotBeTestedIsThereWithItsReason) {
  auto rows = a100_rows();
  rows[0].workload = "vgg16";
  const auto claims = judge(published::tables_of(rows), std::vector<Report>{});
  EXPECT_EQ(claims.at(0).verdict, ClaimVerdict::kNotTestable);
  EXPECT_TRUE(claims.at(0).reason.starts_with("workload: "));
  EXPECT_EQ(claims.at(1).verdict, ClaimVerdict::kNotMeasured);
  EXPECT_EQ(exit_code_of(claims), ExitCode::kUnsure);
}

TEST(Claims, MoreRanksThanWereMeasuredCannotBeTested) {
  auto rows = a100_rows();
  rows[1].gpus = 64;
  const auto claims = judge(published::tables_of(rows), std::vector{a100_report(2600, 17500)});
  ASSERT_EQ(claims.size(), 3u);
  EXPECT_EQ(claims[0].verdict, ClaimVerdict::kReached);
  EXPECT_EQ(claims[1].verdict, ClaimVerdict::kNotTestable);
  EXPECT_EQ(claims[2].reason, "ranks: 64 are wanted, 8 were measured");
}

TEST(Claims, OtherGpusPerNodeAreOtherHardware) {
  auto rows = a100_rows();
  rows[1].nodes = 2;
  EXPECT_EQ(
      verdicts(rows, a100_report(2500, 9000)),
      (Texts{"x-1 throughput reached", "x-2 throughput not_judged", "x-2 speedup differs_here"}));
}

TEST(ClaimForms, AReportShowsItsClaimsInEveryForm) {
  Report report = a100_report(2500, 9000);
  report.claims = judge(published::tables_of(a100_rows()), std::vector{report});
  using reporting::Format;
  for (const Format format : {Format::kMarkdown, Format::kHtml, Format::kTable, Format::kJson}) {
    const std::string text = reporting::render(format, std::vector{report});
    EXPECT_NE(text.find(format == Format::kJson ? "\"verdict\": \"refuted\"" : "1 refuted"),
              std::string::npos)
        << reporting::format_name(format);
  }
  const std::string junit = reporting::render(Format::kJunit, std::vector{report});
  EXPECT_NE(junit.find("x-2 speedup"), std::string::npos) << junit;
}

TEST(ClaimForms, AllShowTheSameVerdicts) {
  const auto claims =
      judge(published::tables_of(a100_rows()), std::vector{a100_report(2500, 9000)});
  EXPECT_NE(claims_text(claims, Terminal()).find("3 claims: 1 refuted, 1 reached, 1 not reached"),
            std::string::npos)
      << claims_text(claims, Terminal());
  EXPECT_NE(claims_junit(claims, "2026-01-02T03:04:05Z")
                .find("tests=\"3\" failures=\"2\" errors=\"0\" skipped=\"0\""),
            std::string::npos);
  EXPECT_NE(claims_csv(claims).find("not_reached"), std::string::npos);
  EXPECT_NE(claims_json_lines(claims).find("\"verdict\":\"refuted\""), std::string::npos);
  EXPECT_NE(claims_markdown(claims).find("refuted"), std::string::npos);
}

}  // namespace
}  // namespace scalemark::claims
