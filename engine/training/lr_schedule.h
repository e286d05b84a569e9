// The learning rate as a function of the step. Pure; knows nothing of torch, optimizers or epochs.
#pragma once

#include <cstdint>
#include <string>

namespace scalemark::training {

// Warm-up first: step t < warmup_steps has (t + 1) / warmup_steps of the rate. Then, with s steps
// since the warm-up and S = total_steps - warmup_steps, as torch.optim.lr_scheduler:
//   constant    rate
//   cosine      rate (1 + cos(pi s / S)) / 2                          CosineAnnealingLR, eta_min 0
//   step        rate x 0.1 at each of 3/9, 6/9 and 8/9 of S           MultiStepLR (30, 60, 80 of 90
//               epochs: arXiv:1706.02677)
//   linear      rate (1 - s / S)                                      LinearLR to 0
//   polynomial  rate (1 - s / S)^2                                    PolynomialLR, power 2
//               (arXiv:1708.03888)
//   cyclic      from rate / 4 up to rate and back, four times         CyclicLR, triangular
//               (arXiv:1506.01186, section 3: a quarter to a third; end after a full cycle)
// From total_steps on the value of step total_steps holds.
struct LrSchedule {
  std::string kind = "constant";
  double rate = 0;
  std::int64_t warmup_steps = 0;
  std::int64_t total_steps = 0;
};

// Throws configuration() for an unknown kind, or a schedule that ends before its warm-up does.
void validate(const LrSchedule& schedule);

// The rate of step `step` (from 0) of a validated schedule.
double learning_rate_at(const LrSchedule& schedule, std::int64_t step);

}  // namespace scalemark::training
