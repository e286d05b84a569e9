// A network is judged by what it carries when all nodes use it at once.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "core/base/text.h"
#include "report/accept/acceptance.h"
#include "tests/report/fleet_results.h"
#include "tests/report/sample_fleet.h"

namespace scalemark::acceptance {
namespace {

using reporting::Report;
using reporting::sample_fleet;

// The all-reduces over all nodes and over two halves of a fleet of four nodes with two ranks each:
// GB/s of three runs, and what is expected.
struct Reached {
  double GBps = 0, expected = 50;
};
std::vector<NamedReport> fleet_under_load(Reached all, Reached first, Reached second,
                                          const std::string& device = "cuda") {
  auto fleet = sample_fleet({.nodes = 4, .devices = 2});
  Report& report = fleet.back().report;
  const auto add = [&](const std::string& group, std::vector<int> members, int nodes,
                       std::optional<int> parts, const Reached& reached) {
    for (int run = 0; run < 3; ++run) {
      auto row = reporting::all_reduce_run(group, members, nodes, parts, run);
      row.device = device;
      if (reached.GBps > 0) {
        row.busbw_GBps = reached.GBps * (1 + 0.001 * run);
      } else {
        row.status = reporting::PointStatus::kFailed;
        row.reason = "out of memory";
      }
      if (reached.expected > 0) row.expected_busbw_GBps = reached.expected;
      report.collectives.push_back(std::move(row));
    }
  };
  add("all", {0, 1, 2, 3, 4, 5, 6, 7}, 4, std::nullopt, all);
  add("half-1", {0, 1, 4, 5}, 2, 2, first);
  add("half-2", {2, 3, 6, 7}, 2, 2, second);
  return fleet;
}

// Outcomes of the two divisions: "passed failed".
std::string under_load(const std::vector<NamedReport>& fleet) {
  std::vector<std::string> outcomes;
  for (const CheckResult& one : results_of(fleet, "all-reduce, all nodes", kTheFleet))
    outcomes.emplace_back(name_of(one.outcome));
  return joined(outcomes, " ");
}

TEST(AcceptUnderLoad, ANetworkThatBlocksUnderFullLoadFails) {
  EXPECT_EQ(under_load(fleet_under_load({48}, {47}, {49})), "passed passed");
  EXPECT_EQ(under_load(fleet_under_load({25}, {47}, {49})), "failed passed");
  EXPECT_EQ(under_load(fleet_under_load({48}, {47}, {25})), "passed failed");
  const auto blocked = fleet_under_load({48}, {47}, {25});
  const auto found = results_of(blocked, "all-reduce, all nodes", kTheFleet);
  EXPECT_NE(found.back().why.find("25"), std::string::npos) << found.back().why;
  EXPECT_EQ(accept(blocked, standard_rules(), {}).exit_code, ExitCode::kFail);
}

TEST(AcceptUnderLoad, ThePartThatReachesLeastOfItsOwnLinksCounts) {
  EXPECT_EQ(under_load(fleet_under_load({48}, {11, 12}, {20, 50})), "passed failed")
      << "the other half has slower links, and uses them";
  EXPECT_EQ(under_load(fleet_under_load({48}, {0}, {20})), "passed failed")
      << "a half without a run hides no slow one";
  EXPECT_EQ(under_load(fleet_under_load({48}, {0}, {0})), "passed missing");
}

TEST(AcceptUnderLoad, AnAllReduceWithoutAnExpectationIsReportedOnly) {
  const auto notes_of = [](const std::vector<NamedReport>& fleet) {
    return joined(accept(fleet, standard_rules(), {}).notes, "\n");
  };
  const auto sockets = fleet_under_load({4}, {4}, {4}, "cpu");
  EXPECT_EQ(under_load(sockets), "");
  EXPECT_NE(notes_of(sockets).find("all-reduce under full load, the slowest part of each division: "
                                   "all 4 nodes 4"),
            std::string::npos)
      << notes_of(sockets);
  EXPECT_EQ(under_load(fleet_under_load({4, 0}, {4, 0}, {4, 0})), "");
}

// Each wave of a fleet has a network of its own nodes: a later one excuses no earlier one.
TEST(AcceptUnderLoad, WavesAreJudgedByThemselvesUnderFullLoad) {
  auto fleet = fleet_under_load({25}, {47}, {49});
  Report later = fleet_under_load({48}, {47}, {49}).back().report;
  for (monitoring::Host& host : later.environment.hosts) {
    host.hostname += "b";
    host.scheduler_node += "b";
  }
  for (reporting::LinkRecord& link : later.links) {
    link.a += "b";
    link.b += "b";
  }
  later.started = "2026-12-24T00:00:00Z";
  fleet.push_back({"acc/later", later});
  const auto found = results_of(fleet, "all-reduce, all nodes", kTheFleet);
  EXPECT_EQ(found.size(), 4U);
  EXPECT_EQ(std::ranges::count(found, Outcome::kFailed, &CheckResult::outcome), 1);
}

}  // namespace
}  // namespace scalemark::acceptance
