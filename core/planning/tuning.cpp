#include "core/planning/tuning.h"

#include <algorithm>
#include <cmath>

namespace scalemark::planning {
namespace {

constexpr int kFirstLook = static_cast<int>(statistics::kBlocksToJudge);

}  // namespace

Tuner::Tuner(const Plan& plan) : looks_(plan.stop.least_blocks - kFirstLook) {
  if (plan.sweep.tune.empty()) return;
  for (const Comparison& comparison : plan.comparisons) {
    if (comparison.axis == plan.sweep.tune) comparisons_.push_back(&comparison);
  }
}

void Tuner::add(std::size_t point, int block, int session, double samples_per_sec) {
  if (samples_per_sec > 0) rates_[point][{block, session}] = std::log(samples_per_sec);
}

statistics::BlockRates Tuner::rates_before(int block, std::size_t point) const {
  statistics::BlockRates rates;
  const auto found = rates_.find(point);
  if (found == rates_.end()) return rates;
  for (const auto& [place, rate] : found->second) {
    if (place.first < block) rates.emplace(place, rate);
  }
  return rates;
}

// Repeats the looks of all blocks before, each at what was known then.
Tuner::Look Tuner::look_before(int block, const Comparison& comparison) const {
  const auto& values = comparison.values;
  const double level = statistics::race_level(values.size(), looks_);
  Look look{.out = std::vector<bool>(values.size(), false)};
  for (int known = kFirstLook; known <= block; ++known) {
    std::vector<statistics::BlockRates> runners;
    for (std::size_t i = 0; i < values.size(); ++i) {
      runners.push_back(look.out[i] ? statistics::BlockRates()
                                    : rates_before(known, values[i].point));
    }
    const auto race = statistics::judge_race(runners, level);
    look.decided = true;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const bool is_over = look.out[i] || race.slower[i] || race.alike[i] || runners[i].empty();
      look.decided = look.decided && is_over;
      look.out[i] = look.out[i] || (race.slower[i] && i > 0);
    }
  }
  return look;
}

std::set<std::size_t> Tuner::dropped_before(int block) const {
  std::set<std::size_t> dropped, needed;
  for (const Comparison* comparison : comparisons_) {
    const Look look = look_before(block, *comparison);
    for (std::size_t i = 0; i < look.out.size(); ++i) {
      (look.out[i] ? dropped : needed).insert(comparison->values[i].point);
    }
  }
  for (const std::size_t point : needed) dropped.erase(point);
  return dropped;
}

bool Tuner::decided_before(int block) const {
  return !comparisons_.empty() &&
         std::ranges::all_of(comparisons_, [&](const Comparison* comparison) {
           return look_before(block, *comparison).decided;
         });
}

}  // namespace scalemark::planning
