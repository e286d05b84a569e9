#include "core/plan/enough.h"

#include <algorithm>
#include <cmath>

#include "core/base/number_words.h"

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

// Repeats the looks before all earlier blocks, each at the runs that were known then.
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

namespace {

using statistics::StopQuantity;

constexpr double kWorthSaving = 0.10;
constexpr int kLongestWindow = 32;  // times the longest window of today

struct Unsure {
  std::string group;
  bool of_efficiency;
  const StopQuantity* quantity;
};

std::vector<Unsure> unsure_among(const Precisions& points, double half_width) {
  std::vector<Unsure> unsure;
  const auto add = [&](const std::string& group, const StopQuantity& quantity, bool efficiency) {
    if (!known_well_enough(quantity, half_width)) unsure.push_back({group, efficiency, &quantity});
  };
  for (const auto& [group, point] : points) {
    add(group, point.throughput, false);
    for (const StopQuantity& quantity : point.efficiencies) add(group, quantity, true);
  }
  return unsure;
}

using Repetitions = std::optional<std::size_t>;

// A number that is absent counts as larger than any other.
bool is_fewer(const Repetitions& a, const Repetitions& b) { return a && (!b || *a < *b); }

// The most that any quantity needs. Those that are reached today count, too, since with other
// windows they need not be.
Repetitions most_needed(const Precisions& points, double half_width, double window_s) {
  Repetitions most = statistics::kRepetitionsBeforeLooking;
  const auto look = [&](const StopQuantity& quantity) {
    const Repetitions needed = repetitions_needed(quantity, half_width, window_s);
    if (is_fewer(most, needed)) most = needed;
  };
  for (const auto& [group, point] : points) {
    look(point.throughput);
    std::ranges::for_each(point.efficiencies, look);
  }
  return most;
}

double longest_window_s(const Precisions& points) {
  double longest_s = 0;
  for (const auto& [group, point] : points) {
    for (const auto& noise : point.throughput.steps) {
      longest_s = std::max(longest_s, noise.window_s);
    }
  }
  return longest_s;
}

std::optional<Outlook::Windows> best_windows(const Precisions& points, double half_width,
                                             std::size_t repetitions,
                                             const std::function<double(double)>& block_s) {
  double best_s = (1 - kWorthSaving) * static_cast<double>(repetitions) * block_s(0);
  std::optional<Outlook::Windows> best;
  const double today_s = longest_window_s(points);
  if (!(today_s > 0)) return best;
  for (int factor = 2; factor <= kLongestWindow; factor *= 2) {
    const double window_s = std::ceil(factor * today_s);
    const auto needed = most_needed(points, half_width, window_s);
    if (!needed) continue;
    const double all_s = static_cast<double>(*needed) * block_s(window_s);
    if (all_s >= best_s) continue;
    best_s = all_s;
    best = {.window_s = window_s, .repetitions = *needed};
  }
  return best;
}

}  // namespace

bool is_reached(const PointPrecision& point, double half_width) {
  const auto known = [=](const StopQuantity& one) { return known_well_enough(one, half_width); };
  return known(point.throughput) && std::ranges::all_of(point.efficiencies, known);
}

std::optional<Outlook> outlook_of(const Precisions& points, double half_width,
                                  const std::function<double(double)>& block_s) {
  const auto unsure = unsure_among(points, half_width);
  if (unsure.empty()) return std::nullopt;
  const auto needed = [&](const Unsure& one) {
    return repetitions_needed(*one.quantity, half_width);
  };
  const auto& furthest = *std::ranges::max_element(unsure, is_fewer, needed);
  Outlook outlook{.group = furthest.group,
                  .of_efficiency = furthest.of_efficiency,
                  .half_width = furthest.quantity->half_width,
                  .repetitions = needed(furthest),
                  .longer = std::nullopt};
  if (outlook.repetitions) {
    outlook.longer = best_windows(points, half_width, *outlook.repetitions, block_s);
  }
  return outlook;
}

std::string to_text(const Outlook& outlook) {
  const std::string what = outlook.of_efficiency ? "the efficiency of " : "";
  if (!outlook.half_width) return what + outlook.group + " has no interval";
  std::string text = what + outlook.group + " is known to " + percent(*outlook.half_width);
  if (!outlook.repetitions) return text + ", which repetitions alone do not narrow";
  text += "; about " + std::to_string(*outlook.repetitions) + " repetitions are needed";
  if (outlook.longer) {
    text += ", or windows of " + age_text(outlook.longer->window_s) + " and " +
            std::to_string(outlook.longer->repetitions);
  }
  return text;
}

}  // namespace scalemark::planning
