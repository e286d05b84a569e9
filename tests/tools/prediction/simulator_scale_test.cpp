// Thousands of ranks with stragglers, in seconds. SCALEMARK_SOAK=full makes the flat ring one of
// 10,000 ranks: 200 million messages.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <random>
#include <string>

#include "core/prediction/allreduce.h"
#include "tools/prediction/simulator.h"

namespace scalemark::prediction {
namespace {

constexpr double kBytes = 1e8;

std::vector<double> with_stragglers(int ranks) {
  std::mt19937 random(11);
  std::lognormal_distribution<double> compute(-2.3, 0.03);  // 0.1 s, 3 % apart
  std::vector<double> ready(static_cast<std::size_t>(ranks));
  for (double& value : ready) value = compute(random);
  for (std::size_t rank = 7; rank < ready.size(); rank += 500) ready[rank] *= 1.5;
  return ready;
}

void runs_in_seconds(Layout layout) {
  const SimulatedNetwork network{layout, {3e-6, 5e-12}, {1e-5, 4e-11}};
  const auto ready = with_stragglers(layout.nodes * layout.ranks_per_node);
  const double last = *std::max_element(ready.begin(), ready.end());
  const auto cost = [&](Algorithm algorithm) {
    return cost_s(allreduce_terms(algorithm, layout, kBytes, 64),
                  {network.intra_node, network.inter_node});
  };
  const std::clock_t begin = std::clock();  // of this process: others on the machine don't count
  const auto ring = simulate_ring(network, kBytes, ready);
  const auto tree = simulate_tree(network, kBytes, 64, ready);
  const double took_s = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  const double millions = static_cast<double>(ring.messages + tree.messages) / 1e6;
  std::printf(
      "%d x %d ranks: %.1f million messages in %.2f s of CPU time; ring %.4f s, tree %.4f s, last "
      "ready %.4f s\n",
      layout.nodes, layout.ranks_per_node, millions, took_s, ring.finished_s, tree.finished_s,
      last);
  for (const auto& [run, formula] :
       {std::pair(&ring, cost(Algorithm::kRing)), std::pair(&tree, cost(Algorithm::kTree))}) {
    EXPECT_GE(run->finished_s, last);
    EXPECT_LE(run->finished_s, last + formula + 1e-9);
  }
}

TEST(SimulatorScale, AThousandRanksOnOneRing) { runs_in_seconds({1, 1000}); }
TEST(SimulatorScale, TenThousandRanksOnNodesOfEight) { runs_in_seconds({1250, 8}); }

TEST(SimulatorScale, TenThousandRanksOnOneRing) {
  const char* soak = std::getenv("SCALEMARK_SOAK");
  const bool full = soak && std::string(soak) == "full";
  runs_in_seconds({1, full ? 10'000 : 2'000});
}

}  // namespace
}  // namespace scalemark::prediction
