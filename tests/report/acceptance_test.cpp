#include "report/accept/acceptance.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <sstream>

#include "core/base/error.h"
#include "core/base/text.h"
#include "report/accept/forms.h"
#include "report/record/finding_kinds.h"
#include "tests/report/sample_fleet.h"
#include "tests/report/sample_sweep.h"

namespace scalemark::acceptance {
namespace {

using reporting::fleet_host;
using reporting::FleetShape;
using reporting::sample_fleet;

Acceptance judged(const FleetShape& shape, const Expected& expected = {}) {
  return accept(sample_fleet(shape), standard_rules(), expected);
}

// "failed node003 cuda:1: matrix product", in order.
std::vector<std::string> not_passed(const Acceptance& acceptance) {
  std::vector<std::string> texts;
  for (const CheckResult& result : acceptance.results) {
    if (result.outcome == Outcome::kPassed) continue;
    texts.push_back(std::string(name_of(result.outcome)) + " " + result.part.name() + ": " +
                    result.check);
  }
  std::ranges::sort(texts);
  return texts;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

bool holds(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

std::string handed_over(const Acceptance& acceptance, int columns = 1000) {
  return hand_over(acceptance, {}, {.columns = columns});
}

using Texts = std::vector<std::string>;

// Without the note that these fleets made no training together.
Texts notes_of(const Acceptance& acceptance) {
  Texts notes = acceptance.notes;
  std::erase_if(notes, [](const auto& note) { return note.starts_with("not measured by"); });
  return notes;
}

TEST(Accept, AHealthyFleetPasses) {
  const Acceptance fleet = judged({});
  EXPECT_EQ(not_passed(fleet), Texts{});
  EXPECT_EQ(fleet.exit_code, ExitCode::kPass);
  EXPECT_EQ(fleet.nodes.size(), 8u);
  EXPECT_EQ(fleet.nodes.front().devices, 8);
  EXPECT_EQ(fleet.nodes.front().node.scheduler_node, "n000");
}

// One start of a training over all nodes shows no speed that repetitions could judge.
TEST(Accept, AHealthyFleetPassesWithItsTraining) {
  const Acceptance fleet = judged({.training = true});
  EXPECT_EQ(not_passed(fleet), Texts{});
  EXPECT_EQ(fleet.exit_code, ExitCode::kPass);
}

// It has nobody to train together with, and no slower peer.
TEST(Accept, NodesWithOneDeviceArePassedByWhatOneDeviceShows) {
  auto reports = sample_fleet({.nodes = 8, .devices = 1});
  for (auto& one : reports) {
    std::erase_if(one.report.points, [](const auto& run) { return run.strategy != "none"; });
  }
  EXPECT_EQ(not_passed(accept(reports, standard_rules(), {})), Texts{});
}

TEST(Accept, WrongBitsNameTheirDevice) {
  EXPECT_EQ(not_passed(judged({.wrong_once = {{3, 5}}})),
            Texts{"failed node003 cuda:5: same bits"});
  const Acceptance always = judged({.wrong_always = {{6, 2}}});
  EXPECT_EQ(not_passed(always), Texts{"failed node006 cuda:2: same bits"});
  EXPECT_TRUE(holds(handed_over(always), "bf16 matrix product: other bits than most"))
      << handed_over(always);
}

// One node ends with 83 and says so; of two devices neither is known to be the wrong one.
TEST(Accept, BitsThatDifferBetweenTwoDevicesAreUnsure) {
  auto reports = sample_fleet({.nodes = 1, .devices = 2, .wrong_always = {{0, 1}}, .links = false});
  const Acceptance fleet = accept(reports, standard_rules(), {});
  int unsure = 0;
  for (const CheckResult& result : fleet.results) {
    unsure += result.check == "same bits" && result.outcome == Outcome::kUnsure;
  }
  EXPECT_EQ(unsure, 2);
}

TEST(Accept, ACardThatFadesFails) {
  const Acceptance fleet = judged({.fading = {{{2, 7}, 0.2}}});
  EXPECT_EQ(not_passed(fleet), Texts{"failed node002 cuda:7: sustained product"});
  EXPECT_TRUE(holds(handed_over(fleet), "holds 79 % of its first seconds")) << handed_over(fleet);
}

// The 1-rank baseline of a sweep stands on another rank in each block.
TEST(Accept, ARanksProductIsItsOwnDevices) {
  auto reports = sample_fleet({.products = {{{2, 0}, 0.1}}});
  for (auto& one : reports) {
    for (auto& record : one.report.fingerprint) record.rank = std::stoi(record.device.substr(5));
    if (one.report.points.empty()) continue;
    auto baseline = one.report.points.front();
    baseline.group = baseline.id = "resnet50-b256-amp-bf16-w1-none";
    baseline.world_size = 1;
    baseline.ranks = {one.report.points.front().ranks[3]};
    one.report.points.insert(one.report.points.begin(), baseline);
  }
  EXPECT_EQ(not_passed(accept(reports, standard_rules(), {})),
            Texts{"failed node002 cuda:0: matrix product"});
}

TEST(Accept, AGpuThatIsOnlyListedIsNotMeasured) {
  auto reports = sample_fleet({});
  for (auto& one : reports) {
    for (auto& run : one.report.points) {
      run.ranks.resize(4);
      run.world_size = 4;
    }
    std::erase_if(one.report.fingerprint,
                  [](const auto& record) { return record.device >= "cuda:4"; });
  }
  const Acceptance fleet = accept(reports, standard_rules(), {.nodes = {}, .devices_per_node = 8});
  EXPECT_EQ(fleet.nodes.front().devices, 4);
  EXPECT_EQ(fleet.exit_code, ExitCode::kUnsure);
}

TEST(Accept, ADeviceThatOneCheckLeftOutIsMissing) {
  auto reports = sample_fleet({});
  std::erase_if(reports[1].report.fingerprint, [](const auto& record) {
    return record.device == "cuda:2" && record.what == reporting::MachineRate::kMemoryCopy;
  });
  EXPECT_EQ(not_passed(accept(reports, standard_rules(), {})),
            Texts{"missing node001 cuda:2: memory copy"});
}

TEST(Accept, AFactThatOneDeviceDoesNotReportIsUnsure) {
  auto reports = sample_fleet({.links = false});
  reports[1].report.environment.hosts[0].gpus[3].nvlinks.reset();
  const Acceptance one = accept(reports, standard_rules(), {});
  EXPECT_TRUE(holds(joined(not_passed(one), "; "), "unsure node001 cuda:3: NVLinks"));
  for (auto& report : reports) {
    for (auto& gpu : report.report.environment.hosts[0].gpus) gpu.nvlinks.reset();
  }
  for (const auto& text : not_passed(accept(reports, standard_rules(), {}))) {
    EXPECT_FALSE(holds(text, "NVLinks")) << text;
  }
}

TEST(Accept, ANodeWhoseNcclChoseOtherwiseFails) {
  EXPECT_EQ(not_passed(judged({})), Texts{});
  auto reports = sample_fleet({});
  reports[2].report.nccl.front().within = {"shared memory"};
  auto& links = reports.back().report;
  ASSERT_EQ(links.invocation.command, "comm");
  links.nccl[4].between = {"InfiniBand"};
  links.nccl[5].adapters.pop_back();
  const Acceptance fleet = accept(reports, standard_rules(), {});
  EXPECT_EQ(not_passed(fleet),
            (Texts{"failed node002: NCCL transports", "failed node004: NCCL transports",
                   "failed node005: NCCL adapters"}));
  const std::string details = handed_over(fleet);
  EXPECT_TRUE(holds(details, "shared memory; the others have NVLink")) << details;
  EXPECT_TRUE(holds(details, "InfiniBand; the others have InfiniBand with GPUDirect")) << details;
}

// Each of many nodes meets few others, and nodes of one rack may be on one NVLink.
TEST(Accept, WhomANodeMetByNvlinkIsNotCompared) {
  auto reports = sample_fleet({});
  auto& choices = reports.back().report.nccl;
  for (std::size_t node : {1U, 4U, 6U}) choices[node].between.emplace_back("NVLink");
  EXPECT_EQ(not_passed(accept(reports, standard_rules(), {})), Texts{});
  choices[6].between = {"InfiniBand", "NVLink"};
  EXPECT_EQ(not_passed(accept(reports, standard_rules(), {})),
            Texts{"failed node006: NCCL transports"});
  for (auto& choice : choices) choice.between = {"NVLink"};
  EXPECT_EQ(not_passed(accept(reports, standard_rules(), {})), Texts{}) << "one rack";
  choices[2].between = {"InfiniBand"};
  EXPECT_EQ(not_passed(accept(reports, standard_rules(), {})),
            Texts{"failed node002: NCCL transports"});
}

// The links of two nodes, measured again after those of all.
TEST(Accept, WhatNcclChoseAmongFewNodesIsNotComparedWithTheRest) {
  auto reports = sample_fleet({});
  reports.push_back(reports.back());
  auto& again = reports.back().report;
  again.started = again.finished = "2026-11-20T09:00:00Z";
  again.environment.hosts.resize(2);
  again.nccl.resize(2);
  std::erase_if(again.links, [](const auto& link) {
    return link.a != fleet_host(0) || link.b != fleet_host(1);
  });
  for (auto& choice : again.nccl) {
    choice.within = {"shared memory"};
    choice.between = {"NVLink"};
  }
  for (const auto& text : not_passed(accept(reports, standard_rules(), {}))) {
    EXPECT_FALSE(holds(text, "NCCL")) << text;
  }
  // All links, measured again: the last of equal reports counts.
  reports.back() = sample_fleet({}).back();
  reports.back().report.started = reports.back().report.finished = "2026-11-20T09:00:00Z";
  reports.back().report.nccl[3].between = {"sockets"};
  const auto all = not_passed(accept(reports, standard_rules(), {}));
  EXPECT_TRUE(holds(joined(all, "; "), "failed node003: NCCL transports")) << joined(all, "; ");
}

TEST(Accept, WhatNcclDidNotTellOfOneNodeIsUnsureAndOfAllIsNotJudged) {
  auto reports = sample_fleet({});
  for (auto& report : reports) {
    for (auto& choice : report.report.nccl) {
      if (choice.host != fleet_host(1)) continue;
      choice = {.host = fleet_host(1),
                .within = {},
                .between = {},
                .adapters = {},
                .unknown = "NCCL_DEBUG is set"};
    }
  }
  const Acceptance one = accept(reports, standard_rules(), {});
  EXPECT_EQ(not_passed(one),
            (Texts{"unsure node001: NCCL adapters", "unsure node001: NCCL transports",
                   "unsure node001: NCCL transports"}));
  const auto transports = std::ranges::find_if(one.results, [](const CheckResult& result) {
    return result.outcome == Outcome::kUnsure && result.check == "NCCL transports";
  });
  EXPECT_EQ(transports->why, "not known (NCCL_DEBUG is set); the others have NVLink");
  for (auto& report : reports) report.report.nccl.clear();
  const Acceptance none = accept(reports, standard_rules(), {});
  EXPECT_EQ(not_passed(none), Texts{});
  EXPECT_TRUE(holds(joined(none.notes, "; "), "NCCL")) << joined(none.notes, "; ");
}

TEST(Accept, AdaptersThatContainersMakeAreNotCompared) {
  auto reports = sample_fleet({});
  for (auto& report : reports) {
    for (auto& choice : report.report.nccl) choice.adapters = {"eth0", "veth" + choice.host};
  }
  EXPECT_EQ(not_passed(accept(reports, standard_rules(), {})), Texts{});
}

TEST(Accept, ASlowDeviceIsNamedAndNothingElse) {
  const Acceptance fleet = judged({.slow = {{{3, 1}, 0.09}}});
  // The node trains as slowly as its slowest device: that is the same fault, reported for the node.
  EXPECT_EQ(not_passed(fleet),
            (Texts{"failed node003 cuda:1: matrix product", "failed node003 cuda:1: memory copy",
                   "failed node003 cuda:1: own time", "failed node003 cuda:1: training alone",
                   "failed node003: training together"}));
  EXPECT_EQ(fleet.exit_code, ExitCode::kFail);
  const auto slow = std::ranges::find_if(fleet.results, [](const CheckResult& r) {
    return r.check == "training alone" && r.part.name() == "node003 cuda:1";
  });
  ASSERT_NE(slow, fleet.results.end());
  EXPECT_NEAR(*slow->of_reference, 0.91, 0.02);
  EXPECT_LT(*slow->high, 0.95);
  EXPECT_EQ(slow->part.serial, "3001");
  EXPECT_EQ(std::ranges::count(fleet.nodes, Outcome::kFailed, &NodeResult::outcome), 1);
}

TEST(Accept, OnlyTheSlowUnitOfADeviceIsNamed) {
  EXPECT_EQ(not_passed(judged({.products = {{{0, 7}, 0.08}}})),
            Texts{"failed node000 cuda:7: matrix product"});
}

TEST(Accept, ASlowNodeIsBlamedInOneLine) {
  const Acceptance fleet = judged({.slow_nodes = {{5, 0.1}}});
  const auto node = std::ranges::find(fleet.nodes, Outcome::kFailed, &NodeResult::outcome);
  ASSERT_NE(node, fleet.nodes.end());
  EXPECT_EQ(node->node.host, "node005");
  EXPECT_EQ(node->at_fault, (Texts{"matrix product", "memory copy", "own time", "training alone"}));
  const auto lines = lines_of(handed_over(fleet));
  EXPECT_EQ(std::ranges::count_if(lines, [](const auto& line) { return holds(line, "node005"); }),
            1);
  EXPECT_EQ(sentences_of(fleet, Outcome::kFailed).size(), 1u);
}

TEST(Accept, ANodeWithoutReportIsMissingByEitherName) {
  for (const bool links : {false, true}) {
    const FleetShape shape{.without_report = {2}, .links = links};
    const Acceptance fleet = judged(shape, {.nodes = {"node000", "n001", "n002", "n003"}});
    const auto missing = std::ranges::find(fleet.nodes, Outcome::kMissing, &NodeResult::outcome);
    ASSERT_NE(missing, fleet.nodes.end());
    EXPECT_EQ(missing->node.host, links ? "node002" : "n002");
    EXPECT_FALSE(holds(drain_text(fleet, "2026-11-20T09:00:00Z"), "002")) << "it may be well";
    EXPECT_FALSE(holds(handed_over(fleet), "--exclude")) << handed_over(fleet);
    EXPECT_EQ(std::ranges::count(fleet.nodes, Outcome::kMissing, &NodeResult::outcome), 1);
    EXPECT_EQ(fleet.exit_code, ExitCode::kUnsure);
  }
}

TEST(Accept, ADeviceLessThanExpectedIsMissing) {
  const Acceptance fleet = judged({}, {.nodes = {}, .devices_per_node = 9});
  EXPECT_EQ(std::ranges::count(fleet.nodes, Outcome::kMissing, &NodeResult::outcome), 8);
}

TEST(Accept, ABusyNodeIsNotFailed) {
  const Acceptance fleet = judged({.slow_nodes = {{4, 0.3}}, .disturbed = {4}});
  EXPECT_EQ(fleet.exit_code, ExitCode::kUnsure);
  for (const CheckResult& result : fleet.results) {
    EXPECT_NE(result.outcome, Outcome::kFailed) << result.part.name() << " " << result.why;
  }
}

TEST(Accept, AThrottledNodeFailsAsThrottledAndNotAsSlow) {
  const Acceptance fleet = judged({.slow_nodes = {{4, 0.3}}, .throttled = {4}});
  for (const CheckResult& result : fleet.results) {
    if (result.check != "training alone" || result.part.host != "node004") continue;
    EXPECT_EQ(result.outcome, Outcome::kFailed);
    EXPECT_EQ(result.why, "throttled in 3 runs: its speed is not judged");
  }
}

TEST(Accept, ASlowLinkBlamesTheLinkAndNoNode) {
  const Acceptance fleet = judged({.slow_links = {{1, 6}}});
  EXPECT_EQ(not_passed(fleet), Texts{"failed node001 to node006: link"});
  EXPECT_EQ(std::ranges::count(fleet.nodes, Outcome::kPassed, &NodeResult::outcome), 8);
  EXPECT_EQ(fleet.exit_code, ExitCode::kFail);
}

// All links of a node are slow, each for itself above those of no other: its best one is.
TEST(Accept, ANodeWhoseBestLinkIsSlowFails) {
  FleetShape shape;
  for (int other = 0; other < shape.nodes; ++other) {
    if (other != 3) shape.slow_links.insert(std::minmax(3, other));
  }
  const Acceptance fleet = judged(shape);
  EXPECT_EQ(not_passed(fleet).front(), "failed node000 to node003: link");
  EXPECT_EQ(std::ranges::count(fleet.nodes, Outcome::kFailed, &NodeResult::outcome), 1);
  EXPECT_EQ(sentences_of(fleet, Outcome::kFailed).size(), 2u) << "seven links, and their node";
  EXPECT_TRUE(holds(joined(not_passed(fleet), "; "), "failed node003: links of a node"));
  const Acceptance two = judged({.nodes = 2});
  EXPECT_FALSE(holds(joined(not_passed(two), "; "), "links of a node")) << "none is the odd one";
}

// A finding of a report is no rule whose errors were simulated: it is shown, and judges nobody.
TEST(Accept, AFindingInformsAndFailsNobody) {
  namespace kinds = reporting::finding_kinds;
  auto reports = sample_fleet({});
  const reporting::FindingPlace rank{.rank = 2, .host = "node004", .device = "cuda:2"};
  for (const auto& kind : {kinds::straggler, kinds::straggler_intermittent, kinds::slow_node}) {
    reports[4].report.findings.push_back(make_finding(kind, "", {}, rank));
  }
  reports.back().report.findings.push_back(make_finding(
      kinds::slow_link, "", {}, reporting::FindingPlace{.link = "node001 to node002"}));
  const Acceptance fleet = accept(reports, standard_rules(), {});
  EXPECT_EQ(not_passed(fleet), Texts{});
  EXPECT_EQ(fleet.exit_code, ExitCode::kPass);
  const std::string notes = joined(fleet.notes, "\n");
  for (const char* text : {"slow rank informs since 0.9: 1 part that it alone would have failed",
                           "by their own values: node004 cuda:2", "slow node informs",
                           "slow link informs", "node001 to node002"}) {
    EXPECT_TRUE(holds(notes, text)) << text << " in " << notes;
  }
}

// It is as fast as the others by itself, and needs more time of its own once all train.
TEST(Accept, ARankThatIsSlowOnlyWhenAllTrainFailsByItsOwnTime) {
  const auto slower_together = [](double share) {
    auto reports = sample_fleet({});
    for (auto& run : reports[5].report.points) {
      if (run.strategy != "none") *run.ranks[6].own_mean_ln -= std::log1p(-share);
    }
    return not_passed(accept(reports, standard_rules(), {}));
  };
  EXPECT_EQ(slower_together(0.08), Texts{"failed node005 cuda:6: own time"});
  EXPECT_EQ(slower_together(0.03), Texts{});
}

// Replayed steps have no parts that could be timed: nobody has own times, and nobody lacks them.
TEST(Accept, WhereNoStepWasTimedInPartsNoOwnTimeIsMissing) {
  auto reports = sample_fleet({});
  for (auto& one : reports) {
    for (auto& run : one.report.points) {
      for (auto& rank : run.ranks) rank.own_mean_ln.reset();
    }
  }
  EXPECT_EQ(not_passed(accept(reports, standard_rules(), {})), Texts{});
}

TEST(Accept, ARateBeyondPhysicsFailsItsDevice) {
  auto reports = sample_fleet({});
  for (auto& record : reports[2].report.fingerprint) {
    if (record.device == "cuda:4" && record.what == reporting::MachineRate::kMemoryCopy) {
      record.value = 2 * *record.value;
    }
  }
  const Acceptance fleet = accept(reports, standard_rules(), {});
  EXPECT_TRUE(
      holds(joined(not_passed(fleet), "; "), "failed node002 cuda:4: memory copy, physics"));
  EXPECT_TRUE(holds(handed_over(fleet), "implausible: 1.")) << handed_over(fleet);
}

// Twice as fast as all others, a node is reported, and neither fails nor puts the others in doubt.
TEST(Accept, ANodeBeyondAllOthersIsKeptOutOfTheReference) {
  FleetShape shape{.nodes = 16};
  shape.effect = [](int node, int, int, reporting::MeasuredRate what) {
    return node == 6 && what == reporting::MeasuredRate::kAlone ? std::log(2.0) : 0.0;
  };
  const Acceptance fleet = judged(shape);
  EXPECT_EQ(not_passed(fleet), Texts{});
  EXPECT_TRUE(holds(joined(fleet.notes, "; "),
                    "training alone: faster than all others by more than the tolerance, and kept "
                    "out of the reference: node006 cuda:0"))
      << joined(fleet.notes, "; ");
}

TEST(Accept, ACopyUnderAnotherNameIsNoReport) {
  auto reports = sample_fleet({});
  const auto copied = reports[1].report.points;
  for (std::size_t i = 0; i < copied.size(); ++i) {
    for (std::size_t rank = 0; rank < copied[i].ranks.size(); ++rank) {
      reports[5].report.points[i].ranks[rank].wall_s = copied[i].ranks[rank].wall_s;
    }
  }
  const Acceptance fleet = accept(reports, standard_rules(), {});
  EXPECT_EQ(not_passed(fleet), (Texts{"missing node001: report", "missing node005: report"}));
  EXPECT_TRUE(holds(handed_over(fleet), "a copy: every time in its report is that of node00"));
  EXPECT_EQ(fleet.exit_code, ExitCode::kUnsure);
}

// The same with two nodes that passed: without them nothing shows what the session has in common.
TEST(Accept, UndecidedNodesAreMeasuredAgainWithTwoDecidedOnes) {
  FleetShape shape{.device_sd = 0.001, .slow_nodes = {{4, 0.048}}, .links = false};
  auto reports = sample_fleet(shape);
  const Undecided undecided = undecided_of(accept(reports, standard_rules(), {}));
  EXPECT_EQ(undecided.hosts, std::set<std::string>{"node004"});
  EXPECT_EQ(undecided.nodes, (Texts{"n004", "n000", "n001"}));

  shape.boot = 1;
  shape.starts = 2;
  // All devices are slower alike.
  shape.effect = [](int, int, int, reporting::MeasuredRate) { return -0.03; };
  shape.without_report = {0, 1, 2, 3, 5, 6, 7};
  for (auto& one : sample_fleet(shape)) reports.push_back(one);
  const auto alone = accept(reports, standard_rules(), {});
  shape.without_report = {2, 3, 4, 5, 6, 7};
  for (auto& one : sample_fleet(shape)) reports.push_back(one);
  const auto beside = accept(reports, standard_rules(), {});
  const auto together = [](const Acceptance& fleet) {
    return *std::ranges::find_if(fleet.results, [](const CheckResult& one) {
      return one.part.name() == "node004" && one.check == "training together";
    });
  };
  EXPECT_TRUE(holds(together(alone).why, "no two decided nodes beside them"))
      << together(alone).why;
  EXPECT_NEAR(*together(beside).of_reference, *together(alone).of_reference, 0.01);
}

TEST(Accept, AnotherDriverIsNamedAndMakesAClassOfItsOwn) {
  const Acceptance fleet = judged({.drivers = {{0, "570.10"}}});
  const auto failed = not_passed(fleet);
  EXPECT_EQ(std::ranges::count_if(
                failed, [](const auto& t) { return holds(t, "failed") && holds(t, "driver"); }),
            8);
  std::set<std::string> classes;
  for (const CheckedClass& one : fleet.classes) {
    if (one.check == "training alone") classes.insert(one.of_class);
  }
  EXPECT_EQ(classes.size(), 2u);
  EXPECT_EQ(fleet.notes.front(),
            "versions differ, and each set is judged by itself: driver 570.10 "
            "(node000), 580.65 (7 nodes)");
}

// Another boot is no other machine, unless both ran at once.
TEST(Accept, TwoMachinesOfOneNameAreReported) {
  auto reports = sample_fleet({.links = false});
  NamedReport other = reports[3];
  other.report.run_id = "another";
  other.report.environment.hosts[0].boot_id = "another";
  other.report.started = "2026-11-20T08:05:00Z";
  other.report.finished = "2026-11-20T08:25:00Z";
  reports.push_back(other);
  EXPECT_EQ(notes_of(accept(reports, standard_rules(), {})), Texts{}) << "one after the other";
  reports[3].report.finished = "2026-11-20T08:20:00Z";
  EXPECT_EQ(notes_of(accept(reports, standard_rules(), {})),
            Texts{"two machines at once, judged as one, call themselves node003: give each a name "
                  "of its own"});
}

TEST(Accept, GpusThatWaitForTheirHostsAreReported) {
  auto reports = sample_fleet({.links = false});
  for (const char* point :
       {"bert-large-b8-amp-bf16-w1-none/r0", "bert-large-b8-amp-bf16-w1-none/r1"}) {
    reports[3].report.findings.push_back({.code = "gpu_waits", .point = point});
  }
  EXPECT_EQ(notes_of(accept(reports, standard_rules(), {})),
            Texts{"GPUs waited for their hosts (gpu_waits), so that training measures hosts, too: "
                  "measure with "
                  "a larger --batch-size: bert-large-b8-amp-bf16-w1-none"});
}

TEST(Accept, WhatFailedDevicesShareIsReported) {
  FleetShape shape{.slow = {{{1, 3}, 0.1}, {{4, 3}, 0.1}, {{6, 3}, 0.1}}, .links = false};
  EXPECT_EQ(notes_of(judged(shape)),
            Texts{"all 3 failed devices share one place in the node (cuda:3), few others have it"});
  shape.devices = 4;  // a sixth of the others stand in that place, too
  EXPECT_EQ(notes_of(judged(shape)), Texts{});
}

TEST(Accept, TheExitCodeOfAReportIsItsNodesVerdict) {
  const auto outcome = [](int code) {
    const Acceptance fleet = judged({.exit_codes = {{2, code}}});
    return fleet.nodes[2].outcome;
  };
  EXPECT_EQ(outcome(83), Outcome::kFailed);
  EXPECT_EQ(outcome(84), Outcome::kFailed);
  EXPECT_EQ(outcome(69), Outcome::kMissing);
  EXPECT_EQ(outcome(1), Outcome::kPassed) << "a finding that --fail-on named is judged here anew";
}

TEST(Accept, AReportOverSeveralNodesNamesTheOneThatItBlames) {
  auto reports = sample_fleet({.nodes = 3, .training = true});
  NamedReport& training = reports.back();
  training.name = "acc/fleet";
  training.report.exit_code = 83;
  training.report.errors.push_back({.what = "ranks disagree on the parameters"});
  const Acceptance unknown = accept(reports, standard_rules(), {});
  EXPECT_EQ(not_passed(unknown), Texts{"failed the fleet: report"});
  EXPECT_TRUE(holds(sentences_of(unknown, Outcome::kFailed).front().text,
                    "acc/fleet, on node000, node001 and 1 more: its run ended with exit code 83"))
      << sentences_of(unknown, Outcome::kFailed).front().text;
  training.report.errors.back().host = "node001";
  EXPECT_EQ(not_passed(accept(reports, standard_rules(), {})), Texts{"failed node001: report"});
}

TEST(Accept, OneOrdinaryReportIsUnsureAndSaysWhy) {
  reporting::Report report = reporting::sample_sweep({.slow_rank = std::nullopt});
  report.exit_code = 0;
  const Acceptance fleet = accept({{"a", report}}, standard_rules(), {});
  EXPECT_EQ(fleet.exit_code, ExitCode::kUnsure);
  for (const CheckResult& result : fleet.results) {
    EXPECT_TRUE(result.outcome == Outcome::kPassed || !result.why.empty()) << result.check;
  }
}

TEST(Accept, AStartMayFailAndNeverPasses) {
  auto fleet = sample_fleet({});
  for (auto& run : fleet[3].report.points) {
    if (run.session != 1 || run.strategy != "none") continue;
    run.status = reporting::PointStatus::kOom;
    run.ranks.clear();
    run.reason = "rank 2 is out of memory";
  }
  const Acceptance acceptance = accept(fleet, standard_rules(), {});
  EXPECT_EQ(acceptance.nodes[3].outcome, Outcome::kMissing);
  EXPECT_EQ(acceptance.exit_code, ExitCode::kUnsure);
}

// A burn-in: ten starts and more, of which the mean hides two.
TEST(Accept, ADeviceThatIsSlowNowAndThenFails) {
  auto reports = sample_fleet({.nodes = 3, .starts = 12});
  for (auto& run : reports[1].report.points) {
    const bool slow = run.strategy == "none" && (run.session == 2 || run.session == 7);
    if (slow) run.ranks[3].wall_s *= 1.15;
  }
  Rules rules = standard_rules();
  rules.looks = {10, 30, 100};
  const Acceptance fleet = accept(reports, rules, {});
  EXPECT_EQ(not_passed(fleet), Texts{"failed node001 cuda:3: training alone"});
  const auto& result = *std::ranges::find(fleet.results, Outcome::kFailed, &CheckResult::outcome);
  EXPECT_EQ(result.why, "intermittent: below the limit in 2 runs of 12");
}

TEST(Accept, CountersThatGrewFailTheirDeviceAndNothingElse) {
  EXPECT_EQ(not_passed(judged({.health = true})), Texts{});
  const Acceptance fleet = judged({.counters = {{{2, 5},
                                                 {{"ecc_uncorrected_volatile", 2},
                                                  {"nvlink_replays", 3},
                                                  {"held_back_thermal_s", 2}}}},
                                   .health = true});
  EXPECT_EQ(not_passed(fleet),
            (Texts{"failed node002 cuda:5: ECC", "failed node002 cuda:5: NVLink errors"}))
      << "2 of 900 s are less than 1 %";
  const auto failed = std::ranges::find(fleet.results, Outcome::kFailed, &CheckResult::outcome);
  EXPECT_EQ(failed->why, "2 uncorrected ECC errors");
  EXPECT_EQ(failed->value, 2);
  EXPECT_EQ(failed->part.serial, "2005");
  EXPECT_EQ(failed->starts, 3u);
  EXPECT_EQ(
      not_passed(judged({.counters = {{{2, 5}, {{"held_back_thermal_s", 20}}}}, .health = true})),
      Texts{"failed node002 cuda:5: held back"});
}

// A reset takes a pending remap away: the last session counts. What was counted stays.
TEST(Accept, TheLastLookAtAStateCounts) {
  auto reports =
      sample_fleet({.counters = {{{0, 0}, {{"rows_remap_pending", 1}}}}, .health = true});
  EXPECT_EQ(not_passed(accept(reports, standard_rules(), {})), Texts{});
  for (auto& record : reports[0].report.health) {
    if (record.counter == "rows_remap_pending" && record.device == "cuda:1") {
      record.before = record.after = 1;
    }
  }
  EXPECT_EQ(not_passed(accept(reports, standard_rules(), {})),
            Texts{"failed node000 cuda:1: pending row remap"});
}

TEST(Accept, PortsAreOfTheirNode) {
  auto reports = sample_fleet({.health = true});
  reports[3].report.health.back().after = 4;
  const Acceptance fleet = accept(reports, standard_rules(), {});
  EXPECT_EQ(not_passed(fleet), Texts{"failed node003: ports that went down"});
  EXPECT_TRUE(holds(handed_over(fleet), "mlx5_0/1: 2 link failures")) << handed_over(fleet);
}

TEST(Accept, CountersThatNobodyReadAreMissingOnlyBesideOthers) {
  auto reports = sample_fleet({.health = true});
  reports[1].report.health.clear();
  const auto node = not_passed(accept(reports, standard_rules(), {}));
  EXPECT_EQ(node.size(), 10u) << "each check of counters once, of the node";
  for (const auto& text : node) EXPECT_TRUE(text.starts_with("missing node001: ")) << text;
  reports = sample_fleet({.health = true});
  std::erase_if(reports[1].report.health,
                [](const auto& record) { return record.device == "cuda:3"; });
  const auto device = not_passed(accept(reports, standard_rules(), {}));
  EXPECT_EQ(device.size(), 8u);
  for (const auto& text : device) EXPECT_TRUE(text.starts_with("missing node001 cuda:3: ")) << text;
  reports = sample_fleet({.health = true});
  std::erase_if(reports[1].report.health,
                [](const auto& record) { return record.counter == "nvlink_replays"; });
  EXPECT_EQ(not_passed(accept(reports, standard_rules(), {})), Texts{}) << "cards without NVLinks";
}

TEST(Accept, ASessionThatEndedEarlyKnowsNoGrowth) {
  auto reports =
      sample_fleet({.nodes = 3, .devices = 1, .starts = 1, .health = true, .links = false});
  for (auto& record : reports[0].report.health) {
    if (record.counter == "xid_events") record.after.reset();
  }
  const Acceptance fleet = accept(reports, standard_rules(), {});
  EXPECT_TRUE(holds(joined(not_passed(fleet), "; "), "missing node000 cuda:0: Xid"));
}

// One report that cannot be read costs no other its outcome.
TEST(Accept, AnUnreadableReportIsMissing) {
  const Acceptance fleet =
      judged({}, {.nodes = {}, .devices_per_node = {}, .unreadable = {{"acc/n9", "is no JSON"}}});
  EXPECT_EQ(not_passed(fleet), Texts{"missing acc/n9: report"});
  EXPECT_EQ(fleet.exit_code, ExitCode::kUnsure);
  EXPECT_TRUE(holds(handed_over(fleet), "is no JSON")) << handed_over(fleet);
}

TEST(Accept, AFailedLinkIsCountedAndIsNoNodesAlone) {
  const Acceptance fleet = judged({.slow_links = {{1, 6}}});
  EXPECT_TRUE(holds(headline(fleet), "; 8 of 8 nodes passed (64 devices)")) << headline(fleet);
  EXPECT_TRUE(holds(drain_text(fleet, "2026-11-20T09:00:00Z"), "# the link node001 to node006"));
}

TEST(Accept, WhatFailedIsNotMeasuredAgain) {
  const auto fleet = judged({.starts = 3, .slow = {{{2, 1}, 0.2}, {{2, 2}, 0.05}, {{4, 0}, 0.05}}});
  EXPECT_FALSE(undecided_of(fleet).hosts.contains("node002"));
  EXPECT_TRUE(undecided_of(fleet).hosts.contains("node004"));
}

TEST(Accept, ANodeThatIsNotInTheListIsReported) {
  const Acceptance fleet = judged({.nodes = 3}, {.nodes = {"node000", "node001", "gpu17"}});
  EXPECT_TRUE(holds(handed_over(fleet), "! not in --nodes, though there are reports: node002"))
      << handed_over(fleet);
}

TEST(Accept, TheHandOverIsShortWhateverHappened) {
  FleetShape shape{.nodes = 24,
                   .devices = 4,
                   .slow_nodes = {{1, 0.1}, {2, 0.2}},
                   .without_report = {3, 4, 5, 6, 7},
                   .disturbed = {9},
                   .throttled = {10},
                   .slow_links = {{11, 12}, {11, 13}}};
  for (int i = 0; i < 12; ++i) shape.slow[{12 + i, i % 4}] = 0.06 + 0.01 * i;
  const Acceptance fleet =
      judged(shape, {.nodes = {"node003", "node004", "node005"}, .devices_per_node = 4});
  EXPECT_LE(lines_of(handed_over(fleet, 1000)).size(), 10u + 2u) << "two of them are empty";
  for (const int columns : {44, 80, 120}) {
    for (const std::string& line : lines_of(handed_over(fleet, columns))) {
      if (line.starts_with("next job") || line.starts_with("a baseline")) continue;
      EXPECT_LE(line.size(), static_cast<std::size_t>(columns)) << line;
    }
  }
}

TEST(Accept, ThePageHasAFigureForEachClass) {
  FleetShape shape{.slow = {{{3, 1}, 0.09}}, .throttled = {4}};
  const std::string page = page_text(judged(shape), "2026-11-20T09:00:00Z");
  const auto count = [&](std::string_view part) {
    std::size_t found = 0;
    for (auto at = page.find(part); at != std::string::npos; at = page.find(part, at + 1)) ++found;
    return found;
  };
  EXPECT_EQ(count("\"name\":\"parts\""), 10u) << "of each class";
  EXPECT_TRUE(holds(page, "node003 cuda:1: failed, "));
  EXPECT_TRUE(holds(page, "\"verdict\":\"failed\""));
}

TEST(Accept, NamesStayTextOnThePage) {
  auto reports = sample_fleet({.slow = {{{0, 1}, 0.2}}});
  for (auto& one : reports) {
    if (one.report.environment.hosts.size() != 1) continue;
    for (auto& run : one.report.points) {
      for (auto& rank : run.ranks) rank.host += "<b>\"&";
    }
    one.report.environment.hosts.front().hostname += "<b>\"&";
  }
  EXPECT_FALSE(holds(page_text(accept(reports, standard_rules(), {}), "now"), "<b>"));
}

TEST(Accept, TheDrainScriptNamesNodesAsTheSchedulerDoes) {
  const Acceptance fleet = judged({.slow_nodes = {{5, 0.1}}, .exit_codes = {{1, 84}}});
  const std::string text = drain_text(fleet, "2026-11-20T09:00:00Z");
  EXPECT_TRUE(
      holds(text, "scontrol update NodeName=n005 State=DRAIN Reason='scalemark 2026-11-20: "))
      << text;
  EXPECT_TRUE(holds(text, "NodeName=n001 ")) << text;
  EXPECT_TRUE(holds(text, "# kubectl cordon n005\n")) << text;
  EXPECT_FALSE(holds(text, "n003"));
}

// --- rules

std::string refusal_of(const std::string& text) {
  try {
    parse_rules(text, "rules.json");
  } catch (const Error& error) {
    EXPECT_EQ(error.record().exit_code, ExitCode::kConfiguration);
    return error.record().what;
  }
  return "";
}

std::string with_check(const std::string& check) {
  return R"({"checks": [{"name": "a", )" + check + "}]}";
}

TEST(AcceptanceRules, AreReadWithTheirUnits) {
  const Rules rules = parse_rules(
      R"({"tolerance": 0.1, "looks": [1], "checks": [
        {"name": "a", "metric": "matrix_product", "where": {"precision": "bf16"}, "at_least": "400 TFLOP/s"},
        {"name": "b", "metric": "device_samples_per_sec", "at_least": {"share": "tolerance", "of": "reference"}},
        {"name": "c", "metric": "port_errors", "grows_by_at_most": 10},
        {"name": "d", "metric": "held_back", "grows_by_at_most": {"share": 0.02, "of": "session"}},
        {"name": "e", "metric": "rows_remap_pending", "at_most": 0}]})",
      "rules.json");
  EXPECT_EQ(rules.checks[0].limit, 400e12);
  EXPECT_EQ(rules.checks[0].where.at("precision"), "bf16");
  EXPECT_DOUBLE_EQ(rules.checks[1].limit, 0.9);
  EXPECT_EQ(rules.checks[2].limit, 10);
  EXPECT_EQ(rules.checks[2].comparison, Comparison::kGrowsByAtMost);
  EXPECT_EQ(rules.checks[3].of, LimitOf::kSession);
  EXPECT_DOUBLE_EQ(rules.checks[3].limit, 0.02);
  EXPECT_EQ(rules.checks[4].comparison, Comparison::kAtMost);
  EXPECT_EQ(rules.looks, std::vector<std::size_t>{1});
}

TEST(AcceptanceRules, HostileOnesAreRefusedInOneLine) {
  for (const char* text :
       {"", "[]", "{", "null", R"({"checks": []})", R"({"checks": [1]})",
        R"({"checks": [{}], "a": 1})", R"({"tolerance": 0, "checks": [{}]})",
        R"({"tolerance": 1, "checks": [{}]})", R"({"tolerance": "5 %", "checks": [{}]})",
        R"({"looks": [], "checks": [{}]})", R"({"looks": [1, 3], "checks": [{}]})",
        R"({"looks": [5, 3], "checks": [{}]})", R"({"looks": [3, 3], "checks": [{}]})",
        R"({"looks": [-1], "checks": [{}]})", R"({"looks": [3.5], "checks": [{}]})",
        R"({"looks": [1e9], "checks": [{}]})",
        R"({"tolerance": 0.1, "tolerance": 0.2, "checks": [{}]})"}) {
    EXPECT_NE(refusal_of(text), "") << text;
  }
  for (
      const char* check :
      {R"("metric": "speed", "at_least": "1 B/s")",
       R"("metric": 3)",
       R"("metric": "gpus")",
       R"("metric": "gpus", "same_as_class": false)",
       R"("metric": "gpus", "at_least": "1 B/s")",
       R"("metric": "memory_copy", "at_least": 3)",
       R"("metric": "memory_copy", "at_least": "3")",
       R"("metric": "memory_copy", "at_least": "-3 GB/s")",
       R"("metric": "memory_copy", "at_least": "nan B/s")",
       R"("metric": "memory_copy", "at_least": "3 GB")",
       R"("metric": "memory_copy", "at_least": {"share": 2, "of": "datasheet"})",
       R"("metric": "memory_copy", "at_least": {"share": 1, "of": "reference"})",
       R"("metric": "memory_copy", "at_least": {"share": 0.5, "of": "nothing"})",
       R"("metric": "memory_copy", "at_least": {"share": 0.5})",
       R"("metric": "memory_copy", "where": {"strategy": "ddp"}, "at_least": "1 B/s")",
       R"("metric": "link_bandwidth", "at_least": {"share": 0.5, "of": "datasheet"})",
       R"("metric": "wrong_elements", "at_most": -1)",
       R"("metric": "straggler", "at_most": 0)",
       R"("metric": "slow_node", "at_most": 0)",
       R"("metric": "slow_link", "at_most": 0)",
       R"("metric": "node_bandwidth", "at_least": {"share": 0.5, "of": "datasheet"})",
       R"("metric": "xid", "at_most": 0)",
       R"("metric": "xid", "grows_by_at_most": 0.5)",
       R"("metric": "xid", "grows_by_at_most": "1 %")",
       R"("metric": "xid", "grows_by_at_most": {"share": 0.01, "of": "session"})",
       R"("metric": "rows_remap_pending", "grows_by_at_most": 0)",
       R"("metric": "held_back", "grows_by_at_most": 3)",
       R"("metric": "held_back", "grows_by_at_most": {"share": 0.01, "of": "reference"})",
       R"("metric": "held_back", "grows_by_at_most": {"share": 0, "of": "session"})",
       R"("metric": "memory_copy", "at_least": {"share": 0.5, "of": "session"})",
       R"("metric": "wrong_elements", "at_most": 0.5)",
       R"("metric": "wrong_elements", "at_most": 0, "at_least": "1 B/s")",
       R"("metric": "device_samples_per_sec", "where": {"precision": 3}, "at_least": "1 samples/s")"}) {
    EXPECT_NE(refusal_of(with_check(check)), "") << check;
  }
  EXPECT_EQ(
      refusal_of(
          R"({"checks": [{"name": "a", "metric": "wrong_bits", "at_most": 0}, {"name": "a", "metric": "wrong_elements", "at_most": 0}]})"),
      "'rules.json' has two checks named 'a'");
}

}  // namespace
}  // namespace scalemark::acceptance
