// The person who made a baseline reads this: what is in it, how sure it is, and what it lacks.
#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "core/base/text.h"
#include "core/reporting/acceptance/baseline.h"
#include "core/statistics/acceptance_baseline.h"

namespace scalemark::acceptance {
namespace {

constexpr std::size_t kMostSuspects = 2;

int most(const Baseline& baseline, int BaselineClass::*count) {
  return std::ranges::max(baseline.classes, {}, count).*count;
}

// The most that one measurement has.
int parts_of(const Baseline& baseline, PartKind of) {
  int parts = 0;
  for (const BaselineClass& one : baseline.classes) {
    if (one.of == of) parts = std::max(parts, one.parts);
  }
  return parts;
}

// "0.3 to 0.7 %" of the classes that have the number; empty: none has.
template <class Number>
std::string range_text(const Baseline& baseline, Number number) {
  double least = 1e300, largest = -1;
  for (const BaselineClass& one : baseline.classes) {
    const std::optional<double> value = number(one);
    if (!value) continue;
    least = std::min(least, *value);
    largest = std::max(largest, *value);
  }
  if (largest < 0) return "";
  const std::string low = percent_text(least), high = percent_text(largest);
  return (low == high ? "" : low + " to ") + percent(largest);
}

void add(std::string& text, const std::string& line) { text += "  " + line + "\n"; }

void add_few_boots(const Baseline& baseline, std::string& text) {
  const auto assumed =
      range_text(baseline, [](const BaselineClass& one) { return one.assumed_between_boots; });
  if (assumed.empty()) return;
  text += "! weak: fewer than 2 boots, which are taken to differ by " + assumed +
          ": boot, measure again\n";
}

void add_few_parts(const Baseline& baseline, std::string& text) {
  std::set<std::string> few;
  for (const BaselineClass& one : baseline.classes) {
    if (one.parts >= static_cast<int>(statistics::kPartsOfBaseline)) continue;
    few.insert(counted(one.parts, name_of(one.of)));
  }
  if (few.empty()) return;
  text += "! weak: fewer than 8 parts (" + listed(few, 4) +
          "), which are taken to differ by 1 % at least\n";
}

// Each part once, with the first reason.
void add_suspects(const Baseline& baseline, std::string& text) {
  std::map<std::string, std::pair<std::string, int>> reasons;
  for (const BaselineClass& one : baseline.classes) {
    for (const BaselineSuspect& suspect : one.suspects) {
      auto& [why, checks] = reasons[suspect.part];
      if (checks++ == 0) why = one.metric + ": " + suspect.why;
    }
  }
  if (reasons.empty()) return;
  std::vector<std::string> names;
  for (const auto& [part, reason] : reasons) {
    names.push_back(
        part + " (" + reason.first +
        (reason.second > 1 ? ", and " + std::to_string(reason.second - 1) + " more" : "") + ")");
  }
  text += "! suspects, listed and not dropped: " + listed(names, kMostSuspects) + "\n";
}

}  // namespace

bool is_weak(const Baseline& baseline) {
  return std::ranges::any_of(baseline.classes, [](const BaselineClass& one) {
    return one.assumed_between_boots || one.parts < static_cast<int>(statistics::kPartsOfBaseline);
  });
}

std::string baseline_summary(const Baseline& baseline) {
  const int devices = parts_of(baseline, PartKind::kDevice);
  std::string text = counted(most(baseline, &BaselineClass::machines), "machine") + ", ";
  if (devices > 0) text += counted(devices, "device") + ", ";
  text += counted(most(baseline, &BaselineClass::boots), "boot") + ": references of " +
          counted(baseline.classes.size(), "measurement") + "\n";
  add(text, "known to " + range_text(baseline, [](const BaselineClass& one) {
              return std::optional(one.standard_error);
            }) + " (standard error)");
  const std::string boots =
      range_text(baseline, [](const BaselineClass& one) { return one.between_boots; });
  if (!boots.empty()) add(text, "one part differs between boots by " + boots);
  const std::string decides =
      range_text(baseline, [](const BaselineClass& one) { return one.smallest_decidable; });
  add(text, decides.empty() ? "how slow a part must be to be found: not known from so few starts"
                            : "a fleet like this is judged to " + decides +
                                  ": what is slower by that is found (99 %)");
  add_few_boots(baseline, text);
  add_few_parts(baseline, text);
  if (is_weak(baseline)) text += "  so intervals are wide: healthy parts may stay undecided, too\n";
  add_suspects(baseline, text);
  return text;
}

}  // namespace scalemark::acceptance
