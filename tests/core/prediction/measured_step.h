// Measured steps of two ranks (results/measured/two-ranks-*.json), and the same steps simulated
// from what the other payloads say about the link.
#pragma once

#include <string>
#include <vector>

#include "tools/prediction/link_fit.h"

namespace scalemark::prediction {

struct MeasuredStep {
  std::string workload;
  double payload_bytes = 0, step_s = 0;
  double own_mean_of_step_max_s = 0;  // the slowest rank's own time, mean over steps
  std::vector<double> own_s;          // per rank, mean over steps
  std::vector<double> bucket_bytes;
};

struct MeasuredSteps {
  std::string cpu, date;
  std::vector<MeasuredStep> steps;
};

// All files of results/measured that scripts/measure_two_ranks made.
std::vector<MeasuredSteps> read_measured_steps(const std::string& root);

struct SimulatedStep {
  Link link;  // fitted to the other steps
  double step_s = 0;
  double relative_error = 0;  // simulated / measured - 1
};

// Step `which`, from its ranks' own times, its buckets, and a link fitted without it.
SimulatedStep simulate_step(const MeasuredSteps& measured, std::size_t which);

}  // namespace scalemark::prediction
