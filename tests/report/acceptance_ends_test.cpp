// A stage that stopped early leaves checks open, and reports of several jobs and days are judged
// together.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "core/base/text.h"
#include "report/accept/acceptance.h"
#include "report/accept/forms.h"
#include "tests/report/fleet_results.h"
#include "tests/report/sample_fleet.h"

namespace scalemark::acceptance {
namespace {

using reporting::FleetShape;
using reporting::Report;
using reporting::ReportStatus;
using reporting::sample_fleet;

constexpr int kMaxTimeEnded = 2;  // exit code of a sweep some of whose points never ran

// Keeps the first `runs` of a report's plan, as if it had been stopped after them.
void stop_after(Report& report, std::size_t runs, ReportStatus status, int code) {
  report.sessions = {{.session = 0,
                      .started = report.started,
                      .planned_runs = static_cast<int>(report.points.size())}};
  report.points.resize(runs);
  report.status = status;
  report.exit_code = code;
}

Acceptance accepted(const std::vector<NamedReport>& fleet) {
  return accept(fleet, standard_rules(), {});
}

std::string answer_to(const Acceptance& fleet) { return hand_over(fleet, {}, {.columns = 200}); }

// Three starts of training alone and of training together are six runs.
TEST(AcceptEnds, AStageThatMaxTimeEndedSaysSoAndPassesNothing) {
  auto fleet = sample_fleet({.nodes = 16});
  for (const std::size_t node : {1, 2, 3})
    stop_after(fleet[node].report, 4, ReportStatus::kComplete, 0);
  const Acceptance judged = accepted(fleet);
  EXPECT_EQ(judged.exit_code, ExitCode::kUnsure);
  EXPECT_EQ(judged.stopped_early,
            std::vector<std::string>{
                "node stage: 2 of 6 runs were not made on n[001-003] (--max-time ended)"});
  const std::string text = answer_to(judged);
  EXPECT_TRUE(text.starts_with("measure n[001-003] again; 13 of 16 nodes passed")) << text;
  EXPECT_NE(text.find(judged.stopped_early.front()), std::string::npos) << text;
  EXPECT_EQ(text.find("--exclude"), std::string::npos) << text;
  EXPECT_EQ(drain_text(judged, "2026-11-20T09:00:00Z").find("NodeName"), std::string::npos);
  EXPECT_NE(json_lines(judged).find("\"stopped_early\""), std::string::npos);
  EXPECT_EQ(outcome_of(fleet, kReportCheck, "node001"), "unsure");
  EXPECT_EQ(why_of(fleet, kReportCheck, "node001"), "2 of 6 runs were not made (--max-time ended)");
}

// All starts that a look needs are there, and one workload of two is not.
TEST(AcceptEnds, AWorkloadThatNeverRanIsNoPass) {
  auto fleet = sample_fleet({.workloads = {"resnet50", "bert-large"}});
  Report& report = fleet[3].report;
  stop_after(report, report.points.size(), ReportStatus::kComplete, kMaxTimeEnded);
  std::erase_if(report.points, [](const auto& run) { return run.workload == "bert-large"; });
  const Acceptance judged = accepted(fleet);
  EXPECT_EQ(judged.exit_code, ExitCode::kUnsure);
  EXPECT_EQ(judged.nodes[3].outcome, Outcome::kUnsure);
}

TEST(AcceptEnds, AnInterruptedStageIsMissingAndNobodyIsExcluded) {
  auto fleet = sample_fleet({.slow = {{{6, 1}, 0.12}}});
  stop_after(fleet[1].report, 4, ReportStatus::kInterrupted, 143);
  stop_after(fleet[2].report, 5, ReportStatus::kInterrupted, 143);
  const Acceptance judged = accepted(fleet);
  EXPECT_EQ(judged.exit_code, ExitCode::kFail) << "node006 failed";
  EXPECT_EQ(judged.stopped_early,
            std::vector<std::string>{
                "node stage: up to 2 of 6 runs were not made on n[001-002] (it was interrupted)"});
  EXPECT_EQ(outcome_of(fleet, kReportCheck, "node002"), "missing");
  const std::string text = answer_to(judged);
  EXPECT_NE(text.find("--exclude=n006"), std::string::npos) << text;
  EXPECT_NE(text.find(judged.stopped_early.front()), std::string::npos) << text;
}

TEST(AcceptEnds, ANodeThatDiedIsMissingAndExcluded) {
  auto fleet = sample_fleet({});
  stop_after(fleet[1].report, 4, ReportStatus::kPartial, 0);
  fleet[1].report.exit_code.reset();
  const Acceptance judged = accepted(fleet);
  EXPECT_EQ(why_of(fleet, kReportCheck, "node001"),
            "2 of 6 runs were not made (it did not come to its end)");
  EXPECT_NE(answer_to(judged).find("--exclude=n001"), std::string::npos) << answer_to(judged);
}

TEST(AcceptEnds, TheFleetStageMayStopEarlyToo) {
  auto fleet = sample_fleet({.training = true});
  stop_after(fleet.back().report, 5, ReportStatus::kComplete, kMaxTimeEnded);
  const Acceptance judged = accepted(fleet);
  EXPECT_EQ(judged.exit_code, ExitCode::kUnsure);
  EXPECT_EQ(judged.stopped_early,
            std::vector<std::string>{
                "fleet stage: 1 of 6 runs were not made on n[000-007] (--max-time ended)"});
  EXPECT_EQ(judged.nodes[3].outcome, Outcome::kPassed) << "no node is to blame";
}

TEST(AcceptEnds, WhoDidAllThatWasPlannedDidNotStop) {
  auto fleet = sample_fleet({});
  for (const std::size_t node : {1, 2}) {
    Report& report = fleet[node].report;
    stop_after(report, report.points.size(), ReportStatus::kComplete, 0);
  }
  fleet[2].report.sessions.back().planned_runs = 4;  // --until-ci adds to these
  fleet[3].report.sessions = {{.session = 0}};       // an older version does not know it
  EXPECT_TRUE(accepted(fleet).stopped_early.empty());
  EXPECT_EQ(accepted(fleet).exit_code, ExitCode::kPass);
}

// A sure outcome stands: the second session was stopped, the first one was not.
TEST(AcceptEnds, AWholeSessionStaysWholeAndALaterOneMakesGood) {
  FleetShape shape{.links = false};
  auto whole = sample_fleet(shape);
  shape.boot = 1;
  auto later = sample_fleet(shape);
  stop_after(later[1].report, 4, ReportStatus::kComplete, 0);
  auto fleet = whole;
  fleet.push_back(later[1]);
  EXPECT_EQ(outcome_of(fleet, kReportCheck, "node001"), "passed");
  EXPECT_EQ(accepted(fleet).stopped_early.size(), 1u) << "and it is told";

  fleet = whole;
  stop_after(fleet[1].report, 4, ReportStatus::kInterrupted, 143);
  later = sample_fleet(shape);
  fleet.push_back(later[1]);
  EXPECT_EQ(outcome_of(fleet, kReportCheck, "node001"), "passed");
  EXPECT_TRUE(accepted(fleet).stopped_early.empty());
}

// --- Waves: nodes that were measured days apart.

// `count` nodes from `first` on, `day` days later, beside their links.
std::vector<NamedReport> wave(FleetShape shape, int first, int count, int day) {
  for (int node = 0; node < shape.nodes; ++node) {
    if (node < first || node >= first + count) shape.without_report.insert(node);
  }
  shape.boot = day;
  auto reports = sample_fleet(shape);
  const auto here = [&](const std::string& host) {
    return host >= reporting::fleet_host(first) && host < reporting::fleet_host(first + count);
  };
  for (NamedReport& one : reports) {
    Report& report = one.report;
    one.name = "day" + std::to_string(day) + "/" + one.name;
    report.started.replace(9, 1, std::to_string(day));
    report.finished = report.started;
    std::erase_if(report.environment.hosts, [&](const auto& host) { return !here(host.hostname); });
    std::erase_if(report.links, [&](const auto& link) { return !here(link.a) || !here(link.b); });
    std::erase_if(report.findings, [&](const auto& finding) {
      return finding.place && !finding.place->link.empty();
    });
  }
  return reports;
}

std::vector<NamedReport> joined_waves(std::vector<NamedReport> all,
                                      const std::vector<NamedReport>& more) {
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

// Later sessions are compared by controls; the first one of a node of the second wave is none.
TEST(AcceptWaves, TheFirstSessionOfEachNodeIsItsFirst) {
  const FleetShape shape{.nodes = 16, .slow = {{{3, 2}, 0.12}, {{12, 5}, 0.12}}};
  const auto fleet = joined_waves(wave(shape, 0, 8, 0), wave(shape, 8, 8, 3));
  EXPECT_EQ(failed_parts(fleet, "training alone"),
            (std::vector<std::string>{"node003 cuda:2", "node012 cuda:5"}));
  EXPECT_EQ(outcome_of(fleet, "training alone", "node009 cuda:0"), "passed");
  EXPECT_EQ(outcome_of(fleet, "link", "node001 to node006"), "passed");
  EXPECT_EQ(outcome_of(fleet, "link", "node009 to node014"), "passed");
  EXPECT_EQ(outcome_of(fleet, "link", "node001 to node009"), "") << "of two waves";
}

TEST(AcceptWaves, AWaveThatIsYetToComeIsMissingAndNotExcluded) {
  const FleetShape shape{.nodes = 12, .slow = {{{3, 2}, 0.12}}};
  Expected expected;
  for (int node = 0; node < 12; ++node) expected.nodes.push_back(reporting::fleet_host(node));
  const Acceptance judged = accept(wave(shape, 0, 8, 0), standard_rules(), expected);
  EXPECT_EQ(std::ranges::count(judged.nodes, Outcome::kMissing, &NodeResult::outcome), 4);
  EXPECT_NE(answer_to(judged).find("--exclude=n003\n"), std::string::npos) << answer_to(judged);
}

// A day's difference of one wave is in its nodes; a baseline would tell it from slow nodes.
TEST(AcceptWaves, AShiftBetweenWavesPutsTheReferenceInDoubt) {
  FleetShape second{.nodes = 16, .links = false};
  second.effect = [](int, int, int, reporting::MeasuredRate) { return -0.08; };
  const Acceptance judged =
      accepted(joined_waves(wave({.nodes = 16, .links = false}, 0, 8, 0), wave(second, 8, 8, 3)));
  EXPECT_TRUE(std::ranges::any_of(judged.classes, [](const auto& one) {
    return !one.doubt.empty();
  })) << "half of the fleet fails together";
}

// Each wave has two switches, and the nodes behind one of the second wave are slow together.
TEST(AcceptWaves, ASwitchOfOneWaveIsNamedBesideTheLinksOfAnother) {
  FleetShape shape{.nodes = 32, .devices = 2, .link_noise = 0.02, .nodes_of_switch = 8};
  shape.effect = [](int node, int device, int, reporting::MeasuredRate) {
    return device < 0 && node >= 8 && node < 16 ? -0.08 : 0.0;
  };
  for (const bool first_wave_last : {false, true}) {
    const Acceptance judged = accepted(joined_waves(wave(shape, 0, 16, first_wave_last ? 3 : 0),
                                                    wave(shape, 16, 16, first_wave_last ? 0 : 3)));
    EXPECT_NE(joined(judged.notes, "\n")
                  .find("8 of 8 failed nodes are in one group of links (n[008-015];"),
              std::string::npos)
        << joined(judged.notes, "\n");
  }
}

TEST(AcceptWaves, EachFleetTrainingHasItsEfficiency) {
  const FleetShape shape{.nodes = 16, .links = false, .training = true};
  auto first = wave(shape, 0, 8, 0), second = wave(shape, 8, 8, 3);
  for (auto* one : {&first, &second}) {
    for (auto& run : one->back().report.points) {
      run.nodes = 8;
      run.world_size = 64;
      run.samples_per_sec /= one == &second ? 3 : 2;
      for (std::string* name : {&run.group, &run.id})
        name->replace(name->find("-w128-"), 6, "-w64-");
    }
  }
  const auto found = results_of(joined_waves(first, second), "scaling efficiency", "the fleet");
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].outcome, Outcome::kPassed) << found[0].why;
  EXPECT_EQ(found[1].outcome, Outcome::kFailed);
}

// Rank 0 writes the report of several nodes, and its record is not about its own node where it
// quotes another rank, or lost one that it cannot name.
TEST(AcceptEnds, AFleetBlamesTheNodeOfTheRankThatFailed) {
  const auto blamed = [](ErrorRecord error) {
    auto fleet = sample_fleet({.nodes = 4, .training = true});
    Report& training = fleet.back().report;
    training.exit_code = static_cast<int>(error.exit_code);
    training.status = ReportStatus::kFailed;
    training.errors = {std::move(error)};
    std::set<std::string> hosts;
    for (const CheckResult& result : accepted(fleet).results) {
      if (result.check == kReportCheck && result.outcome != Outcome::kPassed)
        hosts.insert(result.part.host);
    }
    return joined(hosts, ",");
  };
  const ErrorRecord lost{
      .code = "E_PEER_LOST", .exit_code = ExitCode::kPeerLost, .rank = 0, .host = "node000"};
  EXPECT_EQ(blamed(lost), kTheFleet);
  ErrorRecord named = lost;
  named.rank = 9;
  named.host = "node001";
  EXPECT_EQ(blamed(named), "node001");
  ErrorRecord quoted{
      .code = "E_GPU_FAULT",
      .exit_code = ExitCode::kGpuFault,
      .what = "rank 17 ended: E_GPU_FAULT (exit 84) rank=17 host=node002 phase=window: x",
      .rank = 0,
      .host = "node000"};
  EXPECT_EQ(blamed(quoted), "node002");
  quoted.what = "rank 17 ended: E_GPU_FAULT (exit 84) phase=window: x";
  EXPECT_EQ(blamed(quoted), kTheFleet);
  quoted.what = "the GPU fell off the bus";
  EXPECT_EQ(blamed(quoted), "node000") << "its own";
}

}  // namespace
}  // namespace scalemark::acceptance
