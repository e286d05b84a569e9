#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include "core/statistics/steadiness/decay_fit.h"
#include "report/judge/sweep/summary.h"
#include "report/record/point_facts.h"
#include "report/record/verdict.h"
#include "tests/report/sample_slices.h"
#include "tests/report/sample_sweep.h"

namespace scalemark::reporting {
namespace {

// A run with times that can be reckoned by hand: T = 0.1 s on one rank.
PointRecord run_of(const std::string& group, int ranks, double step_s, int block) {
  PointRecord run;
  run.group = group;
  run.id = group + "/r" + std::to_string(block);
  run.workload = "mlp";
  run.strategy = ranks == 1 ? "none" : "ddp";
  run.device = "cpu";
  run.data = "synthetic";
  run.world_size = run.processes = ranks;
  run.batch_size = 10;
  run.gradient_accumulation_steps = 1;
  run.global_batch_size = 10 * ranks;
  run.repetition = run.block = block;
  run.started = "2026-01-02T03:04:0" + std::to_string(block) + "Z";
  run.iterations = 100;
  run.samples = 1000 * ranks;
  run.wall_s = 100 * step_s;
  run.samples_per_sec = static_cast<double>(run.samples) / run.wall_s;
  run.own_mean_s = run.own_max_of_rank_means_s = step_s;
  run.own_mean_of_step_max_s = step_s;
  for (int r = 0; r < ranks; ++r) {
    RankRecord& rank = run.ranks.emplace_back();
    rank.rank = r;
    rank.own_mean_s = step_s;
    rank.own_mean_ln = std::log(step_s);
    rank.data_wait_s = 0;
  }
  return run;
}

TEST(Groups, StandInTheOrderOfTheNumbersInTheirNames) {
  const std::vector<std::string> sorted{"mlp-bucket1", "mlp-bucket5", "mlp-bucket25",
                                        "mlp-bucket100"};
  Report report;
  for (const std::size_t place : {3U, 0U, 2U, 1U})
    report.points.push_back(run_of(sorted[place], 2, 0.1, 0));
  summarise_sweep(report, {});
  std::vector<std::string> groups;
  for (const GroupRecord& group : report.groups) groups.push_back(group.group);
  EXPECT_EQ(groups, sorted);
}

std::vector<PointRecord> two_ranks(int blocks) {
  std::vector<PointRecord> points;
  for (int block = 0; block < blocks; ++block) {
    points.push_back(run_of("one", 1, 0.1, block));
    PointRecord two = run_of("two", 2, 0.125, block);
    two.own_mean_s = 0.105;
    two.own_max_of_rank_means_s = 0.11;
    two.own_mean_of_step_max_s = 0.115;
    two.ranks[0].own_mean_s = 0.1;
    two.ranks[1].own_mean_s = 0.11;
    points.push_back(two);
  }
  return points;
}

double sum_of(const LossOfEfficiency& loss) {
  return loss.slower_compute + loss.data_wait + loss.persistent_imbalance +
         loss.run_imbalance.value_or(0) + loss.jitter.value_or(0) + loss.communication;
}

bool has_finding(const Report& summary, const std::string& code) {
  return std::ranges::any_of(summary.findings, [&](const auto& f) { return f.code == code; });
}

TEST(SummariseSweep, TwoRanksByHand) {  // T 0.1 -> 0.125 s: E = 0.8; terms 5, 5, 5, 10 ms of 25
  const auto points = two_ranks(3);
  const auto summary = summarised(points);
  ASSERT_EQ(summary.groups.size(), 2u);
  EXPECT_NEAR(*summary.groups[0].samples_per_sec, 100, 1e-9);
  EXPECT_EQ(summary.groups[1].status_counts.at("ok"), 3);

  ASSERT_EQ(summary.scaling.size(), 1u);
  const ScalingTable& table = summary.scaling[0];
  EXPECT_EQ(table.kind, "weak");
  EXPECT_EQ(table.relative_to, "1 rank without communication");
  EXPECT_EQ(table.fixed.at("batch_size"), "10");
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_FALSE(table.rows[0].efficiency) << "against itself";
  const ScalingRow& row = table.rows[1];
  EXPECT_NEAR(row.speedup.value(), 1.6, 1e-12);
  EXPECT_NEAR(row.efficiency.value(), 0.8, 1e-12);
  EXPECT_EQ(row.points, (std::vector<std::string>{"two/r0", "two/r1", "two/r2"}));
  ASSERT_TRUE(row.loss_of_efficiency);
  EXPECT_NEAR(row.loss_of_efficiency->communication, 0.08, 1e-12);
  EXPECT_NEAR(row.loss_of_efficiency->jitter.value(), 0.04, 1e-12);
  EXPECT_NEAR(sum_of(*row.loss_of_efficiency), 0.2, 1e-12);
  EXPECT_FALSE(row.slowest_rank) << "the rule for stragglers names nobody";
  EXPECT_EQ(row.in_words,
            "2.00x -> 1.60x: communication -0.16, ranks that are always slower -0.08, "
            "single slow steps -0.08, slower computing than alone -0.08");
  ASSERT_TRUE(row.loss_of_efficiency_ci95);
  EXPECT_NEAR(row.loss_of_efficiency_ci95->communication.low.value(), 0.08, 1e-12);
}

TEST(SummariseSweep, OneBlockHasNoIntervalsOfSharesAndNoRunToRunImbalance) {
  const auto summary = summarised(two_ranks(1));
  const ScalingRow& row = summary.scaling.at(0).rows.at(1);
  EXPECT_FALSE(row.loss_of_efficiency_ci95);
  EXPECT_FALSE(row.loss_of_efficiency->run_imbalance);
  EXPECT_NEAR(row.loss_of_efficiency->persistent_imbalance, 0.04, 1e-12);
}

// Each block has another slow rank, 10 ms above the mean of 105: nothing of that lasts.
TEST(SummariseSweep, ImbalanceThatChangesFromRunToRunIsNotPersistent) {
  auto points = two_ranks(4);
  for (auto& point : points) {
    if (point.world_size == 1) continue;
    point.ranks[0].own_mean_s = point.block % 2 ? 0.1 : 0.11;
    point.ranks[1].own_mean_s = point.block % 2 ? 0.11 : 0.1;
  }
  auto row = summarised(points).scaling.at(0).rows.at(1);
  EXPECT_NEAR(row.loss_of_efficiency->persistent_imbalance, 0, 1e-12);
  EXPECT_NEAR(row.loss_of_efficiency->run_imbalance.value(), 0.04, 1e-12);
  EXPECT_NEAR(sum_of(*row.loss_of_efficiency), 0.2, 1e-12);
  EXPECT_NE(row.in_words.find("ranks that are slower in some runs -0.08"), std::string::npos)
      << row.in_words;

  points.back().ranks[0].host = "elsewhere";  // lasting differences cannot be separated any more
  row = summarised(points).scaling.at(0).rows.at(1);
  EXPECT_FALSE(row.loss_of_efficiency->run_imbalance);
  EXPECT_NEAR(row.loss_of_efficiency->persistent_imbalance, 0.04, 1e-12);
}

// Ranks of a point by their own times in ln seconds, run by run.
std::vector<PointRecord> with_own_times(const std::string& group,
                                        const std::vector<std::vector<double>>& own_ln) {
  std::vector<PointRecord> points;
  for (const auto& run : own_ln) {
    const int block = static_cast<int>(points.size());
    points.push_back(run_of(group, static_cast<int>(run.size()), 0.125, block));
    for (std::size_t r = 0; r < run.size(); ++r) points.back().ranks[r].own_mean_ln = run[r];
  }
  return points;
}

void append(std::vector<PointRecord>& all, std::vector<PointRecord> more) {
  for (PointRecord& point : more) all.push_back(std::move(point));
}

TEST(SummariseSweep, OnlyTheRuleForStragglersNamesARank) {
  auto points = two_ranks(3);
  for (auto& point : points) {
    if (point.world_size == 2) point.ranks[1].own_mean_ln = *point.ranks[0].own_mean_ln + 0.1;
  }
  const auto summary = summarised(points);
  const ScalingRow& row = summary.scaling.at(0).rows.at(1);
  EXPECT_EQ(row.slowest_rank, 1);
  EXPECT_NE(row.in_words.find("ranks that are always slower (rank 1) -0.08"), std::string::npos)
      << row.in_words;
  EXPECT_EQ(summary.stragglers.at(0).verdict, RankVerdict::kSlower);
}

TEST(SummariseSweep, AServerOnATrainingRankIsNoStraggler) {
  const auto named = [](const std::string& strategy, std::vector<double> run) {
    auto points = with_own_times("four", {run, run, run});
    for (auto& point : points) {
      point.strategy = strategy;
      point.processes = point.world_size;
    }
    std::vector<int> ranks;
    for (const Straggler& rank : summarised(points).stragglers) ranks.push_back(rank.rank);
    return ranks;
  };
  const std::vector<double> server_late{0.5, 0, 0.01, 0}, other_late{0.5, 0, 0, 0.2};
  EXPECT_EQ(named("ddp", server_late), std::vector<int>{0});
  EXPECT_EQ(named("parameter-server", server_late), std::vector<int>{});
  EXPECT_EQ(named("parameter-server", other_late), std::vector<int>{3});
}

TEST(SummariseSweep, ARankThatIsSlowInSomeRunsIsIntermittent) {
  const auto points = with_own_times(
      "four", {{0, 0, 0, 0.15}, {0, 0, 0, 0}, {0, 0, 0, 0.15}, {0, 0, 0, 0}, {0, 0, 0, 0}});
  const auto summary = summarised(points);
  ASSERT_EQ(summary.stragglers.size(), 1u);
  EXPECT_EQ(summary.stragglers[0].rank, 3);
  EXPECT_EQ(summary.stragglers[0].verdict, RankVerdict::kIntermittent);
  EXPECT_EQ(summary.stragglers[0].slow_runs, 2);
  EXPECT_EQ(summary.stragglers[0].runs, 5);
  EXPECT_TRUE(has_finding(summary, "straggler_intermittent"));
  EXPECT_FALSE(has_finding(summary, "straggler"));
}

TEST(SummariseSweep, TwoRanksThatTakeTurnsAreOneFindingThatBlamesNobody) {
  const auto found = [](const std::vector<std::vector<double>>& own) {
    auto summary = summarised(with_own_times("two", own));
    std::erase_if(summary.findings,
                  [](const Finding& one) { return one.code != "ranks_take_turns"; });
    EXPECT_FALSE(has_finding(summary, "straggler_intermittent"));
    EXPECT_EQ(summary.findings.size(), 1u);
    EXPECT_TRUE(std::ranges::none_of(summary.findings, blames_part));
    return summary.findings.empty() ? std::string() : summary.findings.front().text;
  };
  EXPECT_EQ(found({{0, 0.1}, {0.1, 0}, {0, 0.1}, {0.1, 0}}),
            "the two ranks take turns at being the slower one; of two, neither can be said to be "
            "at fault: rank 0 at two (2 of 4 runs); rank 1 at two (2 of 4 runs)");
  EXPECT_EQ(found({{0, 0.15}, {0, 0}, {0, 0.15}, {0, 0}, {0, 0}}),
            "rank 1 is slower than the other one in some runs, not in every one; of two, neither "
            "can be said to be at fault: rank 1 at two (2 of 5 runs)");
}

// 8 % above a field that differs by 1.4 %: enough at one point, not among twelve.
TEST(SummariseSweep, TheMorePointsTheLargerTheDeviationThatCounts) {
  const std::vector<double> run{-0.013, -0.01, 0, 0, 0.01, 0.01, 0.013, 0.08};
  const auto one = with_own_times("p0", {run, run, run});
  const auto alone = summarised(one, {.slices = {{"weak", {}, "", {}}}});
  ASSERT_FALSE(alone.stragglers.empty());
  EXPECT_EQ(alone.stragglers[0].verdict, RankVerdict::kStraggler);

  auto twelve = one;
  const std::vector<double> even(8, 0.0);
  for (int p = 1; p < 12; ++p) {
    append(twelve, with_own_times("p" + std::to_string(p), {even, even, even}));
  }
  const auto among = summarised(twelve, {.slices = {{"weak", {}, "", {}}}});
  ASSERT_EQ(among.stragglers.size(), 1u);
  EXPECT_EQ(among.stragglers[0].verdict, RankVerdict::kWithinNoise);
}

TEST(SummariseSweep, DevicesMayDifferByTheSpreadThatIsGiven) {
  const auto points = with_own_times("four", {{0, 0, 0, 0.04}, {0, 0, 0, 0.04}, {0, 0, 0, 0.04}});
  EXPECT_EQ(summarised(points).stragglers.at(0).verdict, RankVerdict::kStraggler);
  EXPECT_EQ(summarised(points, {.device_spread = 0.02}).stragglers.at(0).verdict,
            RankVerdict::kWithinNoise);
}

std::vector<PointRecord> in_sessions(const std::vector<int>& sessions) {
  std::vector<PointRecord> points;
  for (std::size_t k = 0; k < sessions.size(); ++k) {
    points.push_back(
        run_of("one", 1, 0.1 + 0.001 * static_cast<double>(k % 3), static_cast<int>(k)));
    points.back().session = sessions[k];
  }
  return points;
}

TEST(SummariseSweep, TwoSessionsHaveNoIntervalAndThreeOneOverSessions) {
  const auto one = summarised(in_sessions({0, 0, 0, 0, 0}));
  EXPECT_TRUE(one.groups.at(0).ci95.low);
  EXPECT_FALSE(one.groups[0].sessions);
  EXPECT_FALSE(has_finding(one, "sessions_pooled"));

  const auto two = summarised(in_sessions({0, 0, 0, 1, 1}));
  EXPECT_FALSE(two.groups.at(0).ci95.low);
  EXPECT_EQ(two.groups[0].sessions, 2);
  EXPECT_TRUE(two.groups[0].samples_per_sec);
  EXPECT_TRUE(has_finding(two, "sessions_pooled"));

  const auto three = summarised(in_sessions({0, 0, 1, 1, 2}));
  EXPECT_TRUE(three.groups.at(0).ci95.low);
  EXPECT_EQ(three.groups[0].sessions, 3);
  EXPECT_FALSE(has_finding(three, "sessions_pooled"));
}

// 40 runs of one point: 10 slow ones, 10 fast ones, and so on.
TEST(SummariseSweep, CorrelatedRunsWidenIntervalsAndSilenceDrift) {
  std::vector<PointRecord> points;
  for (int k = 0; k < 40; ++k) {
    const double wobble = 0.001 * (k % 7 - 3) + (k / 10 % 2 ? 0.01 : 0);
    points.push_back(run_of("one", 1, 0.1 + wobble, k));
    char text[32];
    std::snprintf(text, sizeof text, "2026-01-02T03:%02d:00Z", k);
    points.back().started = text;
  }
  const auto summary = summarised(points);
  ASSERT_TRUE(summary.drift && summary.drift->lag1);
  EXPECT_GT(*summary.drift->lag1, 0.4);
  EXPECT_TRUE(has_finding(summary, "runs_correlated"));
  EXPECT_FALSE(has_finding(summary, "drift"));
  const double width = *summary.groups.at(0).ci95.high - *summary.groups[0].ci95.low;

  std::ranges::stable_sort(points, {}, [](const auto& p) { return (p.block * 17) % 40; });
  std::vector<PointRecord> mixed;
  for (int k = 0; k < 40; ++k) {
    mixed.push_back(points[static_cast<std::size_t>(k)]);
    char text[32];
    std::snprintf(text, sizeof text, "2026-01-02T03:%02d:00Z", k);
    mixed.back().started = text;
  }
  const auto independent = summarised(mixed);
  EXPECT_FALSE(has_finding(independent, "runs_correlated"));
  EXPECT_GT(width, 1.5 * (*independent.groups.at(0).ci95.high - *independent.groups[0].ci95.low));
}

// A bias that all runs share is no noise, but no run by itself can tell the two apart.
TEST(SummariseSweep, RepetitionsTogetherJudgeTheirWindows) {
  auto points = two_ranks(5);
  for (PointRecord& run : points) {
    const double noise = 1e-4 * run.block;
    run.biases.assign(5, (run.group == "two" ? -0.01 : 0) + noise);
    run.bias_bound = 0.02;
  }
  auto summary = summarised(points);
  EXPECT_EQ(summary.groups[0].steady, true) << summary.groups[0].steady_reason;
  EXPECT_LT(summary.groups[0].bias_bound.value(), 0.001);
  EXPECT_EQ(summary.groups[1].steady, false);
  EXPECT_TRUE(has_finding(summary, "windows_not_steady"));
  EXPECT_FALSE(has_finding(summary, "windows_unknown"));

  for (PointRecord& run : points) run.biases.assign(5, 0.01 * (run.block - 2));
  summary = summarised(points);
  EXPECT_FALSE(summary.groups[0].steady);
  EXPECT_GT(summary.groups[0].bias_bound.value(), 0.01);
  EXPECT_TRUE(has_finding(summary, "windows_unknown"));
  EXPECT_FALSE(has_finding(summary, "windows_not_steady"));
}

TEST(SummariseSweep, TimesOfStepsAndRatesAgree) {
  auto points = two_ranks(3);
  points[3].samples_per_sec *= 1.1;  // one run is faster
  const auto summary = summarised(points);
  EXPECT_NEAR(*summary.groups[1].samples_per_sec * summary.groups[1].step_time_s.value(), 20, 1e-9);
  const ScalingRow& row = summary.scaling.at(0).rows.at(1);
  EXPECT_NEAR(row.samples_per_sec * row.step_time_s.value(), 20, 1e-9);
  points[3].samples -= 1;  // steps of another size have no common T
  EXPECT_FALSE(summarised(points).groups[1].step_time_s);
}

TEST(SummariseSweep, ShowsTheSlowestAndTheFastestRun) {
  auto points = two_ranks(3);
  points[3].samples_per_sec = 170;
  points[5].samples_per_sec = 150;
  const auto summary = summarised(points);
  EXPECT_EQ(summary.groups[1].slowest, 150);
  EXPECT_EQ(summary.groups[1].fastest, 170);
  const auto& rows = summary.scaling.at(0).rows;
  EXPECT_NEAR(rows[1].efficiency_lowest.value(), 0.75, 1e-12);
  EXPECT_NEAR(rows[1].efficiency_highest.value(), 0.85, 1e-12);
  EXPECT_FALSE(rows[0].efficiency_lowest) << "the baseline against itself";
  EXPECT_FALSE(summarised(two_ranks(1)).groups[1].slowest);
}

TEST(SummariseSweep, OneRunIsAsUncertainAsItsStepsAtLeast) {
  auto points = two_ranks(1);
  points[0].within_run_ci95.low = 97;  // the mean is 100
  points[0].within_run_ci95.high = 103;
  points[1].within_run_ci95.low = 153.6;  // the mean is 160
  points[1].within_run_ci95.high = 166.4;
  const auto one = summarised(points);
  EXPECT_NEAR(one.groups[0].at_least.value(), 0.03, 1e-12);
  EXPECT_NEAR(one.scaling.at(0).rows.at(1).at_least.value(), 0.05, 1e-12);
  EXPECT_FALSE(one.scaling[0].rows[0].at_least) << "the baseline against itself is exact";
  EXPECT_NEAR(one.groups[0].unseen_share.value(), 0.95, 1e-12);

  auto more = points;
  append(more, points);
  for (std::size_t i = 2; i < more.size(); ++i) more[i].block = 1;
  const auto two = summarised(more);
  EXPECT_FALSE(two.groups[0].at_least);
  EXPECT_FALSE(two.scaling.at(0).rows.at(1).at_least);
}

TEST(SummariseSweep, CountsRunsThatWereNotSteady) {
  auto points = two_ranks(2);
  points[1].steady = true;
  EXPECT_FALSE(summarised(points).scaling.at(0).rows.at(1).unsteady_runs);
  points[1].steady = false;
  points[2].steady = false;  // a baseline
  const auto summary = summarised(points);
  const auto& rows = summary.scaling.at(0).rows;
  EXPECT_EQ(rows[1].unsteady_runs, 2);
  EXPECT_FALSE(rows[0].unsteady_runs) << "the baseline against itself";
  EXPECT_NE(rows[1].in_words.find("2.0x -> ~1.6x"), std::string::npos) << rows[1].in_words;
}

// 110 steps alone can never be found unsteady; five runs of them can.
TEST(SummariseSweep, RepetitionsTogetherShowWhetherASpeedUpIsOfSteadyWindows) {
  auto points = two_ranks(5);
  const auto row = [&] { return summarised(points).scaling.at(0).rows.at(1); };
  EXPECT_FALSE(row().unsteady_runs) << "nothing says that it was unsteady";
  for (auto& point : points) {
    if (point.group != "two") continue;
    point.bias_bound = 0.02;
    point.biases.assign(statistics::kDecays, 0.01 + 1e-4 * point.block);
  }
  const auto summary = summarised(points);
  ASSERT_EQ(summary.groups.at(1).steady, false);
  EXPECT_EQ(row().unsteady_runs, 5);
  EXPECT_NE(row().in_words.find("-> ~1.6x"), std::string::npos) << row().in_words;

  for (auto& point : points) {
    if (point.group == "two") point.biases.assign(statistics::kDecays, 1e-4 * point.block - 2e-4);
  }
  points[1].steady = false;
  ASSERT_EQ(summarised(points).groups.at(1).steady, true);
  EXPECT_FALSE(row().unsteady_runs) << "one false alarm of five";
}

// 160 and 160 / 1.2 samples/s in two sessions: neither counts more for having had more runs.
TEST(SummariseSweep, ARowsThroughputIsThatOfItsGroupOverSessions) {
  auto points = two_ranks(4);
  for (auto& point : points) {
    if (point.block < 3) continue;
    point.session = 1;
    point.samples_per_sec /= 1.2;
  }
  const auto summary = summarised(points);
  const auto& row = summary.scaling.at(0).rows.at(1);
  EXPECT_NEAR(row.samples_per_sec, 160 / std::sqrt(1.2), 1e-9);
  EXPECT_EQ(row.samples_per_sec, summary.groups.at(1).samples_per_sec);
  EXPECT_EQ(row.step_time_s, summary.groups.at(1).step_time_s);
}

// Runs of one point, by their rates.
std::vector<PointRecord> with_rates(const std::string& group, const std::vector<double>& rates) {
  std::vector<PointRecord> points;
  for (const double rate : rates) {
    points.push_back(run_of(group, 1, 0.1, static_cast<int>(points.size())));
    points.back().samples_per_sec = rate;
  }
  return points;
}

TEST(SummariseSweep, FindsRunsOnTwoLevels) {
  const auto levels = with_rates("odd", {100, 95, 100.1, 100.2, 95.1});
  const auto summary = summarised(levels);
  ASSERT_TRUE(has_finding(summary, "two_levels"));
  const auto found = std::ranges::find(summary.findings, "two_levels", &Finding::code);
  EXPECT_TRUE(found->text.starts_with("odd: 2 of 5 runs are 5.0 % slower than the others"))
      << found->text;
  EXPECT_FALSE(has_finding(summarised(with_rates("p", {100, 101, 99, 100, 98})), "two_levels"));

  auto sessions = levels;  // a difference of sessions is no second level of the machine
  for (std::size_t k = 0; k < sessions.size(); ++k) {
    sessions[k].session = sessions[k].samples_per_sec < 99;
  }
  EXPECT_FALSE(has_finding(summarised(sessions), "two_levels"));
}

TEST(SummariseSweep, NamesWhatTheFastestCannotBeToldApartFrom) {
  std::vector<PointRecord> points;
  append(points, with_rates("slow", {50, 51, 49}));
  append(points, with_rates("near", {99, 100, 98}));
  append(points, with_rates("best", {100, 101, 99}));
  auto fastest = summarised(points).fastest;
  ASSERT_TRUE(fastest);
  EXPECT_EQ(fastest->group, "best");
  EXPECT_EQ(fastest->not_told_apart, std::vector<std::string>{"near"});

  auto solo = with_rates("solo", {200, 200, 200});
  for (PointRecord& point : solo) point.world_size = 2;
  append(points, solo);
  EXPECT_EQ(summarised(points).fastest->group, "best") << "replicas that share nothing";
}

// Solo on four GPUs of one machine; the third is 10 % slower.
std::vector<PointRecord> solo_runs(int blocks) {
  std::vector<PointRecord> points;
  for (int block = 0; block < blocks; ++block) {
    PointRecord run = run_of("solo", 4, 0.1, block);
    run.strategy = "none";
    for (RankRecord& rank : run.ranks) {
      const double slower = rank.rank == 2 ? 1 / 0.9 : 1, together = 1 + 0.02 * block;
      rank.host = "n1";
      rank.device = "cuda:" + std::to_string(rank.rank);
      rank.uuid = "GPU-" + std::to_string(rank.rank);
      rank.samples = 1000;
      rank.wall_s = 10 * slower * together;
    }
    points.push_back(run);
  }
  return points;
}

TEST(DevicesOf, EachIsComparedWithTheOthersOfTheSameRuns) {
  monitoring::Host host;
  host.hostname = "n1";
  host.gpus.resize(3);
  host.gpus[2].uuid = "GPU-2";
  host.gpus[2].pci = "00000000:41:00.0";
  host.gpus[2].max_sm_clock_MHz = 1980;
  const auto devices = devices_of(solo_runs(3), {&host, 1});
  ASSERT_EQ(devices.size(), 4u);
  const DeviceRecord& slow = devices[2];
  EXPECT_EQ(slow.group, "solo");
  EXPECT_EQ(slow.rank, 2);
  EXPECT_EQ(slow.runs, 3);
  EXPECT_NEAR(slow.samples_per_sec, 90 / std::cbrt(1.02 * 1.04), 1e-9);
  EXPECT_LT(*slow.ci95.low, slow.samples_per_sec - 1) << "the runs differ";
  EXPECT_NEAR(slow.deviation.value(), -0.1, 1e-12);
  EXPECT_NEAR(slow.deviation_ci95.high.value(), -0.1, 1e-9) << "what all have in common cancels";
  EXPECT_EQ(slow.pci, "00000000:41:00.0");
  EXPECT_EQ(slow.max_sm_clock_MHz, 1980);
  EXPECT_NEAR(devices[0].deviation.value(), 0, 1e-12);
  EXPECT_TRUE(devices[0].pci.empty());
}

TEST(DevicesOf, OneRunHasNoIntervalAndOtherStrategiesNoDevices) {
  const auto devices = devices_of(solo_runs(1), {});
  ASSERT_EQ(devices.size(), 4u);
  EXPECT_FALSE(devices[0].ci95.low);
  EXPECT_FALSE(devices[0].deviation_ci95.low);
  EXPECT_TRUE(devices[0].deviation);
  EXPECT_TRUE(devices_of(two_ranks(2), {}).empty());
}

TEST(DevicesOf, ADeviceThatWasReplacedIsAnotherOne) {
  auto points = solo_runs(2);
  points[1].ranks[3].uuid = "GPU-new";
  EXPECT_EQ(devices_of(points, {}).size(), 5u);
}

TEST(BreakEvenSteps, AreOfPointsWhoseSpeedUpIsCertain) {
  std::vector<PointRecord> points = two_ranks(3);
  for (auto& point : points) point.setup_s.model_s = point.world_size;
  const auto slices = slices_of(points);
  EXPECT_EQ(break_even_steps(points, slices).size(), 3u);
  for (auto& point : points) {  // 0.6, 1.5 and 2.4 times as fast: anything between is possible
    if (point.world_size == 2) point.samples_per_sec = 60 * (1 + 1.5 * point.block);
  }
  EXPECT_TRUE(break_even_steps(points, slices).empty());
  EXPECT_TRUE(break_even_steps(two_ranks(1), slices).empty()) << "one run has no interval";
}

TEST(SummariseSweep, ADataGapThatMayBeNoneIsNoFinding) {
  std::vector<PointRecord> points;
  for (int block = 0; block < 3; ++block) {
    points.push_back(run_of("memory", 1, 0.1, block));
    points.push_back(run_of("files", 1, 0.11 + 0.012 * (block - 1), block));
    points.back().data = "/data";
  }
  const auto summary = summarised(points);
  ASSERT_EQ(summary.data_gaps.size(), 1u);
  EXPECT_GT(summary.data_gaps[0].lost_share, 0.05);
  EXPECT_LT(*summary.data_gaps[0].lost_share_ci95.low, 0);
  EXPECT_FALSE(has_finding(summary, "data_gap"));
  for (auto& point : points) {
    if (point.data == "/data") point.samples_per_sec = 90 + 0.1 * point.block;
  }
  EXPECT_TRUE(has_finding(summarised(points), "data_gap"));
}

TEST(SummariseSweep, PairsOnlyWithinBlockAndSession) {
  auto points = two_ranks(3);
  points[4].session = 1;  // the baseline of block 2 ran in another session
  const auto summary = summarised(points);
  ASSERT_EQ(summary.scaling.size(), 1u);
  EXPECT_EQ(summary.scaling[0].left_out, std::vector<std::string>{"two/r2"});
  EXPECT_EQ(summary.scaling[0].rows[1].points.size(), 2u);
  EXPECT_TRUE(has_finding(summary, "baseline_elsewhere"));
}

TEST(SummariseSweep, EfficiencyAboveOneIsNotClipped) {
  std::vector<PointRecord> points;
  for (int block = 0; block < 3; ++block) {
    points.push_back(run_of("one", 1, 0.1, block));
    points.push_back(run_of("two", 2, 0.08 + 1e-5 * block, block));
  }
  const auto summary = summarised(points);
  EXPECT_GT(summary.scaling.at(0).rows.at(1).efficiency.value(), 1.24);
  EXPECT_TRUE(has_finding(summary, "superlinear"));
}

TEST(SummariseSweep, WithoutABaselineRelativeToTheSmallest) {
  std::vector<PointRecord> points;
  for (int block = 0; block < 2; ++block) {
    PointRecord one = run_of("one", 1, 0.1, block);
    one.status = PointStatus::kOom;
    points.push_back(one);
    points.push_back(run_of("two", 2, 0.1, block));
    points.push_back(run_of("four", 4, 0.125, block));
  }
  const auto summary = summarised(points);
  ASSERT_EQ(summary.scaling.size(), 1u);
  EXPECT_EQ(summary.scaling[0].relative_to, "2 ranks");
  EXPECT_NEAR(summary.scaling[0].rows.at(1).efficiency.value(), 0.8, 1e-12);
  EXPECT_NEAR(summary.scaling[0].rows.at(1).speedup.value(), 1.6, 1e-12);
  EXPECT_TRUE(has_finding(summary, "baseline_missing"));
  EXPECT_FALSE(summary.groups[0].samples_per_sec);
  EXPECT_EQ(summary.groups[0].status_counts.at("oom"), 2);
}

TEST(SummariseSweep, StrongSlicesFixTheGlobalBatch) {
  std::vector<PointRecord> points;
  for (int block = 0; block < 2; ++block) {
    PointRecord one = run_of("one", 1, 0.4, block), four = run_of("four", 4, 0.125, block);
    one.batch_size = one.global_batch_size = 40;
    one.samples_per_sec = 100;
    one.samples = 4000;
    points.push_back(one);
    points.push_back(four);
  }
  const auto summary = summarised(points);
  ASSERT_EQ(summary.scaling.size(), 1u);
  EXPECT_EQ(summary.scaling[0].kind, "strong-by-batch");
  EXPECT_EQ(summary.scaling[0].fixed.at("global_batch_size"), "40");
  const ScalingRow& row = summary.scaling[0].rows.at(1);
  EXPECT_NEAR(row.efficiency.value(), 0.8, 1e-12);  // ideal 0.1 s, measured 0.125 s
  ASSERT_TRUE(row.loss_of_efficiency);
  EXPECT_NEAR(sum_of(*row.loss_of_efficiency), 0.2, 1e-12);

  for (auto& point : points) {
    point.gradient_accumulation_steps = 4 / point.world_size;
    point.batch_size = 10;
  }
  EXPECT_EQ(summarised(points).scaling.at(0).kind, "strong-by-accumulation");
}

TEST(SummariseSweep, PlannedSlicesRule) {
  const auto points = two_ranks(2);
  const auto summary = summarised(
      points, {.slices = {{"strong-by-batch", {{"global_batch_size", "10"}}, "one", {"one"}}}});
  ASSERT_EQ(summary.scaling.size(), 1u);
  EXPECT_EQ(summary.scaling[0].kind, "strong-by-batch");
  EXPECT_EQ(summary.scaling[0].rows.size(), 1u);
}

TEST(SummariseSweep, PriceAndEnergy) {
  auto points = two_ranks(1);
  points[1].energy_J = 500;
  const auto summary = summarised(points, {.price_per_hour = 3.6, .launched_ranks = 4});
  EXPECT_NEAR(*summary.groups[0].samples_per_dollar, 100 * 3600 / 0.9, 1e-6);
  EXPECT_NEAR(*summary.groups[1].samples_per_dollar, 160 * 3600 / 1.8, 1e-6);
  EXPECT_FALSE(summary.groups[0].samples_per_joule);
  EXPECT_NEAR(*summary.groups[1].samples_per_joule, 4, 1e-12);
}

TEST(SummariseSweep, NothingFromNothing) {
  const auto summary = summarised({});
  EXPECT_TRUE(summary.groups.empty());
  EXPECT_TRUE(summary.scaling.empty());
  EXPECT_TRUE(summary.findings.empty());
  EXPECT_FALSE(summary.drift);
}

TEST(SummariseSweep, FindsWhatWasPlanted) {
  const auto points = sample_sweep_points({.steps = 60, .drift = 0.05});
  const auto summary = summarised(points);
  ASSERT_EQ(summary.scaling.size(), 3u);  // the files stand at one world size only
  for (const auto& table : summary.scaling) {
    for (const auto& row : table.rows) {
      if (row.points == table.baseline_points) continue;
      ASSERT_TRUE(row.loss_of_efficiency);
      EXPECT_NEAR(sum_of(*row.loss_of_efficiency), 1 - row.efficiency.value(), 1e-12);
    }
  }
  ASSERT_TRUE(summary.drift);
  EXPECT_NEAR(summary.drift->per_sweep, 0.05, 0.01);
  const auto drift = std::ranges::find(summary.findings, "drift", &Finding::code);
  ASSERT_NE(drift, summary.findings.end());
  EXPECT_TRUE(drift->text.starts_with("the common trend of speed is +")) << drift->text;
  EXPECT_NE(drift->text.find("throttled and shared may say why"), std::string::npos) << drift->text;
  const auto& slow = summary.stragglers;
  ASSERT_FALSE(slow.empty());
  EXPECT_TRUE(std::ranges::all_of(slow, [](const auto& s) { return s.rank == 5; }));
  EXPECT_EQ(slow.front().verdict, RankVerdict::kStraggler);
  ASSERT_EQ(summary.data_gaps.size(), 1u);
  EXPECT_GT(summary.data_gaps[0].lost_share, 0.05);
  EXPECT_GT(*summary.data_gaps[0].lost_share_ci95.low, 0);
}

TEST(SummariseSweep, ADataGapIsBetweenPointsThatDifferInTheirDataOnly) {
  auto points = sample_sweep_points({.steps = 60});
  for (auto& point : points) {
    if (point.data != "synthetic") point.varying = {{"data", point.data}, {"workers", "8"}};
  }
  EXPECT_EQ(summarised(points).data_gaps.size(), 1u);
  for (auto& point : points) {
    if (point.data != "synthetic") point.varying["optimizer"] = "adam";
  }
  EXPECT_TRUE(summarised(points).data_gaps.empty());
}

ScalingRow row_of(double ideal, double speedup, const LossOfEfficiency& loss) {
  ScalingRow row;
  row.speedup = speedup;
  row.efficiency = speedup / ideal;
  row.loss_of_efficiency = loss;
  row.slowest_rank = 5;
  return row;
}

TEST(Waterfall, SmallTermsAreAddedUp) {
  EXPECT_EQ(waterfall_in_words(row_of(8, 6.1, {0.005, 0.05, 0.075, 0, 0, 0.1075})),
            "8.0x -> 6.1x: communication -0.9, ranks that are always slower (rank 5) -0.6, "
            "waiting for data -0.4");
  EXPECT_EQ(waterfall_in_words(row_of(8, 7.9, {0.004, 0.004, 0.0045, 0, 0, 0})),
            "8.0x -> 7.9x: other -0.1");
  EXPECT_EQ(waterfall_in_words(row_of(2, 2.1, {-0.05, 0, 0, 0, 0, 0})),
            "2.00x -> 2.10x: slower computing than alone +0.10");
  EXPECT_EQ(waterfall_in_words(ScalingRow{}), "");
}

TEST(Waterfall, OfUnsteadyWindowsHasTwoDigits) {
  auto row = row_of(2, 1.449, {0, 0, 0, 0, 0, 0.2755});
  row.unsteady_runs = 1;
  EXPECT_EQ(waterfall_in_words(row), "2.0x -> ~1.4x: communication -0.6");
  row = row_of(64, 50.4, {0, 0, 0, 0, 0, 0.2125});
  row.unsteady_runs = 1;
  EXPECT_EQ(waterfall_in_words(row), "64x -> ~50x: communication -14");
}

}  // namespace
}  // namespace scalemark::reporting
