#include "core/collectives/ring_terms.h"

#include <bit>

#include "core/base/error.h"

namespace scalemark::collectives {
namespace {

CostTerms allreduce_terms(Layout layout, double bytes) {
  const double within = 2.0 * (layout.ranks_per_node - 1), between = 2.0 * (layout.nodes - 1);
  return {.messages = {within, between},
          .bytes = {within * bytes / layout.ranks_per_node, between * bytes / layout.nodes}};
}

CostTerms half_of(CostTerms terms) {
  for (std::size_t level = 0; level < kLevels; ++level) {
    terms.messages[level] /= 2;
    terms.bytes[level] /= 2;
  }
  return terms;
}

CostTerms chain_terms(Layout layout, double bytes) {
  const double within = layout.ranks_per_node - 1, between = layout.nodes - 1;
  return {.messages = {within, between},
          .bytes = {within > 0 ? bytes : 0, between > 0 ? bytes : 0}};
}

CostTerms gather_terms(Layout layout, double share) {
  const double within = layout.ranks_per_node - 1;
  const double between = layout.ranks_per_node * (layout.nodes - 1);
  return {.messages = {within, between}, .bytes = {within * share, between * share}};
}

CostTerms all_to_all_terms(Layout layout, double share) {
  CostTerms terms = gather_terms(layout, share);
  terms.bytes[kInterNode] *= layout.ranks_per_node;
  return terms;
}

CostTerms shift_terms(Layout layout, double bytes) {
  CostTerms terms;
  const auto level = layout.nodes > 1 ? kInterNode : kIntraNode;
  if (layout.nodes * layout.ranks_per_node > 1) {
    terms.messages[level] = 1;
    terms.bytes[level] = bytes;
  }
  return terms;
}

double doublings(int ranks) { return std::bit_width(static_cast<unsigned>(ranks - 1)); }

}  // namespace

double cost_s(const CostTerms& terms, const Links& links) {
  double cost = 0;
  for (std::size_t level = 0; level < kLevels; ++level) {
    cost +=
        terms.messages[level] * links[level].alpha_s + terms.bytes[level] * links[level].s_per_byte;
  }
  return cost;
}

CostTerms ring_terms(Collective collective, Layout layout, double bytes) {
  const double share = bytes / (layout.nodes * layout.ranks_per_node);
  switch (collective) {
    case Collective::kAllReduce:
      return allreduce_terms(layout, bytes);
    case Collective::kAllGather:
    case Collective::kReduceScatter:
      return half_of(allreduce_terms(layout, bytes));
    case Collective::kBroadcast:
    case Collective::kReduce:
      return chain_terms(layout, bytes);
    case Collective::kGather:
      return gather_terms(layout, share);
    case Collective::kAllToAll:
      return all_to_all_terms(layout, share);
    case Collective::kSendRecv:
      return shift_terms(layout, bytes);
    case Collective::kBarrier:
      return {.messages = {doublings(layout.ranks_per_node), doublings(layout.nodes)}};
  }
  throw bug("a collective without a cost");
}

}  // namespace scalemark::collectives
