#include "engine/communicating/links/pairs_run.h"

#include "engine/communicating/links/link_group.h"
#include "engine/communicating/links/pair_rounds.h"

namespace scalemark::communicating {
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

}  // namespace

MeasuredPairs run_pairs(process::RankContext& context, const std::string& name,
                        const planning::PairPlan& plan, const std::function<void()>& between) {
  auto members = node_leaders(context.node_of_rank());
  MeasuredPairs measured;
  measured.between_nodes = members.size() > 1;
  if (!measured.between_nodes) members = process::all_ranks(context.world());
  with_link_group(context, name, members, plan.backend, [&](const LinkGroup& group) {
    measured.names = group.names;
    for (const PairTimes& pair : measure_pairs(group.rank_group, plan.passes, {}, between)) {
      measured.pairs.push_back(samples_of(pair));
    }
  });
  return measured;
}

}  // namespace scalemark::communicating
