// Which claims a machine can answer, found before anything is run.
#include <algorithm>

#include "claims/judge/claims.h"
#include "claims/rows/mapping.h"
#include "claims/rows/show.h"
#include "core/base/text.h"

namespace scalemark::claims {
namespace {

using published::MappedPoint;
using published::NamedTable;
using published::Row;
using reporting::ClaimRecord;
using reporting::ClaimVerdict;

bool trains_in(const Machine& machine, const std::string& precision) {
  return std::ranges::count(machine.precisions, precision) > 0;
}

// A change is measured at the claim's number of ranks, else at the most that there are.
bool can_compare(const Machine& machine, const Row& row) {
  const published::Relative& to = *row.relative_to;
  const bool needs_gpu = row.metric == "memory_bytes" || to.option == "pin_memory" ||
                         row.backend == "nccl" ||
                         (to.option == "backend" && (to.from == "nccl" || to.to == "nccl"));
  if (needs_gpu && machine.gpus == 0) return false;
  if (to.option == "precision") return trains_in(machine, *to.from) && trains_in(machine, *to.to);
  return to.option != "world_sizes";  // each has its own speed-up, and nothing else is compared
}

// Whether a run here gives the claim on `metric` of a row a verdict.
bool can_answer(const Machine& machine, const Row& row, const std::string& metric,
                const MappedPoint& point) {
  if (row.relative_to && row.relative_to->option) return can_compare(machine, row);
  if (point.world_size.value_or(1) > machine.ranks) return false;
  const bool precision = point.precisions.empty() ||
                         std::ranges::any_of(point.precisions, [&](const std::string& one) {
                           return trains_in(machine, one);
                         });
  if (metric == "speedup") {
    return machine.scaled_down || (precision && (machine.gpus > 0 || point.chip.empty()));
  }
  const bool same_chip =
      point.chip.empty() ? machine.gpus > 0 || point.on_cpus : point.chip == machine.chip;
  return same_chip && precision && (row.collective || !machine.scaled_down);
}

std::string counts_of(const std::set<std::int64_t>& counts) {
  std::vector<std::string> texts;
  for (const std::int64_t count : counts) texts.push_back(std::to_string(count));
  return listed(texts, 8) + (counts.size() == 1 && counts.contains(1) ? " rank" : " ranks");
}

}  // namespace

Answerable answerable_on(const Machine& machine, const std::vector<NamedTable>& tables) {
  Answerable found;
  for (const NamedTable& table : tables) {
    const auto bases = published::bases_of(table);
    std::set<const Row*> kept;
    for (const ClaimRecord& claim : judge({table}, {})) {
      ++found.all;
      const Row* row = find_row(table, claim.row);
      const auto point = published::map_row(*row).point;
      const bool is_counted =
          claim.verdict == ClaimVerdict::kConfirmed || claim.verdict == ClaimVerdict::kRefuted;
      if (is_counted) ++found.claims;
      if (is_counted || !point || claim.verdict == ClaimVerdict::kNotTestable) continue;
      const bool most = row->collective || (row->relative_to && row->relative_to->option);
      const std::int64_t asked = point->world_size.value_or(most ? machine.ranks : 1);
      if (!can_answer(machine, *row, claim.metric, *point)) {
        if (claim.metric != "throughput" || !machine.scaled_down) found.wanted.insert(asked);
        continue;
      }
      ++found.claims;
      found.ranks.insert(std::min(asked, machine.ranks));
      kept.insert(row);
      if (claim.metric != "speedup") continue;
      const auto base = bases.find(row->id);
      const Row* below = base != bases.end() ? base->second : nullptr;
      if (row->relative_to && row->relative_to->row)
        below = find_row(table, *row->relative_to->row);
      found.ranks.insert(below ? below->gpus.value_or(1) : 1);
      if (below) kept.insert(below);
    }
    NamedTable left = table;
    std::erase_if(left.rows, [&](const Row* row) { return !kept.contains(row); });
    if (!left.rows.empty()) found.runs.push_back(std::move(left));
  }
  return found;
}

std::string answerable_text(const Machine& machine, const Answerable& found) {
  const std::string of = std::to_string(found.claims) + " of " + counted(found.all, "claim");
  if (found.claims > 0) {
    return of + " can be answered here, " +
           (found.ranks.empty() ? "counted without a run" : "on " + counts_of(found.ranks));
  }
  const bool one = found.all == 1;
  const std::string none =
      (one ? "its one claim cannot" : "none of its " + counted(found.all, "claim") + " can") +
      " be answered here";
  if (found.wanted.empty()) return none;
  const std::string need = none + (one ? ": it needs " : ": they need ");
  if (*found.wanted.begin() > machine.ranks)
    return need + counts_of(found.wanted) + ", and here are " + std::to_string(machine.ranks);
  return need + (machine.gpus == 0 ? "GPUs" : "other GPUs");
}

Elsewhere elsewhere(Machine machine, const std::vector<NamedTable>& tables) {
  const std::string why = published::testability(tables.front(), {}).why;
  machine.scaled_down = true;
  const Answerable smaller = answerable_on(machine, tables);
  Elsewhere found{.where = why.empty() ? "as it is this table needs another machine"
                                       : "this table is of " + why,
                  .instead = answerable_text(machine, smaller),
                  .compares = !smaller.runs.empty()};
  if (found.compares) found.instead = "--scale-down compares its ratios here: " + found.instead;
  return found;
}

}  // namespace scalemark::claims
