// Failed nodes and links that share a leaf switch of a given topology are one sentence, which names
// it; a healthy fleet names none.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "core/base/number_words.h"
#include "core/base/text.h"
#include "report/accept/acceptance.h"
#include "report/accept/forms.h"
#include "report/accept/topology.h"
#include "tests/report/sample_fleet.h"

namespace scalemark::acceptance {
namespace {

using reporting::FleetShape;
using reporting::sample_fleet;

constexpr int kOfLeaf = 8;

Topology leaves_of(int nodes, int of_leaf) {
  std::string text;
  for (int first = 0; first < nodes; first += of_leaf) {
    text += "SwitchName=leaf" + std::to_string(first / of_leaf) + " Nodes=n[" +
            printed("%03.0f", first) + "-" + printed("%03.0f", first + of_leaf - 1) + "]\n";
  }
  return parse_topology(text, "topology.conf");
}

FleetShape shape_with_links(int nodes) {
  return {.nodes = nodes, .devices = 1, .starts = 3, .link_noise = 0.02};
}

Acceptance judged_by_leaves(const FleetShape& shape) {
  const Topology topology = leaves_of(shape.nodes, kOfLeaf);
  return accept(sample_fleet(shape), standard_rules(), {}, nullptr, &topology);
}

void slow_what_leaves(int leaf, FleetShape& shape) {
  for (int a = 0; a < shape.nodes; ++a) {
    for (int b = a + 1; b < shape.nodes; ++b) {
      if ((a / kOfLeaf == leaf) != (b / kOfLeaf == leaf)) shape.slow_links.insert({a, b});
    }
  }
}

std::vector<std::string> switches_named(const Acceptance& fleet) {
  std::vector<std::string> named;
  for (const std::string& note : fleet.notes) {
    if (note.find(" switch") != std::string::npos) named.push_back(note);
  }
  return named;
}

TEST(AcceptLeaf, IsNamedByTheLinksThatLeaveIt) {
  FleetShape shape = shape_with_links(64);
  slow_what_leaves(3, shape);
  const Acceptance fleet = judged_by_leaves(shape);
  EXPECT_EQ(switches_named(fleet),
            std::vector<std::string>{"448 of 448 failed links leave or enter switch leaf3 "
                                     "(n[024-031]): look at its uplinks"});
  const std::string text = hand_over(fleet, {}, {.columns = 200});
  EXPECT_NE(text.find("!! 448 links of leaf3 (n[024-031]): link: 1"), std::string::npos) << text;
  EXPECT_EQ(text.find("node024 to"), std::string::npos) << text;
  EXPECT_EQ(text.find("more"), std::string::npos) << text;
  EXPECT_LE(std::ranges::count(text, '\n'), 10) << text;
  const std::string script = drain_text(fleet, "2026-11-29T00:00:00Z");
  EXPECT_NE(script.find("# 448 links of leaf3 (n[024-031]) failed"), std::string::npos) << script;
  EXPECT_EQ(script.find("# the link"), std::string::npos) << script;
}

TEST(AcceptLeaf, IsNamedBesideOtherFaultsAndOthers) {
  FleetShape shape = shape_with_links(64);
  slow_what_leaves(3, shape);
  slow_what_leaves(6, shape);
  shape.slow_links.insert({{0, 1}, {9, 33}});
  const Acceptance fleet = judged_by_leaves(shape);
  const auto named = switches_named(fleet);
  ASSERT_EQ(named.size(), 2U) << joined(fleet.notes, "\n");
  EXPECT_TRUE(named[0].starts_with("448 of 834 failed links leave or enter switch leaf3"))
      << named[0];
  EXPECT_TRUE(named[1].starts_with("384 of 834 failed links leave or enter switch leaf6"))
      << named[1];
  const std::string text = hand_over(fleet, {}, {.columns = 200});
  for (const char* part : {"448 links of leaf3", "384 links of leaf6", "node000 to node001"}) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  }
}

// Each node has 16 partners at random, as fleets of more than 64 nodes are measured.
TEST(AcceptLeaf, IsNamedWhereFewPairsAreMeasured) {
  FleetShape shape = shape_with_links(96);
  slow_what_leaves(11, shape);
  auto reports = sample_fleet(shape);
  std::mt19937_64 bits(4);
  std::erase_if(reports.back().report.links, [&](const auto&) { return bits() % 95 >= 16; });
  const Topology topology = leaves_of(96, kOfLeaf);
  const auto named = switches_named(accept(reports, standard_rules(), {}, nullptr, &topology));
  ASSERT_FALSE(named.empty());
  EXPECT_NE(named.back().find("leave or enter switch leaf11 (n[088-095])"), std::string::npos)
      << joined(named, "\n");
  for (const std::string& note : named) EXPECT_NE(note.find("leaf11"), std::string::npos) << note;
}

TEST(AcceptLeaf, IsNamedByItsNodes) {
  FleetShape shape = shape_with_links(64);
  shape.devices = 2;
  shape.effect = [](int node, int device, int, reporting::MeasuredRate) {
    return device < 0 && node / kOfLeaf == 2 ? -0.08 : 0.0;
  };
  EXPECT_EQ(switches_named(judged_by_leaves(shape)),
            std::vector<std::string>{
                "8 of 8 failed nodes are behind switch leaf2 (n[016-023]): look at it"});
}

// All links of a bad node fail, and most of them leave its switch: that is the node.
TEST(AcceptLeaf, IsNoneWhereNodesAndLinksFailForThemselves) {
  FleetShape shape = shape_with_links(64);
  for (int other = 0; other < 64; ++other) {
    if (other != 5) shape.slow_links.insert(std::minmax(5, other));
  }
  shape.slow_links.insert({{1, 2}, {4, 9}, {5, 6}});
  EXPECT_EQ(switches_named(judged_by_leaves(shape)), std::vector<std::string>{});
}

TEST(AcceptLeaf, IsNoneInHealthyFleets) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    FleetShape shape = shape_with_links(64);
    shape.seed = seed;
    shape.starts = 1;
    shape.nodes_of_switch = kOfLeaf;  // small messages take longer between them
    const Acceptance fleet = judged_by_leaves(shape);
    EXPECT_EQ(switches_named(fleet), std::vector<std::string>{}) << seed;
    EXPECT_TRUE(fleet.told_as.empty()) << seed;
  }
}

