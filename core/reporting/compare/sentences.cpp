#include "core/reporting/compare/sentences.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "core/base/text.h"

namespace scalemark::reporting {
namespace {

using statistics::Change;
using statistics::ComparedUnit;
using statistics::PointChange;

std::string limit_of(double threshold) { return printed("%g %%", 100 * threshold); }

std::string units_in_words(std::size_t units, ComparedUnit unit) {
  return counted(static_cast<std::int64_t>(units),
                 unit == ComparedUnit::kSession ? "session" : "run");
}

// All of the interval, by the logarithms of the rule. Such a change counts once it is significant.
bool lies_outside(const statistics::Interval& ci90, double threshold) {
  return std::log1p(ci90.low) >= threshold || std::log1p(ci90.high) <= -threshold;
}

std::string why_undecided(const PointChange& change, double threshold, std::size_t tested) {
  if (change.is_significant) {
    return "there is a difference, and whether it exceeds " + limit_of(threshold) + " is open";
  }
  if (lies_outside(*change.ci90, threshold)) {
    return "chance may give such a difference" +
           (tested == 1 ? "" : " in one of " + std::to_string(tested) + " points");
  }
  return "the runs spread too much to tell whether they differ by " + limit_of(threshold);
}

}  // namespace

std::string what_is_certain(const PointChange& change, const Comparison& comparison) {
  const bool decided = change.change != Change::kSame && change.change != Change::kUnsure &&
                       change.change != Change::kDisturbed;
  if (!decided) return "";
  return "a difference is certain, one of more than " + limit_of(comparison.threshold) + " is " +
         (change.exceeds_threshold ? "too" : "not");
}

std::string why_undecided(const SideOfPoint& before, const PointAgainst& against,
                          const Comparison& comparison, std::size_t tested) {
  const Change change = against.change.change;
  const bool several = comparison.files.size() > 2;
  const std::string first = several ? "first" : "old", other = several ? "other" : "new";
  if (change == Change::kDisturbed) {
    const SideOfPoint& after = against.after;
    const bool both = before.disturbed && after.disturbed;
    const std::string where =
        both ? "both sides" : "the " + (before.disturbed ? first : other) + " side";
    if (before.too_brief == before.disturbed && after.too_brief == after.disturbed) {
      return "too many windows of " + where +
             " are too brief to tell whether others used the machine: lengthen them (--min-time), "
             "and repeat";
    }
    return "too many runs of " + where + " were disturbed: stop what else runs there, and repeat";
  }
  if (change == Change::kDiffers) {
    return "each side is one session, and sessions differ by themselves";
  }
  if (change != Change::kUnsure) return "";
  for (const auto& [side, name] : {std::pair(&before, first), std::pair(&against.after, other)}) {
    if (side->units > 0) continue;
    return "the " + name + " side has no run that counts" +
           (side->trouble.empty() ? "" : ": " + side->trouble);
  }
  const std::size_t units = std::min(before.units, against.after.units);
  if (units < statistics::kUnitsToCompare) {
    return "there " + std::string(units == 1 ? "is " : "are ") +
           units_in_words(units, comparison.unit) +
           " on one side: three are needed, five on each are advised";
  }
  return why_undecided(against.change, comparison.threshold, tested);
}

}  // namespace scalemark::reporting
