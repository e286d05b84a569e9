#include "tools/statistics/sweep_model.h"

#include <cmath>
#include <numeric>

namespace scalemark::trials {

namespace {

double slot(std::size_t block, std::size_t position) {
  return static_cast<double>(block) +
         (static_cast<double>(position) + 0.5) / static_cast<double>(kPointsOfSweep);
}

}  // namespace

SweepModel::SweepModel(const Scenario& scenario, Random& random, DriftShape shape)
    : scenario_(scenario),
      random_(random),
      shape_(shape),
      session_(scenario.effects.session * normal(random)) {}

double SweepModel::drift_at(double block) const {
  const double time = block / static_cast<double>(kRepetitions);
  const double share = shape_ == DriftShape::kLinear ? time : 1 - std::exp(-time);
  return scenario_.effects.drift * share;
}

SimulatedRun SweepModel::run(std::size_t position, double ideal_step_s, double samples_per_step) {
  SimulatedRun run;
  run.at = slot(blocks_, position);
  run.level = session_ + drift_at(run.at);
  const double of_this_run = scenario_.effects.run * normal(random_);
  run.steps_s = simulate_steps(random_, scenario_.noise,
                               ideal_step_s * std::exp(run.level + of_this_run), kStepsPerRun);
  const double wall_s = std::accumulate(run.steps_s.begin(), run.steps_s.end(), 0.0);
  run.samples_per_sec = samples_per_step * static_cast<double>(kStepsPerRun) / wall_s;
  return run;
}

Block SweepModel::next_block() {
  const std::vector<std::size_t> position = random_order(random_, kPointsOfSweep);
  Block block;
  block.baseline = run(position[0], kBaselineStep_s, kBatch);
  block.scaled = run(position[1], kBaselineStep_s / kTrueEfficiency, kBatch * kRanks);
  ++blocks_;
  return block;
}

double SweepModel::true_baseline_rate() const {
  double mean_drift = 0;
  for (std::size_t block = 0; block < blocks_; ++block) {
    for (std::size_t position = 0; position < kPointsOfSweep; ++position) {
      mean_drift += drift_at(slot(block, position)) / static_cast<double>(blocks_ * kPointsOfSweep);
    }
  }
  return kBatch / (kBaselineStep_s * expected_step(scenario_.noise)) /
         std::exp(session_ + mean_drift);
}

}  // namespace scalemark::trials
