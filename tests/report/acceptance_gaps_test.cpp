// Gaps in reports, second sessions and infinite numbers must not let a part pass.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/base/text.h"
#include "report/accept/acceptance.h"
#include "report/accept/forms.h"
#include "report/record/finding_kinds.h"
#include "tests/report/fleet_results.h"
#include "tests/report/sample_fleet.h"

namespace scalemark::acceptance {
namespace {

using reporting::FingerprintRecord;
using reporting::MachineRate;
using reporting::PointStatus;
using reporting::ReplayRecord;
using reporting::Report;
using reporting::sample_fleet;

FingerprintRecord& held_of(Report& report, std::string_view device) {
  return *std::ranges::find_if(report.fingerprint, [&](const FingerprintRecord& record) {
    return record.what == MachineRate::kSustainedProduct && record.device == device;
  });
}

TEST(AcceptGaps, ADeviceThatContradictsItselfFailsWhateverElseIsUnknown) {
  auto fleet = sample_fleet({.nodes = 1, .devices = 2, .wrong_once = {{0, 1}}, .links = false});
  auto& replays = fleet[0].report.replays;
  for (int i = 0; i < 2; ++i) {
    ReplayRecord other = replays[static_cast<std::size_t>(i)];
    other.precision = "fp32";
    other.wrong = 0;
    other.digest = i == 0 ? "one" : "another";
    replays.push_back(other);
  }
  EXPECT_EQ(outcome_of(fleet, "same bits", "node000 cuda:1"), "failed");
  EXPECT_NE(why_of(fleet, "same bits", "node000 cuda:1").find("bf16"), std::string::npos);
  EXPECT_EQ(outcome_of(fleet, "same bits", "node000 cuda:0"), "unsure");
}

TEST(AcceptGaps, ANodeWhoseInsideIsSlowFailsAgainstItsSiblings) {
  const auto fleet = sample_fleet({.slow_inside = {{5, 0.22}}});
  for (const char* check : {"all-reduce in the node", "all-to-all in the node"})
    EXPECT_EQ(failed_parts(fleet, check), std::vector<std::string>{"node005"});
  EXPECT_EQ(failed_parts(fleet, "exchange with peers").size(), 8u);
  EXPECT_TRUE(failed_parts(fleet, "all-reduce in the node, NVLink").empty()) << "270 is the floor";
  EXPECT_TRUE(failed_parts(fleet, "training together").empty());
  EXPECT_EQ(outcome_of(fleet, "all-reduce in the node, PCIe", "node000"), "")
      << "NVLink carries what PCIe would";
}

TEST(AcceptGaps, WhatIsOffOnAllNodesFailsByItsFloor) {
  const auto fleet = sample_fleet({.all_reduce_GBps = 200, .host_copy_GBps = 15});
  EXPECT_TRUE(failed_parts(fleet, "all-reduce in the node").empty());
  EXPECT_EQ(failed_parts(fleet, "all-reduce in the node, NVLink").size(), 8u);
  EXPECT_NE(why_of(fleet, "all-reduce in the node, NVLink", "node000").find("below the limit"),
            std::string::npos);
  EXPECT_EQ(failed_parts(fleet, "copy to the device, physics").size(), 64u) << "63 GB/s by PCIe";
  EXPECT_EQ(failed_parts(fleet, "copy to the host, physics").size(), 64u);
}

TEST(AcceptGaps, ANodeWithoutItsInsideIsMissingAndAFleetWithoutIsNotAsked) {
  auto fleet = sample_fleet({});
  const auto forget = [](Report& report) {
    std::erase_if(report.fingerprint,
                  [](const auto& record) { return record.what == MachineRate::kNodeAllReduce; });
  };
  forget(fleet[3].report);
  EXPECT_EQ(outcome_of(fleet, "all-reduce in the node", "node003"), "missing");
  EXPECT_EQ(outcome_of(fleet, "all-reduce in the node, NVLink", "node003"), "");
  for (NamedReport& one : fleet) forget(one.report);
  EXPECT_EQ(outcome_of(fleet, "all-reduce in the node", "node003"), "") << "an older version's";
}

TEST(AcceptGaps, BridgedCardsAndInstancesHaveNoFloor) {
  auto fleet = sample_fleet({.all_reduce_GBps = 30, .host_copy_GBps = 5});
  for (NamedReport& one : fleet) {
    for (auto& record : one.report.fingerprint) record.device_name = "NVIDIA H100 NVL";
  }
  EXPECT_TRUE(failed_parts(fleet, "all-reduce in the node, NVLink").empty());
  EXPECT_TRUE(failed_parts(fleet, "all-reduce in the node, PCIe").empty());
  EXPECT_EQ(failed_parts(fleet, "copy to the host, physics").size(), 64u);
}

TEST(AcceptGaps, PortsDoNotStandForTheCountersOfGpus) {
  auto fleet = sample_fleet({.health = true});
  std::erase_if(fleet[1].report.health,
                [](const auto& record) { return record.device != "mlx5_0/1"; });
  EXPECT_EQ(outcome_of(fleet, "ECC", "node001"), "missing");
  EXPECT_EQ(outcome_of(fleet, "ports that went down", "node001"), "passed");
  for (NamedReport& one : fleet) {
    std::erase_if(one.report.health,
                  [](const auto& record) { return record.device != "mlx5_0/1"; });
  }
  EXPECT_EQ(outcome_of(fleet, "ECC", "node001"), "") << "no node has any";
}

TEST(AcceptGaps, ADeviceThatReplayOrHeldProductsLeftOutIsMissing) {
  auto fleet = sample_fleet({});
  std::erase_if(fleet[1].report.replays, [](const auto& one) { return one.device == "cuda:3"; });
  std::erase_if(fleet[2].report.fingerprint, [](const auto& record) {
    return record.what == MachineRate::kSustainedProduct && record.device == "cuda:4";
  });
  EXPECT_EQ(outcome_of(fleet, "same bits", "node001 cuda:3"), "missing");
  EXPECT_EQ(outcome_of(fleet, "sustained product", "node002 cuda:4"), "missing");
}

TEST(AcceptGaps, AReplayThatWasNotDoneIsMissingUntilItIs) {
  auto fleet = sample_fleet({});
  ReplayRecord& replay = fleet[1].report.replays[3];
  replay.digest.clear();
  replay.reason = "out of memory";
  EXPECT_EQ(outcome_of(fleet, "same bits", "node001 cuda:3"), "missing");
  EXPECT_NE(why_of(fleet, "same bits", "node001 cuda:3").find("out of memory"), std::string::npos);
  ReplayRecord again = replay;
  again.session = 1;
  again.digest = "good";
  fleet[1].report.replays.push_back(again);
  EXPECT_EQ(outcome_of(fleet, "same bits", "node001 cuda:3"), "passed");
}

TEST(AcceptGaps, ADeviceThatDidOnlySomeOfTheWorkHasNotShownTheSameBits) {
  auto fleet = sample_fleet({.nodes = 3, .devices = 2});
  for (NamedReport& one : fleet) {
    for (int i = 0; i < 2 && !one.report.replays.empty(); ++i) {
      ReplayRecord training = one.report.replays[static_cast<std::size_t>(i)];
      training.work = "training of bert-large";
      one.report.replays.push_back(training);
    }
  }
  EXPECT_EQ(outcome_of(fleet, "same bits", "node001 cuda:1"), "passed");
  fleet[1].report.replays.pop_back();
  EXPECT_EQ(outcome_of(fleet, "same bits", "node001 cuda:1"), "missing");
  EXPECT_EQ(why_of(fleet, "same bits", "node001 cuda:1"), "not done: bf16 training of bert-large");
  EXPECT_EQ(outcome_of(fleet, "same bits", "node001 cuda:0"), "passed");
  fleet[1].report.environment.hosts[0].gpus[1].name = "another model";
  EXPECT_EQ(outcome_of(fleet, "same bits", "node001 cuda:1"), "passed") << "it may not have bf16";
}

TEST(AcceptGaps, AHeldProductBesideOthersIsNotJudgedThoughItThrottled) {
  auto fleet = sample_fleet({});
  FingerprintRecord& held = held_of(fleet[1].report, "cuda:3");
  *held.value *= 0.5;
  held.disturbed = "throttled: hw_slowdown; shared: other processes used 3.0 CPUs";
  held.disturbed_by = {"throttled", "shared"};
  EXPECT_EQ(outcome_of(fleet, "sustained product", "node001 cuda:3"), "missing");
  EXPECT_EQ(why_of(fleet, "sustained product", "node001 cuda:3"), "others used the machine");
}

// Who shared the machine may have heated it: neither a speed nor a fault of the part is known.
TEST(AcceptGaps, ARunThatWasSharedAndThrottledCountsAsShared) {
  auto fleet = sample_fleet({.nodes = 3, .devices = 2, .disturbed = {1}, .throttled = {1}});
  for (FingerprintRecord& record : fleet[1].report.fingerprint) {
    record.disturbed = "throttled: hw_slowdown; shared: other processes used 3.0 CPUs";
    record.disturbed_by = {"throttled", "shared"};
  }
  for (const char* check : {"training alone", "matrix product"}) {
    EXPECT_EQ(outcome_of(fleet, check, "node001 cuda:1"), "missing") << check;
    EXPECT_EQ(why_of(fleet, check, "node001 cuda:1"),
              "no run of it counts: others used the machine");
  }
}

TEST(AcceptGaps, ARunInWhichAnotherDeviceThrottledSaysSo) {
  auto fleet = sample_fleet({.nodes = 3, .devices = 2, .throttled = {1}});
  for (auto& finding : fleet[1].report.findings) finding.place->device = "cuda:0";
  EXPECT_EQ(outcome_of(fleet, "training alone", "node001 cuda:0"), "failed");
  EXPECT_EQ(why_of(fleet, "training alone", "node001 cuda:1"),
            "no run of it counts: another device of its run was slowed down");
}

TEST(AcceptGaps, TheLastSessionOfAHeldProductCounts) {
  auto fleet = sample_fleet({});
  FingerprintRecord again = held_of(fleet[1].report, "cuda:3");
  again.session = 1;
  held_of(fleet[1].report, "cuda:3").value = *again.value / 2;
  fleet[1].report.fingerprint.push_back(again);
  EXPECT_EQ(outcome_of(fleet, "sustained product", "node001 cuda:3"), "passed");
}

TEST(AcceptGaps, WrongBitsExcuseNoOtherEnd) {
  const auto outcome = [](int code) {
    auto fleet = sample_fleet({.exit_codes = {{2, code}}});
    fleet[2].report.findings.push_back(
        make_finding(reporting::finding_kinds::wrong_bits, "", {}, reporting::FindingPlace{}));
    return accept(fleet, standard_rules(), {}).nodes[2].outcome;
  };
  EXPECT_EQ(outcome(83), Outcome::kPassed);
  EXPECT_EQ(outcome(84), Outcome::kFailed);
  EXPECT_EQ(outcome(69), Outcome::kMissing);
}

TEST(AcceptGaps, AShareOfNoTimeIsUnsure) {
  auto fleet = sample_fleet({.health = true});
  for (auto& record : fleet[1].report.health) {
    if (record.device == "cuda:3") record.seconds.reset();
  }
  EXPECT_EQ(outcome_of(fleet, "held back", "node001 cuda:3"), "unsure");
}

TEST(AcceptGaps, ADeviceIsTheSameOneWhenItsTrainingsFailed) {
  auto fleet = sample_fleet({});
  for (auto& run : fleet[1].report.points) {
    run.status = PointStatus::kFailed;
    run.ranks.clear();
  }
  for (const char* check : {"same bits", "matrix product", "sustained product"}) {
    const auto found = results_of(fleet, check, "node001 cuda:3");
    ASSERT_EQ(found.size(), 1u) << check;
    EXPECT_EQ(found.front().part.uuid, "GPU-1-3") << check;
  }
}

TEST(AcceptGaps, EqualMachinesMayReportALittleLessMemory) {
  auto fleet = sample_fleet({.nodes = 4, .links = false});
  const auto memory = [&](std::size_t node) -> std::uint64_t& {
    return fleet[node].report.environment.hosts[0].memory_bytes;
  };
  constexpr double kGiB = 1024.0 * 1024 * 1024;
  for (std::size_t node = 0; node < 4; ++node)
    memory(node) = static_cast<std::uint64_t>(79.6 * kGiB);
  memory(1) = static_cast<std::uint64_t>(79.4 * kGiB);
  EXPECT_EQ(outcome_of(fleet, "memory", "node001"), "passed");
  memory(1) = static_cast<std::uint64_t>(77.1 * kGiB);
  EXPECT_EQ(outcome_of(fleet, "memory", "node001"), "failed");
  EXPECT_EQ(why_of(fleet, "memory", "node001"), "77 GiB; the others have 80 GiB");
}

TEST(AcceptGaps, OneValueHasNothingToBeComparedWithThoughOthersHaveAReason) {
  auto fleet = sample_fleet({.nodes = 3, .devices = 1});
  for (const std::size_t node : {1, 2}) held_of(fleet[node].report, "cuda:0").value.reset();
  Rules rules = standard_rules();
  for (Rule& rule : rules.checks) {
    if (rule.metric == Metric::kSustainedProduct) rule.of = LimitOf::kReference;
  }
  const auto results = accept(fleet, rules, {}).results;
  const auto first = std::ranges::find(results, "sustained product", &CheckResult::check);
  ASSERT_NE(first, results.end());
  EXPECT_EQ(first->outcome, Outcome::kUnsure) << first->part.name();
}

// References of a hostile baseline may be as small as they like.
TEST(AcceptGaps, AFigureIsReadableWhateverItsReferenceIs) {
  for (const double share : {3.0, 1e15, 1e300, std::numeric_limits<double>::infinity()}) {
    Acceptance fleet = accept(sample_fleet({.nodes = 3}), standard_rules(), {});
    for (CheckResult& result : fleet.results) {
      if (result.of_reference) result.of_reference = share;
    }
    const std::string page = page_text(fleet, "2026-11-20T09:00:00Z");
    const std::size_t begin = page.find("id=\"data\"");
    const std::string data = page.substr(begin, page.find("</script>", begin) - begin);
    EXPECT_EQ(data.find("e+"), std::string::npos) << share;
  }
}

// The second session of all nodes is no later one of a first that never counted.
TEST(AcceptGaps, AFleetThatWasBusyAtFirstIsJudgedByItsNextSession) {
  reporting::FleetShape shape{.devices = 2, .disturbed = {0, 1, 2, 3, 4, 5, 6, 7}, .links = false};
  auto fleet = sample_fleet(shape);
  EXPECT_EQ(outcome_of(fleet, "training alone", "node003 cuda:1"), "missing");
  shape.disturbed.clear();
  shape.boot = 1;
  for (auto& one : sample_fleet(shape)) fleet.push_back(std::move(one));
  for (const char* check : {"training alone", "matrix product", "own time"}) {
    EXPECT_EQ(outcome_of(fleet, check, "node003 cuda:1"), "passed") << check;
  }
}

// Half of the fleet measures what cannot be: the others are no slower for it.
TEST(AcceptGaps, ARateBeyondPhysicsIsInNoReference) {
  reporting::FleetShape shape{.nodes = 4, .devices = 4, .links = false};
  shape.effect = [](int node, int, int, reporting::MeasuredRate what) {
    return node < 2 && what == reporting::MeasuredRate::kProduct ? std::log(2.0) : 0.0;
  };
  const auto fleet = sample_fleet(shape);
  EXPECT_EQ(outcome_of(fleet, "matrix product", "node001 cuda:3"), "failed");
  EXPECT_EQ(why_of(fleet, "matrix product", "node001 cuda:3").find("implausible: 1."), 0u);
  for (const char* healthy : {"node002 cuda:0", "node003 cuda:3"}) {
    EXPECT_NE(outcome_of(fleet, "matrix product", healthy), "failed") << healthy;
    EXPECT_EQ(outcome_of(fleet, "matrix product, physics", healthy), "passed") << healthy;
  }
}

// Too many to be kept out of the reference, they put it in doubt, and are named.
TEST(AcceptGaps, PartsThatPutTheReferenceInDoubtAreNamed) {
  reporting::FleetShape shape{.devices = 2, .links = false};
  shape.effect = [](int node, int, int, reporting::MeasuredRate what) {
    return node == 6 && what == reporting::MeasuredRate::kAlone ? std::log(2.0) : 0.0;
  };
  const Acceptance judged = accept(sample_fleet(shape), standard_rules(), {});
  EXPECT_NE(hand_over(judged, {}, {.columns = 200})
                .find("faster by the tolerance (node006 cuda:0, node006 cuda:1); a baseline"),
            std::string::npos)
      << hand_over(judged, {}, {.columns = 200});
}

// --- the configurations

nlohmann::json file_of(const std::string& name) {
  std::ifstream in(std::string(SCALEMARK_SOURCE_DIR) + "/configs/acceptance/" + name);
  return nlohmann::json::parse(in);
}

bool has_metric(const nlohmann::json& rules, std::string_view metric) {
  return std::ranges::any_of(rules["checks"],
                             [&](const auto& check) { return check["metric"] == metric; });
}

// A measurement without a rule would be judged by nobody.
TEST(AcceptanceRules, NameWhatTheConfigurationBesideThemMeasures) {
  const nlohmann::json standard = file_of("rules/standard.json");
  for (const auto& [config, rules] :
       std::map<std::string, std::string>{{"node.json", "standard.json"},
                                          {"smoke.json", "smoke.json"},
                                          {"burn-in.json", "burn-in.json"}}) {
    const std::string checks = file_of(config)["checks"];
    EXPECT_NE(checks.find("replay"), std::string::npos) << config;
    EXPECT_NE(checks.find("health"), std::string::npos) << config;
    const nlohmann::json named = file_of("rules/" + rules);
    for (const MetricDefinition& definition : kMetrics) {
      const bool of_health =
          definition.kind == ValueKind::kCounter || definition.kind == ValueKind::kState;
      if (!of_health && definition.id != Metric::kWrongBits) continue;
      EXPECT_EQ(has_metric(named, definition.name), has_metric(standard, definition.name))
          << rules << " and " << definition.name;
    }
  }
}

}  // namespace
}  // namespace scalemark::acceptance
