// What every prediction has to beat: efficiency falls 2 % with each doubling of the ranks, whatever
// was measured. Pure.
#pragma once

namespace scalemark::prediction {

inline constexpr double kLossPerDoubling = 0.02;

// Seconds per step of `world_size` ranks in weak scaling:
//   E(N) = E(N_last) x (1 - loss)^log2(N / N_last),
// and a step takes longer by the factor by which the efficiency is lower. Source of the 2 %:
// docs/PREDICTION.md.
double rule_step_s(double last_step_s, int last_world_size, int world_size,
                   double loss = kLossPerDoubling);

}  // namespace scalemark::prediction
