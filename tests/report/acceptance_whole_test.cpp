// A fleet is judged as a whole by its scaling efficiency and MFU, and by what links carry of their
// ports.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>

#include "core/base/text.h"
#include "report/accept/acceptance.h"
#include "report/accept/forms.h"
#include "report/accept/series.h"
#include "tests/report/fleet_results.h"
#include "tests/report/sample_fleet.h"

namespace scalemark::acceptance {
namespace {

using reporting::FleetShape;
using reporting::Report;
using reporting::sample_fleet;

// Links of rank with rank, each over a port of its own, at `GBps`, of nodes that have so many ports
// of 400 Gbit/s for their eight ranks.
std::vector<NamedReport> fleet_with_ports(double GBps, int ports, bool rdma = true) {
  auto fleet = sample_fleet({.nodes = 3});
  Report& report = fleet.back().report;
  for (monitoring::Host& host : report.environment.hosts) {
    host.nics.clear();
    for (int i = 0; i < ports; ++i) {
      const std::string name = (rdma ? "mlx5_" : "eth") + std::to_string(i);
      if (rdma) host.rdma.push_back({.device = name, .state = "ACTIVE", .rate_Gbit_per_s = 400});
      if (!rdma) host.nics.push_back({name, "up", 400'000, 9000});
    }
  }
  const auto links = report.links;
  report.links.clear();
  for (reporting::LinkRecord link : links) {
    for (int i = 0; i < 8; ++i) {
      link.a_rank = 8 * std::stoi(link.a.substr(4)) + i;
      link.b_rank = 8 * std::stoi(link.b.substr(4)) + i;
      link.a_device = link.b_device = "cuda:" + std::to_string(i);
      link.bandwidth_GBps = GBps;
      link.bandwidth_ci95 = {GBps * 0.99, GBps * 1.01};
      report.links.push_back(link);
    }
  }
  return fleet;
}

TEST(AcceptWhole, ANetworkThatIsSlowEverywhereFailsByItsPorts) {
  EXPECT_TRUE(failed_parts(fleet_with_ports(45, 8), "link, ports").empty()) << "of 50 GB/s each";
  const auto slow = fleet_with_ports(25, 8);
  EXPECT_TRUE(failed_parts(slow, "link").empty()) << "none differs";
  EXPECT_EQ(failed_parts(slow, "link, ports").size(), 24u);
  EXPECT_TRUE(failed_parts(fleet_with_ports(25, 4), "link, ports").empty())
      << "two ranks share a port";
  EXPECT_EQ(failed_parts(fleet_with_ports(25, 12), "link, ports").size(), 24u)
      << "a rank fills one port";
}

TEST(AcceptWhole, SocketsAndPortsOfUnknownRateAreReportedOnly) {
  const auto notes_of = [](const std::vector<NamedReport>& fleet) {
    return joined(accept(fleet, standard_rules(), {}).notes, "\n");
  };
  const auto sockets = fleet_with_ports(12.5, 8, /*rdma=*/false);
  EXPECT_TRUE(failed_parts(sockets, "link, ports").empty());
  EXPECT_NE(notes_of(sockets).find("links over sockets carry 25 % of what their ports have"),
            std::string::npos)
      << notes_of(sockets);
  const auto unknown = fleet_with_ports(1, 0);
  EXPECT_TRUE(failed_parts(unknown, "link, ports").empty());
  EXPECT_NE(notes_of(unknown).find("whether they carry what they could is not judged"),
            std::string::npos);
}

TEST(AcceptWhole, AFleetThatScalesBadlyFailsAsAWhole) {
  const auto efficiency_of = [](const FleetShape& shape) {
    const auto found = results_of(sample_fleet(shape), "scaling efficiency", "the fleet");
    EXPECT_EQ(found.size(), 1u);
    return found.front();
  };
  // The fleet's own mean is a run of one node, eight of which make the sum.
  const CheckResult good = efficiency_of({.training = true, .efficiency = 0.95});
  EXPECT_EQ(good.outcome, Outcome::kPassed) << good.why;
  EXPECT_NEAR(*good.value, 95, 1.5);
  EXPECT_EQ(efficiency_of({.training = true, .efficiency = 0.85}).outcome, Outcome::kFailed);
  EXPECT_EQ(efficiency_of({.training = true, .efficiency = 0.9}).outcome, Outcome::kUnsure);
  const auto fleet = sample_fleet({.training = true, .efficiency = 0.85});
  const auto failed = std::ranges::count(accept(fleet, standard_rules(), {}).nodes,
                                         Outcome::kFailed, &NodeResult::outcome);
  EXPECT_EQ(failed, 0) << "no node is to blame";
  EXPECT_EQ(accept(fleet, standard_rules(), {}).exit_code, ExitCode::kFail);
}

// 400 fleets whose true efficiency is the limit: at most 1 % may fail, and as many pass, widened by
// three standard errors of the count.
TEST(AcceptWhole, TheEfficiencyIsWrongInOnePercentAtItsLimit) {
  const Rule rule{.metric = Metric::kScalingEfficiency, .where = {{"workload", "resnet50"}}};
  int failed = 0, passed = 0, passed_below = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    for (const double efficiency : {0.9, 0.85 * 0.9}) {
      const auto all = read_series(rule, sample_fleet({.seed = seed,
                                                       .nodes = 6,
                                                       .devices = 2,
                                                       .device_sd = 0,
                                                       .links = false,
                                                       .training = true,
                                                       .efficiency = efficiency}));
      ASSERT_EQ(all.size(), 1u);
      const Start& start = all.front().starts.front();
      if (efficiency < 0.9) {
        passed_below += *start.low >= 90;
      } else {
        failed += *start.high < 90;
        passed += *start.low >= 90;
      }
    }
  }
  EXPECT_LE(failed, 10);
  EXPECT_LE(passed, 10);
  EXPECT_EQ(passed_below, 0);
  RecordProperty("failed", failed);
  RecordProperty("passed", passed);
}

// Sixteen nodes that made one training in two waves, of which one may scale badly.
std::vector<NamedReport> two_trainings(int slow_wave) {
  auto fleet = sample_fleet({.nodes = 16, .links = false, .training = true});
  fleet.push_back(fleet.back());
  for (int wave = 0; wave < 2; ++wave) {
    NamedReport& one = fleet[static_cast<std::size_t>(16 + wave)];
    one.name = "wave" + std::to_string(wave);
    Report& report = one.report;
    report.started = report.finished = "2026-11-2" + std::to_string(wave) + "T08:30:00Z";
    std::erase_if(report.environment.hosts, [&](const auto& host) {
      return (host.hostname < reporting::fleet_host(8)) != (wave == 0);
    });
    for (auto& run : report.points) {
      run.nodes = 8;
      run.world_size = 64;
      run.samples_per_sec /= wave == slow_wave ? 3 : 2;
      for (std::string* text : {&run.group, &run.id})
        text->replace(text->find("-w128-"), 6, "-w64-");
    }
    for (auto& row : report.scaling.front().rows)
      row.group.replace(row.group.find("-w128-"), 6, "-w64-");
  }
  return fleet;
}

TEST(AcceptWhole, TheTrainingThatScalesBadlyIsFoundAmongTwo) {
  for (const int slow : {0, 1}) {
    const auto fleet = two_trainings(slow);
    const auto found = badly_scaling(accept(fleet, standard_rules(), {}), standard_rules(), fleet);
    ASSERT_TRUE(found.has_value()) << slow;
    EXPECT_EQ(found->report->name, "wave" + std::to_string(slow));
    EXPECT_EQ(found->group, found->report->report.scaling.front().rows.front().group);
    EXPECT_EQ(found->name, found->group + (slow == 0 ? ", on n[000-007]" : ", on n[008-015]"));
  }
  auto fleet = two_trainings(2);
  EXPECT_FALSE(badly_scaling(accept(fleet, standard_rules(), {}), standard_rules(), fleet));
  // A training that was made twice on the same nodes is one: its newest report tells.
  fleet = sample_fleet({.training = true, .efficiency = 0.8});
  fleet.push_back(fleet.back());
  fleet.back().name = "again";
  fleet.back().report.started = fleet.back().report.finished = "2026-11-21T08:30:00Z";
  const auto found = badly_scaling(accept(fleet, standard_rules(), {}), standard_rules(), fleet);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->report->name, "again");
  EXPECT_EQ(found->name, found->group);
  fleet.back().report.scaling.clear();
  EXPECT_FALSE(badly_scaling(accept(fleet, standard_rules(), {}), standard_rules(), fleet))
      << "it does not say how it scales, and the other one was not judged";
}

// Nodes of one GPU train alone, and a training that was planned and skipped is no pass.
TEST(AcceptWhole, EfficiencyOfNodesWithOneGpuAndOfASkippedTraining) {
  const FleetShape shape{.nodes = 8, .devices = 1, .training = true};
  auto found = results_of(sample_fleet(shape), "scaling efficiency", "the fleet");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found.front().outcome, Outcome::kPassed) << found.front().why;
  auto fleet = sample_fleet({.training = true});
  for (reporting::PointRecord& run : fleet.back().report.points) {
    run.status = reporting::PointStatus::kSkipped;
    run.reason = "no time was left";
    run.nodes = 1;
  }
  EXPECT_EQ(outcome_of(fleet, "scaling efficiency", "the fleet"), "missing");
  EXPECT_EQ(why_of(fleet, "scaling efficiency", "the fleet"),
            "no run of it counts: no time was left");
}

TEST(AcceptWhole, DamagedRatesOfPortsAreUnknown) {
  for (const double rate : {0.0, -400.0, 1.7e308}) {
    auto fleet = fleet_with_ports(45, 2);
    for (monitoring::Host& host : fleet.back().report.environment.hosts) {
      for (auto& port : host.rdma) port.rate_Gbit_per_s = rate;
      host.nics.push_back(
          {"eth0", "up", static_cast<std::int64_t>(std::max(-1e9, std::min(rate, 0.0))), 9000});
    }
    EXPECT_TRUE(failed_parts(fleet, "link, ports").empty()) << rate;
  }
}

TEST(AcceptWhole, RulesThatJudgeNothingPassNothing) {
  Rules rules = standard_rules();
  std::erase_if(rules.checks,
                [](const Rule& rule) { return rule.metric != Metric::kScalingEfficiency; });
  const Acceptance fleet = accept(sample_fleet({}), rules, {});
  EXPECT_EQ(fleet.exit_code, ExitCode::kUnsure);
  EXPECT_EQ(fleet.notes.back(),
            "not measured by these reports, and not judged: scaling efficiency");
}

TEST(AcceptWhole, ANodeThatNeverTrainedByItselfLeavesTheEfficiencyUnknown) {
  auto fleet = sample_fleet({.without_report = {4}, .training = true});
  EXPECT_EQ(outcome_of(fleet, "scaling efficiency", "the fleet"), "missing");
  EXPECT_EQ(why_of(fleet, "scaling efficiency", "the fleet"), "no training by itself of node004");
  EXPECT_EQ(outcome_of(sample_fleet({}), "scaling efficiency", "the fleet"), "");
}

// A training over all nodes whose true MFU is 40 %: that of a fleet without any noise.
std::vector<NamedReport> fleet_with_mfu(FleetShape shape) {
  shape.training = true;
  FleetShape exact = shape;
  exact.device_sd = exact.run_sd = 0;
  const Report report = sample_fleet(exact).back().report;
  const double rate =
      std::ranges::find(report.points, "ddp", &reporting::PointRecord::strategy)->samples_per_sec;
  auto fleet = sample_fleet(shape);
  for (reporting::PointRecord& run : fleet.back().report.points)
    run.mfu = 0.4 * run.samples_per_sec / rate;
  return fleet;
}

CheckResult mfu_of(const std::vector<NamedReport>& fleet, const std::string& limit) {
  const Rules rules = parse_rules(
      R"({"checks": [{"name": "MFU", "metric": "mfu", "where": {"workload": "resnet50"},
          "at_least": ")" +
          limit + R"("}]})",
      "contract.json");
  for (CheckResult& result : accept(fleet, rules, {}).results) {
    if (result.check == "MFU") return std::move(result);
  }
  ADD_FAILURE() << "no result";
  return {};
}

