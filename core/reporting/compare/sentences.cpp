#include "core/reporting/compare/sentences.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace scalemark::reporting {
namespace {

using statistics::Change;
using statistics::ComparedUnit;
using statistics::PointChange;

std::string percent(const char* pattern, double share) {
  char text[32];
  std::snprintf(text, sizeof text, pattern, 100 * share);
  return text;
}

// "slower by 2.10 % (90 % interval 0.40 to 3.77 %)"
std::string size_of(const PointChange& change) {
  const bool slower = *change.relative < 0;
  const double low = slower ? -change.ci90->high : change.ci90->low;
  const double high = slower ? -change.ci90->low : change.ci90->high;
  return (slower ? "slower by " : "faster by ") + percent("%.2f %%", std::abs(*change.relative)) +
         " (90 % interval " + percent("%.2f to ", low) + percent("%.2f %%)", high);
}

std::string counted(std::size_t units, ComparedUnit unit) {
  return std::to_string(units) + (unit == ComparedUnit::kSession ? " session" : " run") +
         (units == 1 ? "" : "s");
}

std::string why_undecided(const PointChange& change, double threshold) {
  const std::string limit = percent("%g %%", threshold);
  if (change.is_significant) {
    return size_of(change) + ": more than 0 is certain, whether more than " + limit + " is not";
  }
  return "the interval reaches across the threshold: a change of less than " +
         percent("%.2f %%", *change.smallest_found) + " could go unseen";
}

}  // namespace

std::string what_is_certain(const PointChange& change, const Comparison& comparison) {
  if (change.change == Change::kSame || change.change == Change::kUnsure) return "";
  const std::string text = size_of(change) + ": more than 0 is certain, more than " +
                           percent("%g %%", comparison.threshold) +
                           (change.exceeds_threshold ? " too" : " is not");
  if (change.change != Change::kDiffers) return text;
  return text + "; whether it is the session's or comes from what was changed is not known";
}

std::string why_unsure(const SideOfPoint& before, const PointAgainst& against,
                       const Comparison& comparison) {
  if (against.change.change != Change::kUnsure) return "";
  if (before.units == 0) return "not measured on the first side";
  if (against.after.units == 0) {
    return against.after.trouble.empty() ? "no new report holds the point"
                                         : "not measured: " + against.after.trouble;
  }
  const std::size_t units = std::min(before.units, against.after.units);
  if (units < statistics::kUnitsToCompare) {
    return counted(units, comparison.unit) +
           " on one side: three are needed, five on each are advised";
  }
  return why_undecided(against.change, comparison.threshold);
}

}  // namespace scalemark::reporting
