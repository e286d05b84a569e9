#include "core/prediction/topology.h"

#include <gtest/gtest.h>

#include <string>

#include "core/base/error.h"

namespace scalemark::prediction {
namespace {

TEST(Layout, FillsNodesFirst) {
  EXPECT_EQ(layout_of(1, 8).nodes, 1);
  EXPECT_EQ(layout_of(4, 8).ranks_per_node, 4);
  EXPECT_EQ(layout_of(8, 8).nodes, 1);
  EXPECT_EQ(layout_of(9, 8).nodes, 2);
  EXPECT_EQ(layout_of(1024, 8).nodes, 128);
  EXPECT_EQ(layout_of(2147483647, 8).nodes, 268435456);
  EXPECT_THROW(layout_of(0, 8), Error);
}

TEST(Topology, AllOfIt) {
  const Topology topology = parse_topology(
      R"({"about": "two of them", "ranks_per_node": 8, "links": {
          "intra_node": {"alpha_s": 5e-6, "bandwidth_GBps": 200},
          "inter_node": {"bandwidth_GBps": 25}}})",
      "t.json");
  EXPECT_EQ(topology.ranks_per_node, 8);
  EXPECT_EQ(topology.links[kIntraNode].alpha_s, 5e-6);
  EXPECT_DOUBLE_EQ(*topology.links[kIntraNode].s_per_byte, 5e-12);
  EXPECT_FALSE(topology.links[kInterNode].alpha_s);
  EXPECT_DOUBLE_EQ(*topology.links[kInterNode].s_per_byte, 4e-11);
}

TEST(Topology, EverythingMayBeLeftOut) {
  EXPECT_FALSE(parse_topology("{}", "t").ranks_per_node);
  EXPECT_EQ(parse_topology(R"({"links": {"inter_node": {"alpha_s": 0}}})", "t").links[1].alpha_s,
            0);
}

TEST(Topology, WhatIsRefused) {
  for (const char* text :
       {"", "no JSON", "[]", R"({"links": []})", R"({"nodes": 2})", R"({"ranks_per_node": 0})",
        R"({"ranks_per_node": 1.5})", R"({"ranks_per_node": 99999999999})",
        R"({"ranks_per_node": 4, "ranks_per_node": 8})", R"({"links": {"nvlink": {}}})",
        R"({"links": {"inter_node": {"bandwidth_GBps": 0}}})",
        R"({"links": {"inter_node": {"bandwidth_GBps": "fast"}}})",
        R"({"links": {"inter_node": {"alpha_s": -1}}})",
        R"({"links": {"inter_node": {"alpha_s": 1, "alpha_s": 2}}})"}) {
    try {
      parse_topology(text, "t.json");
      FAIL() << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.record().exit_code, ExitCode::kConfiguration) << text;
      EXPECT_NE(error.record().what.find("t.json"), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace scalemark::prediction
