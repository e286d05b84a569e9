// train --epochs N: training for real. Each epoch is a window of its own; evaluation stands
// outside.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/reporting/record/records.h"
#include "data/dataset.h"
#include "engine/running/batch_source.h"
#include "engine/running/trainer.h"
#include "engine/running/window.h"

namespace scalemark::running {

struct EpochsOptions {
  std::int64_t epochs = 1;
  std::int64_t micro_steps = 1;
  EpochOptions sampling;
  std::string metric;  // "top-1"
};

struct EpochsResult {
  Window all;  // every step of every epoch, one after another
  std::vector<reporting::Evaluation> evaluations;
  std::vector<data::SkippedSample> skipped;  // each once; held-out ones too
  std::int64_t left_out = 0;                 // samples_left_out() of each epoch that ended
  double data_s = 0;                         // until the first epoch's loader stood
};

// How many optimizer steps an epoch has on every rank: full batches only.
std::int64_t steps_per_epoch(std::int64_t dataset_size, const EpochsOptions& options);

// How many samples of an epoch no rank trains on: they fill no batch, or (--drop-last) do not
// divide among the ranks.
std::int64_t samples_left_out(std::int64_t dataset_size, const EpochsOptions& options);

// Collective over the control group. `report` is called on every rank after each evaluation.
EpochsResult train_epochs(Trainer& trainer, const data::Dataset& train,
                          const data::Dataset& held_out, const EpochsOptions& options,
                          device::Device& device, distributed::ControlGroup& control,
                          StepWatch& watch,
                          const std::function<void(const reporting::Evaluation&)>& report);

}  // namespace scalemark::running
