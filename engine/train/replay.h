// The first steps of a training, done twice from the same start: equal bits of losses, gradients
// and state, or the first place where they differ. docs/METRICS.md, "The same bits".
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
  std::string digest;       // the first round gave it, hexadecimal
  std::string first_wrong;  // names the first difference of the second round; empty: none
};

// Trains `settings`' network by itself, deterministic, on synthetic batches of rank 0 of 1:
// whichever rank and machine does it has the same work. The process must be in its deterministic
// mode. `continues` is asked before each step; where it is false the rounds end early, and what is
// not whole does not count. Throws what training throws.
ReplayedTraining replay_training(const settings::Settings& settings,
                                 const catalogue::Workload& workload,
                                 const catalogue::ModelShape& shape, device::Device& device,
                                 const std::function<bool()>& continues);

// The settings of such a training, from those of a point.
settings::Settings replayed_settings(settings::Settings settings);

// Names the work, beside the method of the device: "3 steps of 16 samples, settings 1a2b3c4d".
std::string replayed_work(const settings::Settings& settings);

}  // namespace scalemark::running
