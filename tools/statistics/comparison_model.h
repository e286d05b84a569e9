// Simulated sides of a comparison, with known changes: what sessions and runs do to the rates of
// twelve points. Knows nothing of how they are judged beyond what its units are.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

#include "core/statistics/compare.h"
#include "tools/statistics/generator.h"

namespace scalemark::trials {

inline constexpr std::size_t kPointsCompared = 12;
inline constexpr std::size_t kRunsPerSession = 5;
inline constexpr double kRunCv = 0.01;

// Says which sessions the two sides ran in, and which options `scalemark compare` gets.
enum class Arrangement {
  kOneSessionEach,  // nothing is said
  kInOneGo,         // one session for both sides, and --same-session
  kFalselyInOneGo,  // one session each, and --same-session nevertheless
  kThreeSessionsEach,
  kFiveSessionsEach,
};

inline constexpr std::array kArrangements{
    Arrangement::kOneSessionEach, Arrangement::kInOneGo, Arrangement::kFalselyInOneGo,
    Arrangement::kThreeSessionsEach, Arrangement::kFiveSessionsEach};

std::string_view name_of(Arrangement arrangement);
statistics::ComparedUnit unit_of(Arrangement arrangement);
std::size_t units_per_side(Arrangement arrangement);

struct ComparisonSetup {
  Arrangement arrangement = Arrangement::kOneSessionEach;
  double session_cv = 0;
  bool session_per_point = false;  // a session shifts every point on its own, or all alike
  double log_change = 0;           // the first point changes by it from old to new
};

std::vector<statistics::PointSides> simulate_sides(Random& random, const ComparisonSetup& setup);

// d_min as it would be if the spread were known: of all that differs between a side's units.
double true_smallest_found(const ComparisonSetup& setup);

}  // namespace scalemark::trials
