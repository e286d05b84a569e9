// Loss and accuracy on held-out samples. Every readable one is counted exactly once over all ranks.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "data/load/dataset.h"
#include "data/load/loader.h"
#include "engine/device/device.h"
#include "engine/distributed/control_group.h"
#include "engine/step/train_step.h"
#include "engine/train/batch_source.h"
#include "engine/train/window.h"
#include "workloads/networks/network.h"

namespace scalemark::running {

// Returns samples r, r + world_size, ... of `size` for each rank r in `ranks`. With
// `full_batches_of`, repetitions of the first one, marked as padding, fill the last batch: on a GPU
// a short batch would be a new shape, for which cuDNN would search kernels for every layer again.
std::vector<data::SampledIndex> evaluated_share(std::int64_t size, const TrainingRanks& ranks,
                                                std::optional<std::int64_t> full_batches_of);

struct EvaluationResult {
  double loss = 0;                           // mean per item
  double accuracy = 0;                       // correct / items, in [0, 1]
  std::int64_t items = 0;                    // images, or masked tokens
  std::vector<data::SkippedSample> skipped;  // this rank skipped them
};

// Collective over the control group; every process gets the result. Rank r takes samples r, r + n,
// ... and none twice, so ranks may have unequal numbers, or none; the batches need no
// communication. A skipped sample is not replaced. Throws (65), on every rank, when no rank has a
// sample left. The network is left in train mode.
EvaluationResult evaluate(workloads::Network& network, const data::Dataset& dataset,
                          const data::LoaderOptions& loader_options, const TrainingRanks& ranks,
                          device::Device& device, const training::TrainStep& step,
                          distributed::ControlGroup& control, StepWatch& watch);

}  // namespace scalemark::running
