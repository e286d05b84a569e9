#include "claims/judge/band.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/number_words.h"

namespace scalemark::claims {
namespace {

#include "claims/judge/tolerances.inc"

using published::Row;
using reporting::ClaimBasis;
using reporting::ClaimVerdict;

constexpr std::int64_t kFewGpus = 4;

// Returns half a unit of the last decimal, as a share of the value; 0 for a whole number, whose
// digits do not show how it was rounded.
double rounding_of(double value) {
  const std::string text = significant(value, 15);
  const std::size_t point = text.find('.');
  if (point == std::string::npos || !(value > 0)) return 0;
  return 0.5 * std::pow(10.0, -static_cast<double>(text.size() - point - 1)) / value;
}

bool is_bandwidth(const Row& row) { return row.metric.ends_with("_GBps"); }

// A range that contains 1 claims no direction.
ClaimVerdict of_direction(const Measured& measured, const Claimed& claimed) {
  const bool up = claimed.low && (*claimed.low > 1 || (*claimed.low == 1 && !claimed.high));
  const bool down = claimed.high && (*claimed.high < 1 || (*claimed.high == 1 && !claimed.low));
  if (up == down) return ClaimVerdict::kNotJudged;
  if (up ? *measured.low > 1 : *measured.high < 1) return ClaimVerdict::kSameDirection;
  if (up ? *measured.high < 1 : *measured.low > 1) return ClaimVerdict::kOtherDirection;
  return ClaimVerdict::kUndecided;
}

}  // namespace

bool is_absolute(const Row& row) {
  return !row.relative_to && (is_bandwidth(row) || row.metric == "latency_s" ||
                              row.metric == "throughput" || row.metric.empty());
}

Tolerance tolerance_of(const Row& row, bool is_rate) {
  if (row.low && row.high) return {0, "the range that is claimed"};
  const bool is_direction = !row.direction.empty() && row.direction != "about";
  if (is_direction && (row.relative_to || !row.value)) return {0, "a direction"};
  Tolerance best = row.spread       ? Tolerance{*row.spread, "the spread of the source's own runs"}
                   : row.collective ? Tolerance{kCollectives, "assumed: no repeats are published"}
                   : !is_rate       ? Tolerance{kRatios, "published repeats of ratios"}
                   : row.gpus.value_or(1) <= kFewGpus
                       ? Tolerance{kRateFewGpus, "published repeats on up to 4 GPUs"}
                       : Tolerance{kRateManyGpus, "published repeats on 5 GPUs and more"};
  const double rounding = row.value ? rounding_of(*row.value) : 0;
  return rounding > best.share ? Tolerance{rounding, "the digits that are printed"} : best;
}

Claimed claimed_by(const Row& row) {
  if (!row.value) {
    if (row.low || row.high) return {row.low, row.high};
    // Advice without a number claims only more, or less, than before.
    return row.direction == "at_most" ? Claimed{std::nullopt, 1.0} : Claimed{1.0, std::nullopt};
  }
  if (row.direction == "at_least") return {row.value, std::nullopt};
  if (row.direction == "at_most") return {std::nullopt, row.value};
  if (is_absolute(row) && row.metric == "latency_s") return {std::nullopt, row.value};
  if (is_absolute(row)) return {row.value, std::nullopt};
  return {row.value, row.value};
}

double nearest_end(const Claimed& claimed, double value) {
  if (!claimed.low) return *claimed.high;
  if (!claimed.high) return *claimed.low;
  return value < *claimed.low ? *claimed.low : value > *claimed.high ? *claimed.high : value;
}

std::string what_would_decide(const Measured& measured, const Claimed& claimed, double tolerance) {
  if (measured.scaled_down && claimed.low && claimed.high && *claimed.low <= 1 &&
      *claimed.high >= 1)
    return "it claims no direction";
  if (!measured.disturbed_by.empty()) return reporting::kDisturbedClaim;
  if (!measured.low || !measured.high) return "it has no interval: repeat it";
  const double half = 0.5 * std::log(*measured.high / *measured.low);
  const auto distance = [&](double limit) { return std::fabs(std::log(measured.value / limit)); };
  double nearest = std::numeric_limits<double>::infinity();
  if (measured.scaled_down) {
    nearest = distance(1);  // only its direction is judged
  } else {
    if (claimed.low) nearest = distance(*claimed.low * (1 - tolerance));
    if (claimed.high) nearest = std::min(nearest, distance(*claimed.high * (1 + tolerance)));
  }
  if (!(nearest > 0) || !(half > 0)) return "it lies on the limit";
  const double made = std::max(2, measured.runs);
  const double runs = std::max(std::ceil(made * (half / nearest) * (half / nearest)), made + 1);
  return runs > 1000 ? "it lies on the limit"
                     : "about " + significant(runs, 3) + " repetitions would decide";
}

ClaimVerdict verdict_of(const Measured& measured, const Claimed& claimed, double tolerance,
                        ClaimBasis basis, bool is_rate) {
  if (is_rate && basis != ClaimBasis::kSameHardware) return ClaimVerdict::kNotJudged;
  if (!measured.low || !measured.high) return ClaimVerdict::kUndecided;
  if (basis == ClaimBasis::kScaledDown) return of_direction(measured, claimed);
  const double low =
      claimed.low ? *claimed.low * (1 - tolerance) : -std::numeric_limits<double>::infinity();
  const double high =
      claimed.high ? *claimed.high * (1 + tolerance) : std::numeric_limits<double>::infinity();
  const bool to_be_reached = is_rate && !(claimed.low && claimed.high);  // a range is met
  if (*measured.low >= low && *measured.high <= high)
    return to_be_reached ? ClaimVerdict::kReached : ClaimVerdict::kConfirmed;
  if (*measured.high < low || *measured.low > high) {
    if (to_be_reached) return ClaimVerdict::kNotReached;
    return basis == ClaimBasis::kSameHardware ? ClaimVerdict::kRefuted : ClaimVerdict::kDiffersHere;
  }
  return ClaimVerdict::kUndecided;
}

}  // namespace scalemark::claims
