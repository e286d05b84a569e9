#include "engine/communicating/links/link_group.h"

#include <algorithm>
#include <set>

#include "engine/process/group_guard.h"

namespace scalemark::communicating {

using distributed::ErrorStore;

std::vector<int> node_leaders(const std::vector<int>& node_of_rank) {
  std::set<int> seen;
  std::vector<int> leaders;
  for (std::size_t rank = 0; rank < node_of_rank.size(); ++rank) {
    if (seen.insert(node_of_rank[rank]).second) leaders.push_back(static_cast<int>(rank));
  }
  return leaders;
}

bool with_link_group(process::RankContext& context, const std::string& name,
                     const std::vector<int>& members, const std::string& backend,
                     const std::function<void(const LinkGroup&)>& body) {
  const int me = context.world().rank;
  if (std::ranges::find(members, me) == members.end()) return false;
  process::RankGroup rank_group(context, name, members, backend, ErrorStore::kCauseLimit);
  process::GroupGuard guard(rank_group, ErrorStore::kCauseLimit);
  const bool many_nodes = rank_group.world().nodes > 1;
  guard.run([&] { return context.error_store().has_cause(); },
            [&] {
              const std::string mine = many_nodes ? context.host() : "rank " + std::to_string(me);
              body({rank_group, rank_group.control().gather(mine)});
            });
  rank_group.control().barrier();
  rank_group.finish();
  rank_group.close();
  return true;
}

}  // namespace scalemark::communicating