TEST(AcceptWhole, AContractMayAskForAnMfu) {
  const auto fleet = fleet_with_mfu({});
  const CheckResult passed = mfu_of(fleet, "35 %");
  EXPECT_EQ(passed.outcome, Outcome::kPassed) << passed.why;
  EXPECT_NEAR(*passed.value, 40, 0.8);
  EXPECT_EQ(passed.unit, "%");
  const CheckResult failed = mfu_of(fleet, "45 %");
  EXPECT_EQ(failed.outcome, Outcome::kFailed);
  EXPECT_TRUE(failed.why.starts_with("40.") || failed.why.starts_with("39.")) << failed.why;
  EXPECT_EQ(mfu_of(fleet, "40 %").outcome, Outcome::kUnsure);
  for (const Rule& rule : standard_rules().checks) EXPECT_NE(rule.metric, Metric::kMfu);
  EXPECT_NE(joined(accept(fleet, standard_rules(), {}).notes, "\n").find(" with an MFU of "),
            std::string::npos);
}

TEST(AcceptWhole, AnMfuThatIsNotKnownOrCannotBeIsMissing) {
  const auto changed = [](void (*change)(reporting::PointRecord&)) {
    auto fleet = fleet_with_mfu({});
    for (reporting::PointRecord& run : fleet.back().report.points) change(run);
    return mfu_of(fleet, "35 %");
  };
  const CheckResult unknown = changed([](auto& run) { run.mfu.reset(); });
  EXPECT_EQ(unknown.outcome, Outcome::kMissing);
  EXPECT_EQ(unknown.why, "no run of it counts: the peak of its GPUs is not known");
  EXPECT_EQ(changed([](auto& run) { run.mfu = 1.2; }).why,
            "no run of it counts: an MFU above 100 % cannot be");
  for (const double mfu : {0.0, -0.4, std::numeric_limits<double>::quiet_NaN(),
                           std::numeric_limits<double>::infinity()}) {
    auto fleet = fleet_with_mfu({});
    for (reporting::PointRecord& run : fleet.back().report.points) run.mfu = mfu;
    EXPECT_EQ(mfu_of(fleet, "35 %").outcome, Outcome::kMissing) << mfu;
  }
}

