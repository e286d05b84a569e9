#include "core/reporting/compare/meaning.h"

#include <algorithm>
#include <string_view>

#include "core/base/text.h"

namespace scalemark::reporting {
namespace {

using statistics::Change;
using statistics::ComparedUnit;

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

std::string what_it_can_say(const Comparison& comparison) {
  const std::string threshold = printed("%g %%", 100 * comparison.threshold);
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
