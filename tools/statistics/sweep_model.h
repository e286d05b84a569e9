// A simulated sweep of four points in blocks, of which two are judged: the baseline and eight
// ranks with a known efficiency.
#pragma once

#include <cstddef>
#include <vector>

#include "tools/statistics/generator.h"

namespace scalemark::trials {

inline constexpr double kTrueEfficiency = 0.85;
inline constexpr int kRanks = 8;
inline constexpr std::size_t kPointsOfSweep = 4;
inline constexpr std::size_t kStepsPerRun = 400;
inline constexpr double kBaselineStep_s = 0.1;
inline constexpr double kBatch = 32;

struct Scenario {
  Effects effects;
  Noise noise;
};

struct SimulatedRun {
  double samples_per_sec = 0;
  double at = 0;     // position in the sweep, in blocks
  double level = 0;  // ln of what drift and session do to the step time
  std::vector<double> steps_s;
};

struct Block {
  SimulatedRun baseline, scaled;
};

// How `effects.drift` comes about: evenly over kRepetitions blocks, or as a machine that heats up
// and then stays (a sweep that lasts until it is sure has no last block to aim at).
enum class DriftShape { kLinear, kSaturating };

inline constexpr std::size_t kRepetitions = 5;

class SweepModel {
 public:
  SweepModel(const Scenario& scenario, Random& random, DriftShape shape);

  Block next_block();

  // X of the baseline in this session, at the mean drift of the blocks so far: what the runs
  // measure.
  double true_baseline_rate() const;
  double session() const { return session_; }  // ln; positive is slower

 private:
  SimulatedRun run(std::size_t position, double ideal_step_s, double samples_per_step);

  double drift_at(double block) const;  // ln

  const Scenario& scenario_;
  Random& random_;
  DriftShape shape_;
  double session_;
  std::size_t blocks_ = 0;
};

}  // namespace scalemark::trials