// Each node has two ranks, and two cards behind switches of their own: only links of the second
// rank that leave one switch are slow.
TEST(AcceptLeaf, IsThatOfTheCardAtThePlaceOfARank) {
  FleetShape shape = shape_with_links(32);
  slow_what_leaves(1, shape);
  auto reports = sample_fleet(shape);
  auto& links = reports.back().report.links;
  const auto first = links;
  links.clear();
  for (const auto& link : first) {
    for (const int place : {0, 1}) {
      auto& of_ranks = links.emplace_back(link);
      of_ranks.a_rank = 2 * std::stoi(link.a.substr(4)) + place;
      of_ranks.b_rank = 2 * std::stoi(link.b.substr(4)) + place;
      if (place == 0) of_ranks.bandwidth_GBps = 45;
      if (place == 0) of_ranks.bandwidth_ci95 = {44, 46};
    }
  }
  std::string fabric;
  for (int leaf = 0; leaf < 8; ++leaf) {
    fabric += "Switch\t40 \"S-" + std::to_string(leaf) + "\"\t# \"leaf" + std::to_string(leaf) +
              "\" base port 0 lid 4 lmc 0\n";
    for (int node = leaf / 2 * kOfLeaf; node < (leaf / 2 + 1) * kOfLeaf; ++node) {
      fabric += "[1]\t\"H-" + std::to_string(node) + "\"[1](a2)\t# \"" +
                reporting::fleet_host(node) + " mlx5_" + std::to_string(leaf % 2) + "\" lid 5\n";
    }
  }
  const Topology topology = parse_topology(fabric, "fabric");
  EXPECT_EQ(switches_named(accept(reports, standard_rules(), {}, nullptr, &topology)),
            std::vector<std::string>{"192 of 192 failed links leave or enter switch leaf3 "
                                     "(n[008-015]): look at its uplinks"});
}

TEST(AcceptLeaf, TakesThePlaceOfTimesOfLinks) {
  FleetShape shape = shape_with_links(16);
  slow_what_leaves(0, shape);
  const Topology strangers = parse_topology("SwitchName=a Nodes=x[1-9]\n", "t");
  const Acceptance fleet = accept(sample_fleet(shape), standard_rules(), {}, nullptr, &strangers);
  EXPECT_EQ(fleet.notes.front(),
            "not in --topology, and behind no switch: n000, n001, n002 and 13 more");
  EXPECT_EQ(joined(fleet.notes, "\n").find("one group of links"), std::string::npos);
}

}  // namespace
}  // namespace scalemark::acceptance
