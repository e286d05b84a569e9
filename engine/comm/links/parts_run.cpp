#include "engine/comm/links/parts_run.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <tuple>
#include <utility>

#include "core/base/wire.h"
#include "engine/comm/links/pairs_run.h"
#include "engine/process/machines.h"
#include "report/record/report.h"

namespace scalemark::communicating {
namespace {

using planning::CollectivePoint;

// The place of a run among divisions, runs and parts, and what it gave.
struct RunOfPart {
  std::size_t division = 0;
  int repetition = 0;
  std::size_t part = 0;
  std::string started;
  CollectiveOutcome outcome;
  auto place() const { return std::tuple(division, repetition, part); }
};
template <class A>
constexpr void fields(A& a, typename A::template Field<RunOfPart>& r) {
  a.values(r.division, r.repetition, r.part, r.started, r.outcome);
}

// Collective over the ranks of a part. Its own group waits for the other parts before each run.
std::vector<RunOfPart> measure_part(process::RankContext& context, process::RankGroup& rank_group,
                                    const CollectivePoint& point, std::size_t division,
                                    const std::function<void()>& between) {
  std::vector<RunOfPart> runs;
  auto& telemetry = process::fresh_telemetry(context, rank_group.leads_node());
  const Surroundings around{.rank_group = rank_group, .between = between, .telemetry = &telemetry};
  for (int repetition = 0; repetition < planning::kRunsOfParts; ++repetition) {
    context.control().barrier();
    RunOfPart& run = runs.emplace_back();
    run.division = division;
    run.repetition = repetition;
    run.part = static_cast<std::size_t>(point.part);
    run.started = reporting::utc_now();
    run.outcome = measure(point, around);
    context.device().release_cached_memory();
  }
  if (rank_group.world().rank != 0) runs.clear();
  return runs;
}

}  // namespace

std::vector<MeasuredPart> measure_parts(process::RankContext& context,
                                        const std::vector<std::vector<CollectivePoint>>& divisions,
                                        const std::function<void()>& between) {
  std::vector<RunOfPart> mine;
  for (std::size_t division = 0; division < divisions.size(); ++division) {
    for (const CollectivePoint& point : divisions[division]) {
      const std::string name = "division " + std::to_string(division) + ", " + point.group;
      with_link_group(context, name, point.members, point.backend, [&](const LinkGroup& group) {
        std::ranges::move(measure_part(context, group.rank_group, point, division, between),
                          std::back_inserter(mine));
      });
    }
  }
  std::vector<RunOfPart> all;
  for (const std::string& bytes : context.control().gather(to_wire(mine))) {
    std::ranges::move(from_wire<std::vector<RunOfPart>>(bytes), std::back_inserter(all));
  }
  std::ranges::sort(all, {}, &RunOfPart::place);
  std::vector<MeasuredPart> measured;
  for (RunOfPart& run : all) {
    measured.push_back({.point = divisions[run.division].at(run.part),
                        .repetition = run.repetition,
                        .started = std::move(run.started),
                        .outcome = std::move(run.outcome)});
  }
  return measured;
}

}  // namespace scalemark::communicating
