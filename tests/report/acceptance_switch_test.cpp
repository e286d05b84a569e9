// Nodes that fail together may share a switch, as links between all pairs show: it is named.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "core/base/text.h"
#include "report/accept/acceptance.h"
#include "report/accept/forms.h"
#include "tests/report/sample_fleet.h"

namespace scalemark::acceptance {
namespace {

using reporting::FleetShape;
using reporting::sample_fleet;

// The line that names a switch; "" where none is named.
std::string switch_named(const Acceptance& fleet) {
  const auto found = std::ranges::find_if(fleet.notes, [](const std::string& note) {
    return note.find("one group of links") != std::string::npos;
  });
  return found == fleet.notes.end() ? "" : *found;
}

Acceptance accepted_as_is(const FleetShape& shape) {
  return accept(sample_fleet(shape), standard_rules(), {});
}

// Nodes that are 7 % slower when all of their devices train together, and no device is.
FleetShape slow_together(int nodes, int of_switch, const std::set<int>& slow) {
  FleetShape shape{.nodes = nodes, .devices = 2, .link_noise = 0.02};
  shape.nodes_of_switch = of_switch;
  shape.effect = [slow](int node, int device, int, reporting::MeasuredRate) {
    return device < 0 && slow.contains(node) ? -0.08 : 0.0;
  };
  return shape;
}

TEST(AcceptSwitch, NamesTheOneBehindWhichNodesFail) {
  const std::set<int> slow{8, 9, 10, 11, 12, 13, 14, 15};
  const Acceptance fleet = accepted_as_is(slow_together(16, 8, slow));
  EXPECT_EQ(
      switch_named(fleet),
      "8 of 8 failed nodes are in one group of links (n[008-015]; messages that leave it take "
      "1.4 times as long): look at the switch that its nodes share");
  const std::string text = hand_over(fleet, {}, {.columns = 79});
  EXPECT_NE(text.find("! 8 of 8 failed nodes are in one group of links"), std::string::npos)
      << text;
  EXPECT_NE(json_lines(fleet).find("one group of links"), std::string::npos);
}

// A node that fails for itself does not hide it, and one that passes behind it does not, either.
TEST(AcceptSwitch, NamesItBesideOtherFaults) {
  const Acceptance fleet = accepted_as_is(slow_together(24, 8, {1, 8, 9, 10, 11, 12, 14}));
  EXPECT_TRUE(
      switch_named(fleet).starts_with("6 of 7 failed nodes are in one group of links (n[008-015]"))
      << joined(fleet.notes, "; ");
}

// Nodes are fine, and among themselves as fast as others: what leaves their switch is slow.
TEST(AcceptSwitch, NamesTheOneThatSlowLinksLeave) {
  FleetShape shape{.nodes = 12, .devices = 1, .link_noise = 0.02};
  for (int a = 0; a < 4; ++a) {
    for (int b = 4; b < 12; ++b) shape.slow_links.insert({a, b});
  }
  EXPECT_EQ(
      switch_named(accepted_as_is(shape)),
      "32 of 32 failed links leave one group of links (n[000-003]; messages that leave it take "
      "2.5 times as long): look at the switch that its nodes share");
}

// The links between `count` nodes and the others are slow.
FleetShape slow_quarter(int nodes, int first, int count) {
  FleetShape shape{.nodes = nodes, .devices = 1, .link_noise = 0.02};
  const auto is_slow = [&](int node) { return node >= first && node < first + count; };
  for (int a = 0; a < nodes; ++a) {
    for (int b = a + 1; b < nodes; ++b) {
      if (is_slow(a) != is_slow(b)) shape.slow_links.insert({a, b});
    }
  }
  return shape;
}

// Links that leave the slow nodes leave the others, too.
TEST(AcceptSwitch, NamesTheSlowSideAndNotTheRest) {
  EXPECT_EQ(
      switch_named(accepted_as_is(slow_quarter(12, 9, 3))),
      "27 of 27 failed links leave one group of links (n[009-011]; messages that leave it take "
      "2.5 times as long): look at the switch that its nodes share");
  auto fleet = sample_fleet(slow_quarter(96, 24, 24));
  const auto expect_named = [&] {
    const std::string named = switch_named(accept(fleet, standard_rules(), {}));
    EXPECT_NE(named.find("failed links leave one group of links (n[024-047]; messages that leave"),
              std::string::npos)
        << named;
  };
  expect_named();
  // A node that met none of its kind is no part of their group.
  const std::string alone = reporting::fleet_host(24);
  std::erase_if(fleet.back().report.links, [&](const reporting::LinkRecord& link) {
    if (link.a != alone && link.b != alone) return false;
    const std::string& other = link.a == alone ? link.b : link.a;
    return other > alone && other < reporting::fleet_host(48);
  });
  expect_named();
}

TEST(AcceptSwitch, NamesNoneWhereNodesAndLinksFailForThemselves) {
  EXPECT_EQ(switch_named(accepted_as_is(slow_together(8, 0, {0, 1, 2, 3}))), "")
      << "one switch for all";
  EXPECT_EQ(switch_named(accepted_as_is(slow_together(8, 4, {0, 1}))), "")
      << "two of four may be chance";
  FleetShape slow_node{.nodes = 12, .devices = 1, .link_noise = 0.02};
  for (int other = 0; other < 12; ++other) {
    if (other != 5) slow_node.slow_links.insert(std::minmax(5, other));
  }
  EXPECT_EQ(switch_named(accepted_as_is(slow_node)), "") << "its own card is slow";
  EXPECT_EQ(switch_named(accepted_as_is(
                {.nodes = 12, .devices = 1, .slow_links = {{1, 2}, {4, 9}, {5, 6}}})),
            "");
}

// Nodes that fail at random share one in 3 of 100 sets, where the line allows 5.
TEST(AcceptSwitch, IsRarelyNamedOfNodesThatFailAtRandom) {
  std::mt19937_64 bits(5);
  int wrongly = 0;
  for (int trial = 0; trial < 60; ++trial) {
    std::set<int> slow;
    while (slow.size() < 3) slow.insert(static_cast<int>(bits() % 16));
    wrongly += !switch_named(accepted_as_is(slow_together(16, 4, slow))).empty();
  }
  EXPECT_LE(wrongly, 3);
}

// A reader wants to know which nodes, and not which of hundreds of links.
TEST(AcceptSwitch, FailedLinksOfANodeOrOfTwoEndsAreOneSentence) {
  reporting::FleetShape shape{.nodes = 12, .devices = 4, .links_by_rank = true};
  shape.link_effect = [](int a, int b) {
    const bool slow = a == 3 || b == 3 || (a == 7 && b == 9);
    return slow ? std::log(0.4) : 0.0;
  };
  const Acceptance fleet = accept(reporting::sample_fleet(shape), standard_rules(), {});
  std::vector<std::string> links;
  for (const PartSentence& one : sentences_of(fleet, Outcome::kFailed)) {
    for (const std::string& part : one.parts) {
      if (part.find("link") != std::string::npos) links.push_back(part);
    }
  }
  std::ranges::sort(links);
  EXPECT_EQ(links,
            (std::vector<std::string>{"4 links of node007 with node009", "44 links of node003"}));
}

}  // namespace
}  // namespace scalemark::acceptance
