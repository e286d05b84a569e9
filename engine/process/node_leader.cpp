#include "engine/process/node_leader.h"

#include <algorithm>

namespace scalemark::process {

bool leads_node(const RankContext& context) {
  const auto& nodes = context.node_of_rank();
  const auto first = std::ranges::find(nodes, context.world().node);
  return first - nodes.begin() == context.world().rank;
}

}  // namespace scalemark::process
