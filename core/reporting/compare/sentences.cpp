#include "core/reporting/compare/sentences.h"

#include <algorithm>
#include <cmath>

#include "core/base/text.h"

namespace scalemark::reporting {
namespace {

using statistics::Change;
using statistics::ComparedUnit;
using statistics::PointChange;

std::string percent(const char* pattern, double share) { return printed(pattern, 100 * share); }

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

// All of the interval, by the logarithms of the rule. Such a change counts once it is significant.
bool lies_outside(const statistics::Interval& ci90, double threshold) {
  return std::log1p(ci90.low) >= threshold || std::log1p(ci90.high) <= -threshold;
}

std::string what_could_go_unseen(double smallest_found) {
  if (smallest_found > 1) return "these runs show nothing";
  return "a change of less than " + percent("%.2f %%", smallest_found) + " could go unseen";
}

std::string why_undecided(const PointChange& change, double threshold, std::size_t tested) {
  const std::string limit = percent("%g %%", threshold);
  if (change.is_significant) {
    return size_of(change) + ": more than 0 is certain, whether more than " + limit + " is not";
  }
  if (lies_outside(*change.ci90, threshold)) {
    return size_of(change) + ": not significant over all " + std::to_string(tested) +
           (tested == 1 ? " point (" : " points (") + p_text(*change.p_adjusted) + ")";
  }
  return "the interval reaches across the threshold: " +
         what_could_go_unseen(*change.smallest_found);
}

}  // namespace

std::string what_is_certain(const PointChange& change, const Comparison& comparison) {
  const bool decided = change.change != Change::kSame && change.change != Change::kUnsure &&
                       change.change != Change::kDisturbed;
  if (!decided) return "";
  const std::string text = size_of(change) + ": more than 0 is certain, more than " +
                           percent("%g %%", comparison.threshold) +
                           (change.exceeds_threshold ? " too" : " is not");
  if (change.change != Change::kDiffers) return text;
  return text + "; whether it is the session's or comes from what was changed is not known";
}

std::string why_unsure(const SideOfPoint& before, const PointAgainst& against,
                       const Comparison& comparison, std::size_t tested) {
  if (against.change.change == Change::kDisturbed) {
    const SideOfPoint& side = before.disturbed ? before : against.after;
    return side.trouble + (before.disturbed ? " on the first side" : " on the new side") +
           ": stop what else runs there, and repeat";
  }
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
  return why_undecided(against.change, comparison.threshold, tested);
}

}  // namespace scalemark::reporting
