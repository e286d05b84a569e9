#include "engine/comm/links/pairs_run.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "core/plan/collectives/collective_plan.h"
#include "engine/comm/links/pair_rounds.h"
#include "engine/process/machines.h"
#include "engine/process/rank_group.h"
#include "report/judge/collectives/collectives.h"
#include "report/record/rank_fields.h"

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

namespace {

reporting::PairSamples samples_of(const PairTimes& pair) {
  reporting::PairSamples samples{.a = pair.a, .b = pair.b};
  for (const LinkTime& pass : pair.passes) {
    samples.latency_s.push_back(pass.latency_s);
    samples.quickest_s.push_back(pass.quickest_s);
    samples.bytes_per_s.push_back(pass.bytes_per_s);
  }
  return samples;
}

struct Links {
  std::vector<int> members;  // ranks of the world, ascending
  Rounds rounds;
  bool between_nodes = false, by_rank = false;
};

Links links_of(const process::RankContext& context, const planning::PairPlan& plan) {
  const auto& node_of_rank = context.node_of_rank();
  Links links{.members = node_leaders(node_of_rank), .rounds = {}};
  const auto ranks = static_cast<int>(node_of_rank.size());
  const auto nodes = std::ssize(links.members);
  links.between_nodes = nodes > 1;
  // Where each node has one rank, pairs of ranks and pairs of nodes are the same, and the node is
  // the shorter name.
  links.by_rank = plan.by == settings::PairBy::kRank && links.between_nodes && ranks > nodes;
  if (links.by_rank) {
    links.rounds = planning::rail_rounds(node_of_rank, plan.seed);
    std::set<int> members;
    for (const auto& round : links.rounds) {
      for (const auto& [a, b] : round) members.insert({a, b});
    }
    links.members.assign(members.begin(), members.end());
    for (auto& round : links.rounds) {
      for (auto& [a, b] : round) {
        const auto place = [&](int rank) {
          return static_cast<int>(std::ranges::lower_bound(links.members, rank) -
                                  links.members.begin());
        };
        a = place(a), b = place(b);
        if (a > b) std::swap(a, b);
      }
    }
    return links;
  }
  if (!links.between_nodes) links.members = distributed::all_ranks(context.world().world_size);
  links.rounds = planning::pair_rounds(static_cast<int>(links.members.size()), plan.seed);
  return links;
}

// Collective. The result is on rank 0 of the group; empty on the others.
std::vector<reporting::LinkEnd> ends_of(const LinkGroup& group, const Links& links,
                                        const std::vector<int>& node_of_rank,
                                        const std::string& device) {
  const auto devices = group.rank_group.control().gather(device);
  std::vector<reporting::LinkEnd> ends;
  std::map<int, int> ranks_seen;  // counts the ranks of each node
  for (std::size_t i = 0; i < group.names.size(); ++i) {
    reporting::LinkEnd& end = ends.emplace_back(reporting::LinkEnd{.name = group.names[i]});
    if (!links.by_rank) continue;
    end.rank = links.members[i];
    end.device = devices[i];
    end.rail = ranks_seen[node_of_rank[static_cast<std::size_t>(*end.rank)]]++;
  }
  return ends;
}

// Collective, likewise.
std::vector<monitoring::NcclChoice> nccl_of(const process::RankContext& context,
                                            const LinkGroup& group, const Links& links,
                                            process::NcclLog& nccl_log) {
  std::vector<int> node_of_member;
  for (const int rank : links.members)
    node_of_member.push_back(context.node_of_rank()[static_cast<std::size_t>(rank)]);
  return distributed::gathered(group.rank_group.control(),
                               nccl_log.choice(context.host(), node_of_member));
}

}  // namespace

MeasuredPairs run_pairs(process::RankContext& context, const std::string& name,
                        const planning::PairPlan& plan, process::NcclLog& nccl_log,
                        const std::function<void()>& between) {
  const Links links = links_of(context, plan);
  MeasuredPairs measured;
  measured.between_nodes = links.between_nodes;
  nccl_log.skip();
  with_link_group(context, name, links.members, plan.backend, [&](const LinkGroup& group) {
    measured.ends = ends_of(group, links, context.node_of_rank(), context.device().name());
    auto& telemetry = process::fresh_telemetry(context, group.rank_group.leads_node());
    const auto begun = std::chrono::steady_clock::now();
    telemetry.begin();
    for (const PairTimes& pair :
         measure_pairs(group.rank_group, links.rounds, plan.passes,
                       LinkEffort::between(context.device().torch_device().is_cuda()), between)) {
      measured.pairs.push_back(samples_of(pair));
    }
    process::wait_until_watched(group.rank_group.world().local_world_size, begun);
    telemetry.end();
    measured.readings =
        distributed::gathered(group.rank_group.control(), process::readings(context));
    telemetry.clear();
    if (group.rank_group.backend() == "nccl")
      measured.nccl = nccl_of(context, group, links, nccl_log);
  });
  return measured;
}

namespace {

reporting::LinkRecord record_of(const PairTimes& pair, const std::vector<std::string>& names) {
  const LinkTime& time = pair.passes.front();
  return {.a = names[static_cast<std::size_t>(pair.a)],
          .b = names[static_cast<std::size_t>(pair.b)],
          .latency_s = time.latency_s,
          .bandwidth_GBps = time.bytes_per_s / 1e9};
}

}  // namespace

void report_host_ring(process::RankContext& context, const std::string& backend,
                      process::RunReport& report, const std::function<void()>& between) {
  const auto leaders = node_leaders(context.node_of_rank());
  if (leaders.size() < 2) return;
  std::vector<reporting::LinkRecord> links;
  with_link_group(context, "links", leaders, backend, [&](const LinkGroup& group) {
    for (const PairTimes& pair : measure_ring(group.rank_group, {.transfers_s = 0.2}, between)) {
      links.push_back(record_of(pair, group.names));
    }
  });
  if (report.writer() == nullptr) return;
  auto findings = reporting::findings_of_links(links);
  report.writer()->add_links(std::move(links), std::move(findings));
}

}  // namespace scalemark::communicating
