#include "core/claims/judge.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/base/text.h"
#include "core/published/chips.h"
#include "core/published/series.h"

namespace scalemark::claims {
namespace {

#include "core/claims/tolerances.inc"

using published::Mapped;
using published::Mapping;
using published::NamedTable;
using published::Row;
using reporting::ClaimBasis;
using reporting::ClaimRecord;
using reporting::ClaimVerdict;

constexpr std::int64_t kFewGpus = 4;

struct Tolerance {
  double share = 0;
  std::string source;
};

// One unit of the last digit that stands in the JSON, halved.
double rounding_of(double value) {
  const std::string text = significant(value, 15);
  const std::size_t point = text.find('.');
  const double unit = point == std::string::npos
                          ? 1
                          : std::pow(10.0, -static_cast<double>(text.size() - point - 1));
  return value > 0 ? 0.5 * unit / value : 0;
}

Tolerance tolerance_of(const Row& row, bool is_rate, bool is_collective) {
  if (row.low && row.high) return {0, "the range that is claimed"};
  const bool is_direction = !row.direction.empty() && row.direction != "about";
  if (is_direction && (row.relative_to || !row.value)) return {0, "a direction"};
  if (row.spread) return {*row.spread, "the spread of the source's own runs"};
  Tolerance best = is_collective ? Tolerance{kCollectives, "assumed: no repeats are published"}
                   : !is_rate    ? Tolerance{kRatios, "published repeats of ratios"}
                   : row.gpus.value_or(1) <= kFewGpus
                       ? Tolerance{kRateFewGpus, "published repeats on up to 4 GPUs"}
                       : Tolerance{kRateManyGpus, "published repeats on 5 GPUs and more"};
  if (row.value) best.share = std::max(best.share, rounding_of(*row.value));
  return best;
}

Claimed claimed_by(const Row& row) {
  if (!row.value) {
    if (row.low || row.high) return {row.low, row.high};
    // Advice without a number: more, or less, than before.
    return row.direction == "at_most" ? Claimed{std::nullopt, 1.0} : Claimed{1.0, std::nullopt};
  }
  if (row.direction == "at_least") return {row.value, std::nullopt};
  if (row.direction == "at_most") return {std::nullopt, row.value};
  return {row.value, row.value};
}

ClaimBasis basis_of(const Measured& measured, const Mapped& run) {
  if (measured.scaled_down) return ClaimBasis::kScaledDown;
  const auto here = published::chip_in(measured.device_name);
  // A claim that names no machine is about any.
  const bool same = run.chip.empty() || (here && here->name == run.chip);
  if (!same) return ClaimBasis::kOtherHardware;
  return run.other_precision ? ClaimBasis::kOtherPrecision : ClaimBasis::kSameHardware;
}

double nearest_end(const Claimed& claimed, double value) {
  if (!claimed.low) return *claimed.high;
  if (!claimed.high) return *claimed.low;
  return value < *claimed.low ? *claimed.low : value > *claimed.high ? *claimed.high : value;
}

// How many repetitions would bring the interval clear of the nearest edge.
std::string what_would_decide(const Measured& measured, const Claimed& claimed, double tolerance) {
  if (measured.disturbed) return "something else disturbed the runs: measure again";
  if (!measured.low || !measured.high) return "one run has no interval: repeat it";
  const double half = 0.5 * std::log(*measured.high / *measured.low);
  double nearest = std::numeric_limits<double>::infinity();
  if (claimed.low)
    nearest =
        std::min(nearest, std::fabs(std::log(measured.value / (*claimed.low * (1 - tolerance)))));
  if (claimed.high)
    nearest =
        std::min(nearest, std::fabs(std::log(measured.value / (*claimed.high * (1 + tolerance)))));
  if (!(nearest > 0) || !(half > 0)) return "it lies on the limit";
  const double runs = std::ceil(std::max(2, measured.runs) * (half / nearest) * (half / nearest));
  return runs > 1000 ? "it lies on the limit"
                     : "about " + significant(runs, 3) + " repetitions would decide";
}

void set_measured(ClaimRecord& claim, const Measured& measured, const Claimed& claimed,
                  const Tolerance& tolerance, const Mapped& run, bool is_rate) {
  claim.measured = measured.value;
  claim.measured_ci95_low = measured.low;
  claim.measured_ci95_high = measured.high;
  claim.ratio = measured.value / nearest_end(claimed, measured.value);
  claim.tolerance = tolerance.share;
  claim.tolerance_source = tolerance.source;
  claim.groups = measured.groups;
  const ClaimBasis basis = basis_of(measured, run);
  claim.basis = name_of(basis);
  claim.verdict = verdict_of(measured, claimed, tolerance.share, basis, is_rate);
  if (claim.verdict == ClaimVerdict::kUndecided)
    claim.reason = what_would_decide(measured, claimed, tolerance.share);
  if (claim.verdict == ClaimVerdict::kNotJudged) {
    claim.reason = basis == ClaimBasis::kScaledDown
                       ? "scaled down: shows the method, not the number"
                   : basis == ClaimBasis::kOtherPrecision
                       ? "the nearest precision: ratios only"
                       : "other hardware (" + measured.device_name + "): ratios only";
  }
}

std::string what_of(const Row& row) {
  std::vector<std::string> parts;
  if (!row.workload.empty()) parts.push_back(row.workload);
  if (row.workload.empty() && row.collective) parts.push_back(*row.collective);
  if (row.backend) parts.push_back(*row.backend);
  if (!row.precision.empty()) parts.push_back(row.precision);
  if (row.gpus) parts.push_back(counted(*row.gpus, "GPU"));
  if (row.relative_to && row.relative_to->option)
    parts.push_back(*row.relative_to->option + " " + *row.relative_to->to + " / " +
                    *row.relative_to->from);
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

// The row with the fewest GPUs of each row's series, where that is another one.
std::map<std::string, const Row*> bases_of(const NamedTable& table) {
  std::vector<Row> rows;
  for (const Row* row : table.rows) {
    if (row->metric.empty()) rows.push_back(*row);
  }
  std::map<std::string, const Row*> bases;
  for (const auto& series : published::scaling_series(rows, 2)) {
    const auto base = std::ranges::find(table.rows, series.points.front().id,
                                        [](const Row* row) { return row->id; });
    for (std::size_t i = 1; i < series.points.size(); ++i) bases[series.points[i].id] = *base;
  }
  return bases;
}

void judge_rate(const Row& row, const NamedTable& table, const Mapping& mapping, Reports reports,
                std::vector<ClaimRecord>& all) {
  const Claimed claimed{row.throughput, std::nullopt};
  if (mapping.reason) {
    all.push_back(untestable(row, table, "throughput", claimed, *mapping.reason));
    return;
  }
  ClaimRecord claim = begun(row, table, "throughput", claimed);
  if (const auto measured = throughput_of(reports, *mapping.run)) {
    set_measured(claim, *measured, claimed,
                 tolerance_of(row, /*is_rate=*/true, /*is_collective=*/false), *mapping.run,
                 /*is_rate=*/true);
  }
  all.push_back(std::move(claim));
}

void judge_speedup(const Row& row, const Row& base, const NamedTable& table, Reports reports,
                   std::vector<ClaimRecord>& all) {
  const double ratio = *row.throughput / *base.throughput;
  const Claimed claimed{ratio, ratio};
  const Mapping run = published::map_row(row), from = published::map_row(base);
  if (run.reason || from.reason) return;  // its rate says why
  ClaimRecord claim = begun(row, table, "speedup", claimed);
  claim.what += " / " + counted(*base.gpus, "GPU");
  const auto measured = speedup_of(reports, *run.run, *from.run);
  if (!measured) return;  // its rate says so
  set_measured(claim, *measured, claimed,
               tolerance_of(row, /*is_rate=*/false, /*is_collective=*/false), *run.run,
               /*is_rate=*/false);
  all.push_back(std::move(claim));
}

std::optional<Measured> measured_of(const Row& row, const Mapped& run, const NamedTable& table,
                                    Reports reports) {
  if (row.collective) return collective_of(reports, row);
  if (row.relative_to && row.relative_to->option) return change_of(reports, row);
  if (row.metric == "speedup" && row.gpus) {
    Mapped base = run;
    base.world_size = 1;
    if (row.relative_to && row.relative_to->row) {
      const auto other = std::ranges::find(table.rows, *row.relative_to->row,
                                           [](const Row* one) { return one->id; });
      if (other != table.rows.end() && (*other)->gpus) base.world_size = (*other)->gpus;
    }
    if (!run.workload.empty()) return speedup_of(reports, run, base);
  }
  return std::nullopt;
}

void judge_claim(const Row& row, const NamedTable& table, const Mapping& mapping, Reports reports,
                 std::vector<ClaimRecord>& all) {
  const Claimed claimed = claimed_by(row);
  if (mapping.reason) {
    all.push_back(untestable(row, table, row.metric, claimed, *mapping.reason));
    return;
  }
  ClaimRecord claim = begun(row, table, row.metric, claimed);
  const bool relative =
      row.relative_to.has_value() || row.metric == "speedup" || row.metric == "efficiency";
  if (const auto measured = measured_of(row, *mapping.run, table, reports)) {
    set_measured(claim, *measured, claimed,
                 tolerance_of(row, /*is_rate=*/false, row.collective.has_value()), *mapping.run,
                 /*is_rate=*/!relative);
  }
  all.push_back(std::move(claim));
}

ClaimVerdict of_direction(const Measured& measured, const Claimed& claimed) {
  const double towards = claimed.low && *claimed.low >= 1     ? 1
                         : claimed.high && *claimed.high <= 1 ? -1
                                                              : 0;
  if (towards == 0) return ClaimVerdict::kNotJudged;
  if (towards > 0 ? *measured.low > 1 : *measured.high < 1) return ClaimVerdict::kSameDirection;
  if (towards > 0 ? *measured.high < 1 : *measured.low > 1) return ClaimVerdict::kOtherDirection;
  return ClaimVerdict::kUndecided;
}

}  // namespace

ClaimVerdict verdict_of(const Measured& measured, const Claimed& claimed, double tolerance,
                        ClaimBasis basis, bool is_rate) {
  if (is_rate && basis != ClaimBasis::kSameHardware) return ClaimVerdict::kNotJudged;
  if (!measured.low || !measured.high) return ClaimVerdict::kUndecided;
  if (basis == ClaimBasis::kScaledDown) return of_direction(measured, claimed);
  const double low =
      claimed.low ? *claimed.low * (1 - tolerance) : -std::numeric_limits<double>::infinity();
  const double high =
      claimed.high ? *claimed.high * (1 + tolerance) : std::numeric_limits<double>::infinity();
  const bool at_least = is_rate && !claimed.high;
  if (*measured.low >= low && *measured.high <= high)
    return at_least ? ClaimVerdict::kReached : ClaimVerdict::kConfirmed;
  if (*measured.high < low || *measured.low > high) {
    if (at_least) return ClaimVerdict::kNotReached;
    return basis == ClaimBasis::kSameHardware ? ClaimVerdict::kRefuted : ClaimVerdict::kDiffersHere;
  }
  return ClaimVerdict::kUndecided;
}

std::vector<ClaimRecord> judge(const std::vector<NamedTable>& tables, Reports reports) {
  std::vector<ClaimRecord> all;
  for (const NamedTable& table : tables) {
    const auto bases = bases_of(table);
    for (const Row* row : table.rows) {
      const Mapping mapping = published::map_row(*row);
      if (!row->metric.empty()) {
        judge_claim(*row, table, mapping, reports, all);
        continue;
      }
      judge_rate(*row, table, mapping, reports, all);
      const auto base = bases.find(row->id);
      if (base != bases.end()) judge_speedup(*row, *base->second, table, reports, all);
    }
  }
  return all;
}

ExitCode exit_code_of(const std::vector<ClaimRecord>& claims) {
  bool judged = false, undecided = false;
  for (const ClaimRecord& claim : claims) {
    switch (claim.verdict) {
      case ClaimVerdict::kRefuted:
      case ClaimVerdict::kNotReached:
        return ExitCode::kFail;
      case ClaimVerdict::kUndecided:
        undecided = true;
        break;
      case ClaimVerdict::kConfirmed:
      case ClaimVerdict::kReached:
      case ClaimVerdict::kDiffersHere:
      case ClaimVerdict::kSameDirection:
      case ClaimVerdict::kOtherDirection:
        judged = true;
        break;
      default:
        break;
    }
  }
  return undecided || !judged ? ExitCode::kUnsure : ExitCode::kPass;
}

}  // namespace scalemark::claims
