#include "core/prediction/allreduce.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace scalemark::prediction {
namespace {

constexpr double kChunkBytes = 512.0 * 1024;
constexpr double kMostChunks = 64;

int depth_of(int ranks) { return std::bit_width(static_cast<unsigned>(ranks)) - 1; }

CostTerms ring_terms(Layout layout, double payload_bytes) {
  const double within = 2.0 * (layout.ranks_per_node - 1), between = 2.0 * (layout.nodes - 1);
  return {.messages = {within, between},
          .bytes = {within * payload_bytes / layout.ranks_per_node,
                    between * payload_bytes / layout.nodes}};
}

CostTerms tree_terms(Layout layout, double payload_bytes, int chunks) {
  std::array<double, kLevels> messages = {2.0 * depth_of(layout.ranks_per_node),
                                          2.0 * depth_of(layout.nodes)};
  if (layout.nodes * layout.ranks_per_node > 1) {
    messages[layout.nodes > 1 ? kInterNode : kIntraNode] += 2.0 * (chunks - 1);
  }
  const double piece = payload_bytes / chunks;
  return {.messages = messages, .bytes = {messages[0] * piece, messages[1] * piece}};
}

}  // namespace

CostTerms allreduce_terms(Algorithm algorithm, Layout layout, double payload_bytes, int chunks) {
  return algorithm == Algorithm::kRing ? ring_terms(layout, payload_bytes)
                                       : tree_terms(layout, payload_bytes, chunks);
}

double cost_s(const CostTerms& terms, const std::array<Link, kLevels>& links) {
  double cost = 0;
  for (std::size_t level = 0; level < kLevels; ++level) {
    cost +=
        terms.messages[level] * links[level].alpha_s + terms.bytes[level] * links[level].s_per_byte;
  }
  return cost;
}

int chunks_of(double payload_bytes) {
  return static_cast<int>(std::clamp(std::round(payload_bytes / kChunkBytes), 1.0, kMostChunks));
}

}  // namespace scalemark::prediction
