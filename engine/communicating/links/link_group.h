// The group over which links are measured: one rank of each node, or where there is one node, all
// of its ranks.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine/process/rank_group.h"

namespace scalemark::communicating {

// The first rank of each node, ascending.
std::vector<int> node_leaders(const std::vector<int>& node_of_rank);

struct LinkGroup {
  process::RankGroup& rank_group;
  std::vector<std::string> names;  // of its ranks, on rank 0: hosts, or "rank 3" on one node
};

// Collective over the session: the members open a group, call `body` and close the group. False on
// a rank that is no member. Throws what a collective throws when a member is gone.
bool with_link_group(process::RankContext& context, const std::string& name,
                     const std::vector<int>& members, const std::string& backend,
                     const std::function<void(const LinkGroup&)>& body);

}  // namespace scalemark::communicating
