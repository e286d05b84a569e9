// Old against new with 12 points: false alarms where nothing changed, whether one change of 5 % is
// found, and whether one of d_min is.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

#include "tools/statistics/comparison_model.h"
#include "tools/statistics/sections.h"

namespace scalemark::trials::comparison {
namespace {

using statistics::Change;
using statistics::PointChange;

enum class Planted { kNothing, kFivePercent, kSmallestFound };

struct Case {
  ComparisonSetup setup;
  Planted planted;
};

// Over all trials of a one.
struct Counts {
  int alarms = 0;   // trials in which an unchanged point is called slower or faster
  int differs = 0;  // ... or is said to differ in this session
  int found = 0;    // trials in which the changed point is called slower, or said to differ
  int missed = 0;   // ... or is called the same
  int significant = 0;
  int same = 0, undecided = 0;  // unchanged points
  std::vector<double> smallest_found;
};

// ln of the first point's change.
double planted_change(const Case& one) {
  if (one.planted == Planted::kFivePercent) return std::log(0.95);
  if (one.planted == Planted::kNothing) return 0;
  return -true_smallest_found(one.setup);
}

bool any_is(std::span<const PointChange> changes, std::initializer_list<Change> words) {
  return std::ranges::any_of(changes, [&](const PointChange& change) {
    return std::ranges::find(words, change.change) != words.end();
  });
}

void add_trial(Counts& counts, std::span<const PointChange> changes, bool is_planted) {
  const auto unchanged = changes.subspan(is_planted ? 1 : 0);
  counts.alarms += any_is(unchanged, {Change::kSlower, Change::kFaster});
  counts.differs += any_is(unchanged, {Change::kDiffers});
  for (const PointChange& change : unchanged) {
    counts.same += change.change == Change::kSame;
    counts.undecided += change.change == Change::kUnsure || change.change == Change::kDiffers;
    counts.smallest_found.push_back(*change.smallest_found);
  }
  counts.found +=
      any_is(changes.first(1), {Change::kSlower, Change::kDiffers}) && *changes[0].relative < 0;
  counts.missed += changes[0].change == Change::kSame;
  counts.significant += changes[0].is_significant && *changes[0].relative < 0;
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

const char* name_of(Planted planted) {
  if (planted == Planted::kNothing) return "nothing";
  return planted == Planted::kFivePercent ? "five percent" : "smallest found";
}

void print(const Case& one, const Counts& counts, int trials) {
  const bool is_planted = one.planted != Planted::kNothing;
  const double n = trials;
  const double unchanged = n * static_cast<double>(kPointsCompared - (is_planted ? 1 : 0));
  const auto& setup = one.setup;
  std::printf(
      "{\"section\": \"compare\", \"arrangement\": \"%s\", \"session_cv\": %g, "
      "\"session_per_point\": %s, \"planted\": \"%s\", \"planted_size\": %.5f, \"trials\": %d, "
      "\"false_alarms\": %.5f, \"differs\": %.5f, \"found\": %.5f, \"missed\": %.5f, "
      "\"significant\": %.5f, \"same\": %.5f, \"undecided\": %.5f, \"smallest_found\": %.5f}\n",
      std::string(name_of(setup.arrangement)).c_str(), setup.session_cv,
      setup.session_per_point ? "true" : "false", name_of(one.planted),
      -std::expm1(setup.log_change), trials, counts.alarms / n, counts.differs / n,
      is_planted ? counts.found / n : 0, is_planted ? counts.missed / n : 0,
      is_planted ? counts.significant / n : 0, counts.same / unchanged,
      counts.undecided / unchanged, median(counts.smallest_found));
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const double session_cv : {0.0, 0.003, 0.01, 0.02}) {
    for (const bool per_point : {false, true}) {
      if (session_cv == 0 && per_point) continue;  // no shift at all
      for (const Arrangement arrangement : kArrangements) {
        for (const Planted planted :
             {Planted::kNothing, Planted::kFivePercent, Planted::kSmallestFound}) {
          all.push_back({.setup = {.arrangement = arrangement,
                                   .session_cv = session_cv,
                                   .session_per_point = per_point},
                         .planted = planted});
          all.back().setup.log_change = planted_change(all.back());
        }
      }
    }
  }
  return all;
}

}  // namespace

void comparison_section(const Study& study) {
  for_each_of_mine(study, 2'000'000, cases(), [&](Random& random, const Case& one) {
    Counts counts;
    for (int trial = 0; trial < study.trials; ++trial) {
      const auto sides = simulate_sides(random, one.setup);
      add_trial(counts, statistics::compare_points(sides, unit_of(one.setup.arrangement)),
                one.planted != Planted::kNothing);
    }
    print(one, counts, study.trials);
  });
}

}  // namespace scalemark::trials::comparison
