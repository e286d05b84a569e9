#include "tools/statistics/comparison_model.h"

#include <cmath>

#include "core/statistics/significance.h"

namespace scalemark::trials {
namespace {

using statistics::ComparedUnit;

using Shifts = std::vector<double>;  // ln, of each session

std::size_t sessions_per_side(Arrangement arrangement) {
  return unit_of(arrangement) == ComparedUnit::kSession ? units_per_side(arrangement) : 1;
}

Shifts draw_shifts(Random& random, const ComparisonSetup& setup) {
  Shifts shifts(sessions_per_side(setup.arrangement));
  for (double& shift : shifts) shift = setup.session_cv * normal(random);
  return shifts;
}

std::vector<double> units_of(Random& random, double log_rate, const Shifts& shifts,
                             ComparedUnit unit) {
  std::vector<double> units;
  for (const double shift : shifts) {
    double sum = 0;
    for (std::size_t k = 0; k < kRunsPerSession; ++k) {
      const double log_run = log_rate + shift + kRunCv * normal(random);
      sum += log_run;
      if (unit != ComparedUnit::kSession) units.push_back(std::exp(log_run));
    }
    if (unit == ComparedUnit::kSession) units.push_back(std::exp(sum / double{kRunsPerSession}));
  }
  return units;
}

}  // namespace

std::string_view name_of(Arrangement arrangement) {
  switch (arrangement) {
    case Arrangement::kInOneGo:
      return "in one go";
    case Arrangement::kFalselyInOneGo:
      return "falsely in one go";
    case Arrangement::kThreeSessionsEach:
      return "three sessions each";
    case Arrangement::kFiveSessionsEach:
      return "five sessions each";
    case Arrangement::kOneSessionEach:
      break;
  }
  return "one session each";
}

ComparedUnit unit_of(Arrangement arrangement) {
  switch (arrangement) {
    case Arrangement::kInOneGo:
    case Arrangement::kFalselyInOneGo:
      return ComparedUnit::kRunOfTheSameSession;
    case Arrangement::kThreeSessionsEach:
    case Arrangement::kFiveSessionsEach:
      return ComparedUnit::kSession;
    case Arrangement::kOneSessionEach:
      break;
  }
  return ComparedUnit::kRunOfOneSession;
}

std::size_t units_per_side(Arrangement arrangement) {
  return arrangement == Arrangement::kThreeSessionsEach ? 3 : 5;
}

std::vector<statistics::PointSides> simulate_sides(Random& random, const ComparisonSetup& setup) {
  const bool in_one_go = setup.arrangement == Arrangement::kInOneGo;
  const ComparedUnit unit = unit_of(setup.arrangement);
  Shifts before, after;
  std::vector<statistics::PointSides> points;
  for (std::size_t p = 0; p < kPointsCompared; ++p) {
    if (p == 0 || setup.session_per_point) {
      before = draw_shifts(random, setup);
      after = in_one_go ? before : draw_shifts(random, setup);
    }
    const double log_rate = std::log(100 * static_cast<double>(p + 1));
    const double changed = p == 0 ? log_rate + setup.log_change : log_rate;
    points.push_back(
        {units_of(random, log_rate, before, unit), units_of(random, changed, after, unit)});
  }
  return points;
}

double true_smallest_found(const ComparisonSetup& setup) {
  const auto units = static_cast<double>(units_per_side(setup.arrangement));
  const bool by_session = unit_of(setup.arrangement) == ComparedUnit::kSession;
  const double runs = kRunCv * kRunCv / (by_session ? double{kRunsPerSession} : 1);
  const double sessions = by_session ? setup.session_cv * setup.session_cv : 0;
  const statistics::Welch known{.standard_error = std::sqrt(2 * (runs + sessions) / units),
                                .degrees = 2 * (units - 1)};
  return known.smallest_found(0.05 / double{kPointsCompared}, 0.95);
}

}  // namespace scalemark::trials
