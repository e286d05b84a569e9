#include <algorithm>
#include <array>
#include <iterator>

#include "core/base/text.h"
#include "core/reporting/collectives/runs.h"
#include "core/reporting/collectives/words.h"
#include "core/reporting/effects/judged_effects.h"
#include "core/reporting/words/words.h"

namespace scalemark::reporting {
namespace {

constexpr std::array kAxes{"backend",         "via",      "dtype", "in_place", "congestion",
                           "overlap_compute", "placement"};

// Points come in the order of a report: its first value that was measured is compared with the
// others. "off" stands before "on" there but for in_place.
void add_values(const std::string& axis, const Traits& fixed, const Family& family,
                std::vector<ComparedRuns<CollectiveRecord>>& of_axis) {
  const auto value_of = [&](const auto* point) { return traits_of(point->first()).at(axis); };
  const auto first =
      std::ranges::find_if(family, [](const auto* point) { return !point->ok.empty(); });
  if (first == family.end()) return;
  const std::string from = value_of(*first);
  for (auto other = std::next(first); other != family.end(); ++other) {
    const std::string to = value_of(*other);
    if (to == from) continue;
    add_compared(of_axis, {.axis = axis, .fixed = fixed, .from = from, .to = to}, **first, **other);
  }
}

std::vector<EffectRecord> effects_of_axis(const CollectiveRuns& points, const std::string& axis) {
  std::vector<ComparedRuns<CollectiveRecord>> of_axis;
  for (const auto& [fixed, family] : families_of(points, {axis})) {
    const bool has_axis = traits_of(family.front()->first()).contains(axis);
    if (has_axis) add_values(axis, fixed, family, of_axis);
  }
  return judged_effects(std::move(of_axis));
}

// The size stands before the brackets.
std::string place_text(const std::string& trait, const std::string& value) {
  return trait == "bytes" ? "" : trait_text(trait, value);
}

std::string in_words(const EffectRecord& effect, const std::vector<EffectRecord>& all) {
  std::string text =
      trait_text(effect.axis, effect.to) + " against " + trait_text(effect.axis, effect.from);
  if (const auto bytes = effect.fixed.find("bytes");
      bytes != effect.fixed.end() && bytes->second != "0") {
    text += " at " + trait_text("bytes", bytes->second);
  }
  const std::string where = where_text(effect, all, place_text);
  if (!where.empty()) text += " (" + where + ")";
  return text + ": " + speed_text(effect) + ": " + verdict_text(effect);
}

}  // namespace

std::vector<EffectRecord> collective_effects_of(const CollectiveRuns& points) {
  std::vector<EffectRecord> effects;
  for (const char* axis : kAxes) {
    std::ranges::move(effects_of_axis(points, axis), std::back_inserter(effects));
  }
  for (EffectRecord& effect : effects) effect.in_words = in_words(effect, effects);
  return effects;
}

}  // namespace scalemark::reporting
