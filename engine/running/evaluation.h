// Loss and accuracy on held-out samples, every readable one counted exactly once over all ranks.
#pragma once

#include <cstdint>
#include <vector>

#include "data/dataset.h"
#include "data/loader.h"
#include "engine/device/device.h"
#include "engine/distributed/groups.h"
#include "engine/running/step_watch.h"
#include "engine/training/train_step.h"
#include "workloads/network.h"

namespace scalemark::running {

struct EvaluationResult {
  double loss = 0;                           // mean per item
  double accuracy = 0;                       // correct / items, in [0, 1]
  std::int64_t items = 0;                    // images, or masked tokens
  std::vector<data::SkippedSample> skipped;  // by this rank
};

// Collective over the control group; the result stands on every rank. Rank r takes samples r, r +
// n, ... without padding, so ranks may have unequal numbers, or none: nothing inside communicates.
// Nothing takes the place of a skipped sample. Throws (65), on every rank, when none is left over
// all of them. The network is left in train mode.
EvaluationResult evaluate(workloads::Network& network, const data::Dataset& dataset,
                          const data::LoaderOptions& loader_options, device::Device& device,
                          const training::TrainStep& step, distributed::ControlGroup& control,
                          StepWatch& watch);

}  // namespace scalemark::running
