#include <algorithm>
#include <array>
#include <cmath>
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

// Compares only repetitions that both measured.
struct RunPair {
  const CollectiveRecord *from, *to;
};

std::vector<RunPair> paired(const CollectivePointRuns& from, const CollectivePointRuns& to) {
  std::vector<RunPair> pairs;
  for (const auto& [repetition, run] : from.ok) {
    const auto other = to.ok.find(repetition);
    if (other != to.ok.end()) pairs.push_back({run, other->second});
  }
  return pairs;
}

bool is_fit(const RunPair& pair) {
  return pair.from->disturbed.empty() && pair.to->disturbed.empty();
}

// Points come in the order of a report: its first value that was measured is compared with the
// others. "off" stands before "on" there but for in_place.
void add_pairs(const std::string& axis, const Traits& fixed, const Family& family,
               std::vector<ComparedPair>& pairs) {
  const auto first =
      std::ranges::find_if(family, [](const auto* point) { return !point->ok.empty(); });
  if (first == family.end()) return;
  for (auto other = std::next(first); other != family.end(); ++other) {
    auto found = paired(**first, **other);
    if (found.empty() || (*first)->traits.at(axis) == (*other)->traits.at(axis)) continue;
    ComparedPair& pair = pairs.emplace_back();
    pair.effect.axis = axis;
    pair.effect.fixed = fixed;
    pair.effect.from = (*first)->traits.at(axis);
    pair.effect.to = (*other)->traits.at(axis);
    pair.effect.groups = {(*first)->first().group, (*other)->first().group};
    pair.disturbed_by = keep_fit(found, is_fit);
    for (const auto& [from, to] : found)
      pair.log_ratios.push_back(std::log(from->time_s / to->time_s));
  }
}

std::vector<EffectRecord> effects_of_axis(const std::vector<CollectivePointRuns>& points,
                                          const std::string& axis) {
  std::vector<ComparedPair> pairs;
  for (const auto& [fixed, family] : families_of(points, {axis})) {
    if (family.front()->traits.contains(axis)) add_pairs(axis, fixed, family, pairs);
  }
  return judged_effects(std::move(pairs));
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

std::vector<EffectRecord> collective_effects_of(const std::vector<CollectivePointRuns>& points) {
  std::vector<EffectRecord> effects;
  for (const char* axis : kAxes) {
    std::ranges::move(effects_of_axis(points, axis), std::back_inserter(effects));
  }
  for (EffectRecord& effect : effects) effect.in_words = in_words(effect, effects);
  return effects;
}

}  // namespace scalemark::reporting
