#include "tools/prediction/simulator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "core/base/error.h"
#include "core/prediction/allreduce.h"

namespace scalemark::prediction {
namespace {

constexpr Link kWithin{1e-5, 1e-9}, kBetween{5e-5, 1e-8};

SimulatedNetwork network(int nodes, int ranks_per_node) {
  return {{nodes, ranks_per_node}, kWithin, kBetween};
}

std::vector<double> together(const SimulatedNetwork& network) {
  return std::vector<double>(
      static_cast<std::size_t>(network.layout.nodes) * network.layout.ranks_per_node, 0.0);
}

double formula(Algorithm algorithm, Layout layout, double bytes, int chunks = 1) {
  return cost_s(allreduce_terms(algorithm, layout, bytes, chunks), {kWithin, kBetween});
}

TEST(Simulator, TwoRanksByHand) {  // each sends half, twice: 2 (10 us + 500 us)
  const auto run = simulate_ring(network(1, 2), 1e6, {0, 0});
  EXPECT_NEAR(run.finished_s, 1.02e-3, 1e-15);
  EXPECT_EQ(run.messages, 4u);
  const auto late = simulate_ring(network(1, 2), 1e6, {0, 0.25});
  EXPECT_NEAR(late.finished_s, 0.25 + 1.02e-3, 1e-12);
}

TEST(Simulator, OneRankIsDoneWhenItIsReady) {
  EXPECT_EQ(simulate_ring(network(1, 1), 1e6, {0.5}).finished_s, 0.5);
  EXPECT_EQ(simulate_tree(network(1, 1), 1e6, 4, {0.5}).finished_s, 0.5);
}

TEST(Simulator, RingsAgreeWithTheFormula) {
  for (const int nodes : {1, 2, 3, 16}) {
    for (const int ranks : {1, 2, 3, 8, 17}) {
      for (const double bytes : {0.0, 1.0, 1e6, 1e9}) {
        const auto net = network(nodes, ranks);
        const auto run = simulate_ring(net, bytes, together(net));
        const double expected = formula(Algorithm::kRing, net.layout, bytes);
        EXPECT_NEAR(run.finished_s, expected, 1e-12 * expected) << nodes << " x " << ranks;
        const std::uint64_t steps = 2 * (ranks - 1) + 2 * (nodes - 1);
        EXPECT_EQ(run.messages, steps * nodes * ranks);
      }
    }
  }
}

TEST(Simulator, TreesAgreeWithTheFormula) {
  for (const int nodes : {1, 2, 3, 16}) {
    for (const int ranks : {1, 2, 3, 8, 17}) {
      for (const int chunks : {1, 2, 16}) {
        const auto net = network(nodes, ranks);
        const auto run = simulate_tree(net, 1e6, chunks, together(net));
        const double expected = formula(Algorithm::kTree, net.layout, 1e6, chunks);
        EXPECT_NEAR(run.finished_s, expected, 1e-12 * expected) << nodes << " x " << ranks;
        EXPECT_EQ(run.messages, 2u * chunks * (nodes * ranks - 1));
      }
    }
  }
}

// Everything waits for the last rank and then for nothing else: derived by hand, not by the
// formula.
TEST(Simulator, OneLateRankDelaysARingByExactlyItsDelay) {
  const auto net = network(1, 9);
  const double on_time = simulate_ring(net, 1e6, together(net)).finished_s;
  for (const std::size_t late : {0u, 4u, 8u}) {
    auto ready = together(net);
    ready[late] = 0.3;
    EXPECT_NEAR(simulate_ring(net, 1e6, ready).finished_s, 0.3 + on_time, 1e-12);
  }
}

// In a tree a late root has its children's pieces already: it costs less than delay plus all.
TEST(Simulator, ALateRootOfATreeFindsTheReductionDone) {
  const auto net = network(1, 15);
  const double on_time = simulate_tree(net, 1e6, 4, together(net)).finished_s;
  auto ready = together(net);
  ready[0] = 0.3;
  EXPECT_NEAR(simulate_tree(net, 1e6, 4, ready).finished_s, 0.3 + on_time / 2, 1e-12);
  ready[0] = 0;
  ready[14] = 0.3;  // a leaf: both ways are still to go
  EXPECT_NEAR(simulate_tree(net, 1e6, 4, ready).finished_s, 0.3 + on_time, 1e-12);
}

// A link twice as slow carries every one of the 2 (N - 1) messages of its rank: the ring is as
// slow.
TEST(Simulator, OneSlowLinkSlowsTheWholeRing) {
  const auto net = network(1, 6);
  std::vector<double> slowdown(6, 1.0);
  slowdown[2] = 2;
  EXPECT_NEAR(simulate_ring(net, 1e6, together(net), slowdown).finished_s,
              2 * simulate_ring(net, 1e6, together(net)).finished_s, 1e-12);
}

// A rank that gets ready earlier, or a payload that grows, never changes the end the wrong way.
TEST(Simulator, IsMonotone) {
  std::mt19937 random(3);
  std::exponential_distribution<double> delay(1000);
  const auto net = network(3, 4);
  for (int trial = 0; trial < 50; ++trial) {
    auto ready = together(net);
    for (double& value : ready) value = delay(random);
    const auto run = simulate_ring(net, 1e6, ready);
    const auto tree = simulate_tree(net, 1e6, 8, ready);
    const double last = *std::max_element(ready.begin(), ready.end());
    EXPECT_GE(run.finished_s, last);
    EXPECT_LE(run.finished_s, last + formula(Algorithm::kRing, net.layout, 1e6) + 1e-12);
    EXPECT_LE(tree.finished_s, last + formula(Algorithm::kTree, net.layout, 1e6, 8) + 1e-12);
    ready[trial % 12] *= 0.5;
    EXPECT_LE(simulate_ring(net, 1e6, ready).finished_s, run.finished_s);
    EXPECT_LE(simulate_tree(net, 1e6, 8, ready).finished_s, tree.finished_s);
  }
}

TEST(Simulator, RefusesNonsense) {
  EXPECT_THROW(simulate_ring(network(1, 2), 1e6, {0}), Error);
  EXPECT_THROW(simulate_ring(network(1, 2), -1, {0, 0}), Error);
  EXPECT_THROW(simulate_ring(network(1, 2), 1e6, {0, NAN}), Error);
  EXPECT_THROW(simulate_ring(network(1, 2), 1e6, {0, 0}, {1}), Error);
  EXPECT_THROW(simulate_tree(network(1, 2), 1e6, 0, {0, 0}), Error);
  EXPECT_THROW(simulate_tree(network(0, 2), 1e6, 1, {}), Error);
}

}  // namespace
}  // namespace scalemark::prediction
