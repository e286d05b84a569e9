// The hand-over counts what it lists, and says for everything that is undecided what would decide.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "report/accept/acceptance.h"
#include "report/accept/forms.h"
#include "tests/report/sample_fleet.h"

namespace scalemark::acceptance {
namespace {

using reporting::FleetShape;
using reporting::sample_fleet;

Acceptance judge_fleet(const FleetShape& shape, const Expected& expected = {}) {
  return accept(sample_fleet(shape), standard_rules(), expected);
}

std::string hand_over_of(const Acceptance& acceptance) {
  return hand_over(acceptance, {.again = "again", .judged = "scalemark accept acc", .files = {}},
                   {.columns = 1000});
}

bool mentions(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

std::size_t listed_as_undecided(const Acceptance& acceptance) {
  std::set<std::string> hosts;
  for (const PartSentence& one : sentences_of(acceptance, Outcome::kUnsure)) {
    for (const std::string& name : one.parts) {
      if (!mentions(name, " to ") && name != "the fleet")
        hosts.insert(name.substr(0, name.find(' ')));
    }
  }
  return hosts.size();
}

TEST(HandOver, CountsTheUndecidedNodesThatItLists) {
  for (std::uint64_t seed = 1; seed < 40; ++seed) {
    FleetShape shape{.seed = seed,
                     .nodes = static_cast<int>(seed % 9) + 1,
                     .devices = static_cast<int>(seed % 4) + 1,
                     .starts = static_cast<int>(seed % 3) + 1,
                     .exit_codes = {{0, seed % 5 == 0 ? 69 : 0}}};
    shape.slow[{1, 0}] = 0.05;
    shape.slow[{2, 0}] = 0.05;
    if (seed % 2 == 0) shape.disturbed = {3};
    if (seed % 7 == 0) shape.throttled = {1};
    const Acceptance fleet = judge_fleet(shape);
    const auto undecided = std::ranges::count(fleet.nodes, Outcome::kUnsure, &NodeResult::outcome);
    EXPECT_EQ(listed_as_undecided(fleet), static_cast<std::size_t>(undecided))
        << seed << "\n"
        << hand_over_of(fleet);
    for (const std::string& host : undecided_of(fleet).hosts) {
      const auto node = std::ranges::find_if(
          fleet.nodes, [&](const NodeResult& one) { return one.node.host == host; });
      EXPECT_EQ(node->outcome, Outcome::kUnsure) << seed << ": " << host;
    }
  }
}

bool mentions_links(const Acceptance& acceptance, Outcome outcome) {
  return std::ranges::any_of(sentences_of(acceptance, outcome), [](const PartSentence& one) {
    return std::ranges::any_of(one.parts,
                               [](const std::string& name) { return mentions(name, " to "); });
  });
}

TEST(HandOver, NamesLinksBesideTheNodes) {
  EXPECT_TRUE(mentions_links(judge_fleet({.nodes = 2}), Outcome::kUnsure));
  const std::string failed = hand_over_of(judge_fleet({.slow_links = {{1, 6}}}));
  EXPECT_TRUE(
      failed.starts_with("look at cables and ports of what failed below; 8 of 8 nodes passed"))
      << failed;
  EXPECT_TRUE(mentions(failed, "!! node001 to node006: link: ")) << failed;
  EXPECT_TRUE(mentions_links(judge_fleet({.nodes = 2, .slow_links = {{0, 1}}}), Outcome::kUnsure))
      << "a finding informs, and of one link nothing is the odd one";
  EXPECT_FALSE(mentions(hand_over_of(judge_fleet({})), " to node"));
}

std::size_t lines_in(const std::string& text) {
  std::size_t lines = 0;
  bool is_empty = true;
  for (const char c : text) {
    lines += c == '\n' && !is_empty;
    is_empty = c == '\n';
  }
  return lines;
}

// The caller fills in both: where a training lost its efficiency, and what others reached.
TEST(HandOver, ShowsWhereEfficiencyWentAndTheNearestRowsInTenLines) {
  Acceptance fleet = judge_fleet({.training = true, .efficiency = 0.8});
  fleet.explained = {"against 1 rank: 64 ranks give 51x", "64x -> 51x: communication -13"};
  fleet.explain_command = "scalemark explain acc/fleet --group g";
  fleet.published = {"near one", "near two", "near three"};
  const std::string text = hand_over_of(fleet);
  EXPECT_TRUE(mentions(text, "64x -> 51x: communication -13\n")) << text;
  EXPECT_TRUE(mentions(text, "\nwhy ")) << text;
  EXPECT_FALSE(mentions(text, "near one")) << "no room";
  EXPECT_LE(lines_in(text), 10u) << text;
  for (const std::string& form : {markdown_text(fleet), json_lines(fleet), details_text(fleet, {}),
                                  page_text(fleet, "2026-11-20T08:30:00Z")}) {
    EXPECT_TRUE(mentions(form, "communication -13")) << form.substr(0, 2000);
    EXPECT_TRUE(mentions(form, "explain acc/fleet")) << form.substr(0, 2000);
    EXPECT_TRUE(mentions(form, "near three")) << form.substr(0, 2000);
  }
  Acceptance healthy = judge_fleet({});
  healthy.published = fleet.published;
  const std::string short_text = hand_over_of(healthy);
  EXPECT_TRUE(mentions(short_text, "\nnear one; and more: --details\n")) << short_text;
  EXPECT_LE(lines_in(short_text), 10u) << short_text;
}

// The table by node is what a technician takes along; a large fleet's passed checks are counted.
TEST(HandOver, DetailsHaveALineForEachNodeThatIsNotSound) {
  FleetShape shape{.nodes = 40, .slow_links = {{2, 5}}, .links_by_rank = true};
  shape.slow[{3, 1}] = 0.1;
  const std::string text = details_text(judge_fleet(shape), {});
  const std::string by_node = text.substr(text.find("By node"), 800);
  EXPECT_TRUE(mentions(by_node, "\nn003  failed  ")) << by_node;
  EXPECT_TRUE(mentions(by_node, "8 of 312")) << by_node;
  EXPECT_TRUE(mentions(by_node, "0 of 312")) << by_node;
  EXPECT_FALSE(mentions(by_node, "\nn004 ")) << by_node;
  EXPECT_TRUE(mentions(text, "more passed, and 6240 checks are of links")) << text.substr(0, 3000);
  EXPECT_LE(lines_in(text), 300u);
}

// Failed parts and the commands that go on are more urgent.
TEST(HandOver, StaysTenLinesWhereMuchElseIsToBeSaid) {
  FleetShape shape{.training = true, .efficiency = 0.8};
  for (int i = 0; i < 3; ++i) shape.slow[{i, i}] = 0.1 + 0.02 * i;
  shape.slow[{4, 0}] = 0.05;
  shape.without_report = {6};
  Acceptance fleet = judge_fleet(shape);
  fleet.explained = {"one", "two"};
  fleet.explain_command = "scalemark explain acc/fleet";
  fleet.published = {"near one", "near two", "near three"};
  for (const std::vector<std::string>& files : {std::vector<std::string>{}, {"a", "b"}}) {
    const std::string text =
        hand_over(fleet, {.again = "again", .judged = "judged", .all = "all", .files = files},
                  {.columns = 1000});
    EXPECT_LE(lines_in(text), 10u) << text;
    EXPECT_TRUE(mentions(text, "!! ")) << text;
  }
}

TEST(HandOver, NamesTheCommandForNodesThatWereNotMeasured) {
  const Acceptance fleet = judge_fleet({.without_report = {6}}, {.nodes = {"node006"}});
  const auto told = [&](const Next& next) { return hand_over(fleet, next, {.columns = 1000}); };
  EXPECT_TRUE(told({}).starts_with("find out why n006 was not measured; ")) << told({});
  EXPECT_TRUE(mentions(told({.lacking = "a b"}), "\nnot measured  a b\n")) << told({});
  EXPECT_TRUE(mentions(told({.lacking = "a b", .lacking_on = "node006"}), "\non node006  a b\n"));
  const Acceptance two = judge_fleet({.without_report = {5, 6}}, {.nodes = {"node005", "node006"}});
  EXPECT_TRUE(hand_over_of(two).starts_with("find out why n[005-006] were not measured; "))
      << hand_over_of(two);
}

// A list of checks can be taken apart although some of their names hold commas.
TEST(HandOver, ListsChecksWhoseNamesHoldCommas) {
  EXPECT_EQ(listed_checks({"a", "b"}, 3), "a, b");
  EXPECT_EQ(listed_checks({"a", "b, physics", "c"}, 3), "a; b, physics; c");
  Acceptance fleet;
  for (const char* check : {"memory copy, physics", "memory copy"}) {
    fleet.classes.push_back({.check = check, .doubt = "alone"});
  }
  EXPECT_EQ(remarks_of(fleet),
            std::vector<std::string>{"memory copy; memory copy, physics: alone"});
}

TEST(HandOver, NamesTheCommandsThatMakeABaselineWhereOnlyThatDecides) {
  const std::string command =
      "\na baseline  scalemark baseline make GOOD_REPORTS --output good.json && scalemark accept "
      "acc --baseline good.json\n";
  FleetShape in_doubt{.slow_nodes = {{0, 0.1}, {1, 0.1}, {2, 0.1}}};
  const std::string doubt = hand_over_of(judge_fleet(in_doubt));
  EXPECT_TRUE(mentions(doubt, command)) << doubt;
  EXPECT_TRUE(mentions(doubt, "own time, training alone, training together: in")) << doubt;
  const std::string alone = hand_over_of(judge_fleet({.nodes = 1, .devices = 1}));
  EXPECT_TRUE(mentions(alone, command)) << alone;
  EXPECT_FALSE(mentions(hand_over_of(judge_fleet({})), "a baseline  "));
  EXPECT_FALSE(mentions(hand_over_of(judge_fleet({.starts = 1})), "a baseline  "))
      << "starts come first";
}

TEST(HandOver, SaysWhereNodesWithoutAReportAreNotKnown) {
  constexpr std::string_view kSaid =
      "a node without a report is not missed: name all by --nodes LIST";
  EXPECT_TRUE(mentions(hand_over_of(judge_fleet({.without_report = {1}})), kSaid));
  EXPECT_FALSE(mentions(hand_over_of(judge_fleet({}, {.nodes = {"node000"}})), kSaid));
}

TEST(HandOver, SaysWhatToMeasureAgainWhereNoCommandIsKnown) {
  const Acceptance fleet = judge_fleet({.nodes = 3, .starts = 2});
  EXPECT_TRUE(
      mentions(hand_over(fleet, {}, {}), "\n1 more start  of n[000-002], measured as before\n"))
      << hand_over(fleet, {}, {});
}

}  // namespace
}  // namespace scalemark::acceptance
