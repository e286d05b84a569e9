#include "core/launch/world.h"

#include <algorithm>
#include <numeric>

#include "core/base/error.h"
#include "core/base/record_json.h"
#include "core/base/strict_json.h"

namespace scalemark {

template <class A>
constexpr void fields(A& a, typename A::template Field<Terminal>& t) {
  a("is_terminal", t.is_terminal, {});
  a("columns", t.columns, {});
  a("rows", t.rows, {});
  a("colour", t.colour, {});
}

}  // namespace scalemark

namespace scalemark::launching {

int first_rank_of(const NodePlan& plan) {
  const auto& ranks = plan.ranks_of_nodes;
  if (ranks.empty()) return plan.node_rank * plan.nproc_per_node;
  return std::accumulate(ranks.begin(), ranks.begin() + plan.node_rank, 0);
}

int world_size_of(const NodePlan& plan) {
  const auto& ranks = plan.ranks_of_nodes;
  if (ranks.empty()) return plan.nnodes * plan.nproc_per_node;
  return std::accumulate(ranks.begin(), ranks.end(), 0);
}

template <class A>
constexpr void fields(A& a, typename A::template Field<World>& w) {
  a("rank", w.rank, {});
  a("world_size", w.world_size, {});
  a("local_rank", w.local_rank, {});
  a("local_world_size", w.local_world_size, {});
  a("node", w.node, {});
  a("nodes", w.nodes, {});
  a("launcher", w.launcher, {});
  a("detected_from", w.detected_from, {});
  a("assumes_node", w.assumes_node, {});
  a("node_list", w.node_list, {});
}

template <class A>
constexpr void fields(A& a, typename A::template Field<Rendezvous>& r) {
  a.choice("kind", r.kind, {});
  a("host", r.host, {});
  a("port", r.port, {});
  a("file", r.file, {});
  a("agent_store", r.agent_store, {});
  a("listen_fd", r.listen_fd, {});
  a("run_id", r.run_id, {});
  a("store_id", r.store_id, {});
  a("secret", r.secret, {});
}

template <class A>
constexpr void fields(A& a, typename A::template Field<RankSpec>& s) {
  a("world", s.world, {});
  a("rendezvous", s.rendezvous, {});
  a("error_file", s.error_file, {});
  a("terminal", s.terminal, {});
  a("output", s.output, {});
  a("ignored_signals", s.ignored_signals, {});
}

std::string to_json(const RankSpec& spec) { return dumped(as_json(spec, "rank")); }

std::vector<int> nodes_of(const std::vector<RankPlace>& ranks) {
  const bool numbered =
      std::ranges::all_of(ranks, [](const auto& rank) { return rank.node.has_value(); });
  std::map<std::string, int> machines;
  std::vector<int> nodes;
  for (const RankPlace& rank : ranks) {
    const auto next = static_cast<int>(machines.size());
    nodes.push_back(numbered ? *rank.node : machines.try_emplace(rank.machine, next).first->second);
  }
  return nodes;
}

RankSpec parse_rank_spec(std::string_view json) {
  const auto damaged = [](const std::string& seen) {
    return configuration(std::string(kRankSpecVariable) + " is malformed: " + seen,
                         "only the built-in launcher sets it", "unset it");
  };
  RankSpec spec;
  try {
    spec = record_in<RankSpec>(FieldJson::parse(json), "rank");
  } catch (const FieldJson::exception& error) {
    throw damaged(without_library_name(error.what()));
  } catch (const Error& error) {
    throw damaged(error.record().what);
  }
  const World& world = spec.world;
  const auto is_place = [](int number, int count) { return number >= 0 && number < count; };
  if (!is_place(world.rank, world.world_size) ||
      !is_place(world.local_rank, world.local_world_size) || !is_place(world.node, world.nodes) ||
      spec.rendezvous.listen_fd.value_or(0) < 0) {
    throw damaged("no rank has such a place");
  }
  return spec;
}

}  // namespace scalemark::launching
