#include "tools/statistics/generator.h"

#include <boost/random/exponential_distribution.hpp>
#include <boost/random/normal_distribution.hpp>
#include <boost/random/seed_seq.hpp>
#include <boost/random/student_t_distribution.hpp>
#include <boost/random/uniform_int_distribution.hpp>
#include <cmath>
#include <numeric>
#include <utility>

namespace scalemark::trials {
namespace {

// So large a share of the steps takes longer, by `extra` times the duration of a step.
struct Kind {
  double share, extra;
};

Kind kind_of(Outliers outliers) {
  switch (outliers) {
    case Outliers::kUsual:
      return {0.01, 2};
    case Outliers::kRareAndHeavy:
      return {0.0025, 8};
    case Outliers::kNone:
      break;
  }
  return {0, 0};
}

// Steps until the next outlier: an exponential time, rounded up, is geometric.
std::size_t gap(Random& random, double share) {
  boost::random::exponential_distribution<double> waiting(-std::log1p(-share));
  return static_cast<std::size_t>(waiting(random)) + 1;
}

void add_outliers(Random& random, Outliers outliers, double level_s, std::vector<double>& steps) {
  const Kind kind = kind_of(outliers);
  if (kind.share == 0) return;
  boost::random::exponential_distribution<double> heavy(1 / kind.extra);
  for (std::size_t t = gap(random, kind.share) - 1; t < steps.size();
       t += gap(random, kind.share)) {
    steps[t] += level_s * (outliers == Outliers::kUsual ? kind.extra : heavy(random));
  }
}

}  // namespace

Random random_for(std::uint64_t seed, std::uint64_t scenario) {
  const auto low = [](std::uint64_t value) { return static_cast<std::uint32_t>(value); };
  boost::random::seed_seq sequence{low(seed), low(seed >> 32), low(scenario), low(scenario >> 32)};
  return Random(sequence);
}

double normal(Random& random) {
  boost::random::normal_distribution<double> distribution;
  return distribution(random);
}

double heavy(Random& random) {
  constexpr double kQuartile = 0.6745 / 0.7899;  // by the tables of both
  return kQuartile * boost::random::student_t_distribution<double>(2.5)(random);
}

const char* name_of(Outliers outliers) {
  switch (outliers) {
    case Outliers::kUsual:
      return "usual";
    case Outliers::kRareAndHeavy:
      return "heavy";
    case Outliers::kNone:
      break;
  }
  return "none";
}

double expected_step(const Noise& noise) {
  const Kind kind = kind_of(noise.outliers);
  return 1 + kind.share * kind.extra;
}

std::vector<double> simulate_steps(Random& random, const Noise& noise, double level_s,
                                   std::size_t n) {
  boost::random::normal_distribution<double> shock;
  const double fresh = std::sqrt(1 - noise.phi * noise.phi);
  double state = shock(random);
  std::vector<double> steps(n);
  for (double& step : steps) {
    state = noise.phi * state + fresh * shock(random);
    step = level_s * (1 + noise.step_cv * state);
  }
  add_outliers(random, noise.outliers, level_s, steps);
  return steps;
}

std::vector<std::size_t> random_order(Random& random, std::size_t n) {
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = n; i > 1; --i) {
    std::swap(order[i - 1],
              order[boost::random::uniform_int_distribution<std::size_t>(0, i - 1)(random)]);
  }
  return order;
}

}  // namespace scalemark::trials
