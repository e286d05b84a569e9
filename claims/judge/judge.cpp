// Compares published rows with the runs that test them: each claim gets its measured number and a
// verdict.

#include <algorithm>
#include <cmath>
#include <map>

#include "claims/judge/band.h"
#include "claims/judge/claims.h"
#include "claims/rows/mapping.h"
#include "claims/rows/names.h"
#include "core/base/number_words.h"
#include "core/base/text.h"

namespace scalemark::claims {
namespace {

using published::MappedPoint;
using published::Mapping;
using published::NamedTable;
using published::Row;
using reporting::ClaimBasis;
using reporting::ClaimRecord;
using reporting::ClaimVerdict;

// A claim that names no chip holds for any GPU, and one on Gloo or MPI for a CPU, too. A run with
// another count of ranks measures another machine.
ClaimBasis basis_of(const Measured& measured, const MappedPoint& point) {
  if (measured.scaled_down) return ClaimBasis::kScaledDown;
  const auto here = published::chip_in(measured.device_name);
  const bool on_gpu = !measured.device_name.empty() && measured.device_name != "cpu";
  const bool same_chip =
      point.chip.empty() ? on_gpu || point.on_cpus : here && here->name == point.chip;
  // Equal numbers of GPUs in one node and in several are two machines.
  const bool same_ranks = (!point.world_size || measured.world_size == *point.world_size) &&
                          (!point.nodes || measured.nodes == *point.nodes);
  if (!same_chip || !same_ranks) return ClaimBasis::kOtherHardware;
  return point.other_precision ? ClaimBasis::kOtherPrecision : ClaimBasis::kSameHardware;
}

void set_measured(ClaimRecord& claim, const Measured& measured, const Claimed& claimed,
                  const Tolerance& tolerance, const MappedPoint& point, bool is_rate) {
  claim.measured = measured.value;
  claim.measured_ci95_low = measured.low;
  claim.measured_ci95_high = measured.high;
  claim.ratio = measured.value / nearest_end(claimed, measured.value);
  claim.tolerance = tolerance.share;
  claim.tolerance_source = tolerance.source;
  claim.groups = measured.groups;
  if (!measured.disturbed_by.empty()) {
    claim.standing = {.level = reporting::kWithheld, .reason = measured.disturbed_by};
  }
  const ClaimBasis basis = basis_of(measured, point);
  claim.basis = name_of(basis);
  claim.verdict = verdict_of(measured, claimed, tolerance.share, basis, is_rate);
  if (claim.verdict == ClaimVerdict::kUndecided)
    claim.reason = what_would_decide(measured, claimed, tolerance.share);
  if (claim.verdict == ClaimVerdict::kNotJudged) {
    claim.reason =
        basis == ClaimBasis::kScaledDown ? "scaled down: shows the method, not the number"
        : basis == ClaimBasis::kOtherPrecision
            ? "the nearest precision: ratios only"
            : "other hardware (" + (measured.device_name.empty() ? "a CPU" : measured.device_name) +
                  "): ratios only";
  }
}

std::string what_of(const Row& row) {
  std::vector<std::string> parts;
  if (!row.workload.empty()) parts.push_back(row.workload);
  if (row.workload.empty() && row.collective) parts.push_back(*row.collective);
  if (row.backend) parts.push_back(*row.backend);
  if (!row.precision.empty()) parts.push_back(published::precision_text({row.precision}));
  if (row.gpus) parts.push_back(counted(*row.gpus, "GPU"));
  if (row.relative_to && row.relative_to->option) {
    const auto value = [](const std::string& text) { return text.empty() ? "unset" : text; };
    parts.push_back(*row.relative_to->option + " " + value(*row.relative_to->to) + " / " +
                    value(*row.relative_to->from));
  }
  return joined(parts, ", ");
}

ClaimRecord begun(const Row& row, const NamedTable& table, const std::string& metric,
                  const Claimed& claimed) {
  ClaimRecord claim;
  claim.row = row.id;
  claim.table = table.name;
  claim.source = row.repo + ", " + row.path;
  claim.what = what_of(row);
  claim.metric = metric;
  claim.claimed_low = claimed.low;
  claim.claimed_high = claimed.high;
  return claim;
}

ClaimRecord untestable(const Row& row, const NamedTable& table, const std::string& metric,
                       const Claimed& claimed, published::Untestable reason) {
  ClaimRecord claim = begun(row, table, metric, claimed);
  claim.verdict = ClaimVerdict::kNotTestable;
  claim.reason = std::string(name_of(reason)) + ": " + published::sentence_about(reason);
  return claim;
}

// Reports with fewer ranks than a claim needs cannot test it. Of others it is said what they lack:
// the network, then of its runs the precision, the ranks, and at last the batch.
void set_not_held(ClaimRecord& claim, const MappedPoint& point, Reports reports) {
  std::int64_t most = 0;
  bool in_precision = false, on_ranks = false;
  for (const reporting::Report& report : reports) {
    const bool any_precision =
        point.precisions.empty() || std::ranges::any_of(report.scaled_down, [](const auto& change) {
          return change.option == "precision";
        });
    for (const auto& run : report.points) {
      if (!point.workload.empty() && run.workload != point.workload) continue;
      most = std::max<std::int64_t>(most, run.world_size);
      const bool is_it = any_precision || std::ranges::count(point.precisions, run.precision) > 0;
      in_precision = in_precision || is_it;
      on_ranks = on_ranks || (is_it && run.world_size == point.world_size.value_or(1));
    }
  }
  const std::int64_t wanted = point.world_size.value_or(1);
  if (most > 0 && wanted > most) {
    claim.verdict = ClaimVerdict::kNotTestable;
    claim.reason = std::string(name_of(published::Untestable::kRanks)) + ": " +
                   std::to_string(wanted) + " are wanted, " + std::to_string(most) +
                   " were measured";
    return;
  }
  claim.reason = reports.empty() ? "nothing was run"
                 : most == 0     ? "no report trains " + point.workload
                 : !in_precision
                     ? "no report trains it in " + published::precision_text(point.precisions)
                 : !on_ranks ? "no report trains it on " + counted(wanted, "rank")
                             : "no report trains it with this batch, or several that differ fit";
}

// A change that no report compares: says whether the option was varied at all.
std::string not_compared(const Row& row, Reports reports) {
  const std::string& option = *row.relative_to->option;
  if (reports.empty()) return "nothing was run";
  const bool varied = std::ranges::any_of(reports, [&](const reporting::Report& report) {
    return std::ranges::any_of(report.effects,
                               [&](const auto& effect) { return effect.axis == option; });
  });
  return varied ? "no report compares these values of " + option + " for it"
                : "no report compares values of " + option;
}

// Where the source leaves the precision open, both are compared, and the nearer one is named.
template <class MeasuredOf>
std::optional<Measured> nearest_precision(const MappedPoint& point, double claimed,
                                          std::string& what, MeasuredOf measured_of) {
  std::optional<Measured> best;
  std::string name;
  const auto off = [&](const Measured& one) { return std::fabs(std::log(one.value / claimed)); };
  std::vector<std::string> precisions = point.precisions;
  if (precisions.empty()) precisions.emplace_back();
  for (const std::string& precision : precisions) {
    auto measured = measured_of(precision);
    if (!measured || !(measured->value > 0) || (best && off(*measured) >= off(*best))) continue;
    best = std::move(measured);
    name = precision;
  }
  if (best && precisions.size() > 1) what += " (as " + name + ")";
  return best;
}

ClaimRecord judge_rate(const Row& row, const NamedTable& table, const Mapping& mapping,
                       Reports reports) {
  const Claimed claimed{row.throughput, std::nullopt};
  if (mapping.reason) return untestable(row, table, "throughput", claimed, *mapping.reason);
  ClaimRecord claim = begun(row, table, "throughput", claimed);
  const auto measured = nearest_precision(
      *mapping.point, *row.throughput, claim.what, [&](const std::string& precision) {
        return throughput_of(reports, *mapping.point, precision);
      });
  if (measured) {
    set_measured(claim, *measured, claimed, tolerance_of(row, /*is_rate=*/true), *mapping.point,
                 /*is_rate=*/true);
  } else {
    set_not_held(claim, *mapping.point, reports);
  }
  return claim;
}

// Returns the printed speed-up where the source prints one relative to this base, else the ratio of
// the rates.
double claimed_speedup(const Row& row, const Row& base) {
  if (!row.throughput) return *row.published_speedup / *base.published_speedup;
  const bool printed = row.published_speedup && base.published_speedup == 1.0;
  return printed ? *row.published_speedup : *row.throughput / *base.throughput;
}

// A program that is faster on one GPU and as fast on eight does not refute a speed-up: where the
// rate that it begins with is another one, that is said.
void set_other_base(ClaimRecord& claim, const Measured& measured, const Row& base) {
  if (claim.verdict != ClaimVerdict::kRefuted || !base.throughput || !measured.base_rate) return;
  const double share = *measured.base_rate / *base.throughput;
  if (std::fabs(share - 1) <= tolerance_of(base, /*is_rate=*/true).share) return;
  claim.verdict = ClaimVerdict::kDiffersHere;
  claim.reason = "its base is " + significant(share, 3) + " times as fast here";
}

void judge_speedup(const Row& row, const Row& base, const NamedTable& table, Reports reports,
                   std::vector<ClaimRecord>& all) {
  const double ratio = claimed_speedup(row, base);
  const Claimed claimed{ratio, ratio};
  const Mapping own = published::map_row(row), of_base = published::map_row(base);
  if (own.reason || of_base.reason) {
    // The claim on a rate has given the reason.
    if (!row.throughput)
      all.push_back(
          untestable(row, table, "speedup", claimed, *(own.reason ? own : of_base).reason));
    return;
  }
  ClaimRecord claim = begun(row, table, "speedup", claimed);
  claim.what += " / " + counted(*base.gpus, "GPU");
  const auto measured =
      nearest_precision(*own.point, ratio, claim.what, [&](const std::string& precision) {
        return speedup_of(reports, *own.point, *of_base.point, precision);
      });
  if (measured) {
    set_measured(claim, *measured, claimed, tolerance_of(row, /*is_rate=*/false), *own.point,
                 /*is_rate=*/false);
    set_other_base(claim, *measured, base);
  } else {
    set_not_held(claim, *own.point, reports);
  }
  all.push_back(std::move(claim));
}

std::optional<Measured> measured_of(const Row& row, const MappedPoint& point,
                                    const NamedTable& table, Reports reports, std::string& what) {
  if (row.collective) return collective_of(reports, row);
  if (row.relative_to && row.relative_to->option) return change_of(reports, row, point);
  if (row.metric != "speedup" || !row.gpus) return std::nullopt;
  std::optional<MappedPoint> base = point;
  base->world_size = 1;
  if (row.relative_to && row.relative_to->row) {
    const Row* other = published::find_row(table, *row.relative_to->row);
    base = other ? published::map_training(*other).point : std::nullopt;
  }
  if (!base) return std::nullopt;
  const double claimed = row.value.value_or(row.low.value_or(row.high.value_or(1)));
  return nearest_precision(point, claimed, what, [&](const std::string& precision) {
    return speedup_of(reports, point, *base, precision);
  });
}

ClaimRecord judge_claim(const Row& row, const NamedTable& table, const Mapping& mapping,
                        Reports reports) {
  const Claimed claimed = claimed_by(row);
  if (mapping.reason) return untestable(row, table, row.metric, claimed, *mapping.reason);
  ClaimRecord claim = begun(row, table, row.metric, claimed);
  const bool absolute = is_absolute(row);
  if (const auto measured = measured_of(row, *mapping.point, table, reports, claim.what)) {
    set_measured(claim, *measured, claimed, tolerance_of(row, absolute), *mapping.point, absolute);
    // A GPU's allocator takes the same bytes each time; a process's resident memory varies.
    if (row.metric == "memory_bytes" &&
        (measured->device_name.empty() || measured->device_name == "cpu")) {
      claim.verdict = ClaimVerdict::kNotJudged;
      claim.reason = "resident memory of a process on a CPU: memory is judged on GPUs only";
    }
  } else if (row.relative_to && row.relative_to->option) {
    claim.reason = not_compared(row, reports);
  } else if (row.collective) {
    claim.reason = reports.empty() ? "nothing was run"
                                   : "no report measures it over this backend, on so many ranks";
  } else {
    set_not_held(claim, *mapping.point, reports);
  }
  return claim;
}

}  // namespace

std::vector<ClaimRecord> judge(const std::vector<NamedTable>& tables, Reports reports) {
  std::vector<ClaimRecord> all;
  for (const NamedTable& table : tables) {
    const auto bases = published::bases_of(table);
    for (const Row* row : table.rows) {
      const Mapping mapping = published::map_row(*row);
      const auto base = bases.find(row->id);
      if (row->metric.empty()) {
        // Nothing measures a speed-up without a rate.
        if (!row->throughput && !mapping.reason) continue;
        all.push_back(judge_rate(*row, table, mapping, reports));
      } else if (!published::is_worth_a_speedup(*row)) {
        ClaimRecord counted = begun(*row, table, "payload_bytes", claimed_by(*row));
        const bool is_counted = !mapping.reason && judge_by_count(*row, counted);
        if (is_counted) all.push_back(std::move(counted));
        if (!is_counted || row->metric != "payload_bytes")
          all.push_back(judge_claim(*row, table, mapping, reports));
      }
      // The first count of a series claims no speed-up.
      if (base != bases.end()) judge_speedup(*row, *base->second, table, reports, all);
    }
  }
  return all;
}

ExitCode exit_code_of(const std::vector<ClaimRecord>& claims) {
  using enum reporting::ClaimVerdict;
  const auto any = [&](std::initializer_list<ClaimVerdict> verdicts) {
    return std::ranges::any_of(claims, [&](const ClaimRecord& claim) {
      return std::ranges::find(verdicts, claim.verdict) != verdicts.end();
    });
  };
  if (any({kRefuted, kNotReached})) return ExitCode::kFail;
  const bool judged = any({kConfirmed, kReached, kDiffersHere, kSameDirection, kOtherDirection});
  return judged && !any({kUndecided}) ? ExitCode::kPass : ExitCode::kUnsure;
}

}  // namespace scalemark::claims
