// Simulated runs with known true values: what a session, a drifting machine, a run, noise between
// neighbouring steps and outliers do to measured step times. Knows nothing of what is estimated.
#pragma once

#include <boost/random/mersenne_twister.hpp>
#include <cstdint>
#include <vector>

namespace scalemark::trials {

// Boost's generator and distributions: unlike the standard's, they give the same numbers
// everywhere.
using Random = boost::random::mt19937_64;

// A generator of its own for each (seed, scenario): results do not depend on the order of
// scenarios.
Random random_for(std::uint64_t seed, std::uint64_t scenario);

double normal(Random& random);
double heavy(Random& random);  // Student's t with 2.5 degrees, and the quartiles of a normal value

// Relative sizes: 0.01 is 1 %.
struct Effects {
  double session = 0;  // standard deviation between sessions
  double drift = 0;    // change from the first run of the sweep to its last
  double run = 0;      // standard deviation between runs
};

// Steps that take longer: one in a hundred three times as long; or one in 400 longer by an
// exponential time of 8 steps in the mean, so that a run of 400 steps holds one or none.
enum class Outliers { kNone, kUsual, kRareAndHeavy };

const char* name_of(Outliers outliers);  // "none" | "usual" | "heavy"

struct Noise {
  double step_cv = 0.05;  // standard deviation of a step around its run's mean
  double phi = 0;         // correlation of neighbouring steps
  Outliers outliers = Outliers::kNone;
};

// The mean of a step whose level is 1.
double expected_step(const Noise& noise);

// n step times around `level_s`.
std::vector<double> simulate_steps(Random& random, const Noise& noise, double level_s,
                                   std::size_t n);

// A permutation of 0 .. n-1: the order of points within a block.
std::vector<std::size_t> random_order(Random& random, std::size_t n);

}  // namespace scalemark::trials
