// Runs the first steps of a training twice from the same start, and compares the bits of losses,
// gradients and state up to the first difference. METRICS.md, "The same bits".
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "core/catalogue/workload.h"
#include "core/settings/settings.h"
#include "engine/device/device.h"

namespace scalemark::running {

struct ReplayedTraining {
  std::int64_t rounds = 0;
  std::string digest;       // the first round's, hexadecimal
  std::string first_wrong;  // the first difference of the second round; empty: none
};

// Trains the network of `settings` by itself, deterministically, on synthetic batches of rank 0 of
// 1, so that the work is the same on each rank and machine. The process must be in its
// deterministic mode. `continues` is asked before each step; where it is false the rounds end
// early, and an incomplete round does not count. Throws what training throws.
ReplayedTraining replay_training(const settings::Settings& settings,
                                 const catalogue::Workload& workload,
                                 const catalogue::ModelShape& shape, device::Device& device,
                                 const std::function<bool()>& continues);

// Returns the settings of such a training, from those of a point.
settings::Settings replayed_settings(settings::Settings settings);

// Describes the work for a record's method: "3 steps of 16 samples, settings 1a2b3c4d".
std::string replayed_work(const settings::Settings& settings);

}  // namespace scalemark::running
