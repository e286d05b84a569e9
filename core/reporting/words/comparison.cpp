#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <utility>

#include "core/base/text.h"
#include "core/reporting/words/words.h"

namespace scalemark::reporting {
namespace {

using statistics::Change;
using statistics::ComparedUnit;
using statistics::PointChange;

std::string units_in_words(std::size_t units, ComparedUnit unit) {
  return counted(units, unit == ComparedUnit::kSession ? "session" : "run");
}

// All of the interval, by the logarithms of the rule. Such a change counts once it is significant.
bool lies_outside(const statistics::Interval& ci90, double threshold) {
  return std::log1p(ci90.low) >= threshold || std::log1p(ci90.high) <= -threshold;
}

std::string why_undecided(const PointChange& change, double threshold, std::size_t tested) {
  if (change.is_significant) {
    return "there is a difference, and whether it exceeds " + given_percent(threshold) + " is open";
  }
  if (lies_outside(*change.ci90, threshold)) {
    return "chance may give such a difference" +
           (tested == 1 ? "" : " in one of " + std::to_string(tested) + " points");
  }
  return "the runs spread too much to tell whether they differ by " + given_percent(threshold);
}

std::string_view what_the_unit_is(ComparedUnit unit) {
  switch (unit) {
    case ComparedUnit::kSession:
      return "The unit is the session: what differs from one session to the next (node, placement, "
             "boot, neighbours) is in the intervals. ";
    case ComparedUnit::kRunOfOneSession:
      return "The unit is the run, and each side is one session: the intervals hold for these "
             "sessions. What differs from one session to the next (node, placement, boot, "
             "neighbours) is in a change but not in its interval, whatever the number of runs; so "
             "nothing is called slower or faster, and same is said of these sessions. Sides that "
             "were measured in one go on one "
             "machine: --same-session. ";
    case ComparedUnit::kRunOfTheSameSession:
      break;
  }
  return "The unit is the run, and --same-session says that the sides were measured in one go. "
         "Were they not, what differs between their sessions is called slower or faster. ";
}

}  // namespace

std::string what_is_certain(const PointChange& change, const Comparison& comparison) {
  const bool decided = change.change != Change::kSame && change.change != Change::kUnsure &&
                       change.change != Change::kDisturbed;
  if (!decided) return "";
  return "a difference is certain, one of more than " + given_percent(comparison.threshold) +
         " is " + (change.exceeds_threshold ? "too" : "not");
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

std::string what_it_can_say(const Comparison& comparison) {
  const std::string threshold = given_percent(comparison.threshold);
  const bool one_session = comparison.unit == ComparedUnit::kRunOfOneSession;
  std::string text =
      std::string(one_session ? name_of(Change::kDiffers) : "slower, faster") +
      ": significant (Welch's test on logarithms, Holm over all points, 5 % in all) and at least " +
      threshold + " as measured; same: the 90 % interval lies within +-" + threshold +
      "; unsure: neither, or fewer than three units on a side; finds from: about the smallest "
      "change that the row would have shown to be more than 0. " +
      std::string(what_the_unit_is(comparison.unit));
  text.pop_back();
  return text;
}

std::string what_makes_it_surer(const Comparison& comparison) {
  const auto differs = count_of(comparison, Change::kDiffers);
  const bool enough = std::ranges::min(comparison.sessions) >= statistics::kUnitsAdvised;
  if (enough || differs + count_of(comparison, Change::kUnsure) == 0) return "";
  return std::string("to be surer, give five files of separate sessions on each side") +
         (differs == 0 ? "" : ", or --same-session where both were measured in one go");
}

}  // namespace scalemark::reporting