// Runs alone say how sure it is where no node has trained by itself; one of them says nothing.
TEST(AcceptWhole, AnMfuNeedsNoNodeByItself) {
  const auto fleet = fleet_with_mfu({});
  std::vector<NamedReport> alone{fleet.back()};
  EXPECT_EQ(mfu_of(alone, "35 %").outcome, Outcome::kPassed);
  auto& runs = alone.front().report.points;
  std::erase_if(runs, [](const auto& run) { return run.strategy == "none"; });
  runs.resize(1);
  EXPECT_EQ(mfu_of(alone, "35 %").why, "one run of it: how sure it is is not known");
}

// The limit is the true MFU of 400 fleets, as it is the true efficiency above.
TEST(AcceptWhole, TheMfuIsWrongInOnePercentAtItsLimit) {
  const Rule rule{.metric = Metric::kMfu, .where = {{"workload", "resnet50"}}};
  int failed = 0, passed = 0, passed_below = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    const auto all = read_series(
        rule,
        fleet_with_mfu({.seed = seed, .nodes = 6, .devices = 2, .device_sd = 0, .links = false}));
    ASSERT_EQ(all.size(), 1u);
    const Start& start = all.front().starts.front();
    failed += *start.high < 40;
    passed += *start.low >= 40;
    passed_below += *start.low >= 40 / 0.85;
  }
  EXPECT_LE(failed, 10);
  EXPECT_LE(passed, 10);
  EXPECT_EQ(passed_below, 0);
}

}  // namespace
}  // namespace scalemark::acceptance
