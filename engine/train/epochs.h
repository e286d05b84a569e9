// train --epochs N: a full training. Each epoch is a window of its own, without the evaluation.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "data/load/dataset.h"
#include "engine/train/batch_source.h"
#include "engine/train/checkpoints.h"
#include "engine/train/histograms.h"
#include "engine/train/trainer.h"
#include "engine/train/window.h"
#include "report/record/records.h"

namespace scalemark::running {

struct EpochTrainingOptions {
  std::int64_t epochs = 1;
  std::int64_t micro_steps = 1;
  std::int64_t empty_cache_every = 0;  // steps; 0: never
  SamplingOptions sampling;
  std::string metric;  // such as "top-1"
};

struct EpochsResult {
  Window all;  // every step of every epoch, one after the other
  std::vector<reporting::Evaluation> evaluations;
  std::vector<data::SkippedSample> skipped;  // each sample once, held-out ones included
  std::int64_t left_out = 0;                 // sum of samples_left_out() over the finished epochs
  double data_s = 0;                         // time until the first epoch's loader was ready
  std::vector<reporting::Resumption> resumed;
  std::string kept;  // a stopped training says here from where it goes on
};

// Returns how many samples one optimizer step takes, over all ranks.
std::int64_t samples_per_step(const EpochTrainingOptions& options);

// Returns the number of optimizer steps that so many samples give every rank; only full batches
// count. Below 0 samples count as none.
std::int64_t steps_in(std::int64_t samples, const EpochTrainingOptions& options);

// Returns the steps of an epoch. Throws configuration() (78) where there are none.
std::int64_t steps_per_epoch(std::int64_t dataset_size, const EpochTrainingOptions& options);

// Returns on how many of so many samples no rank trains: they fill no batch, or (--drop-last) do
// not divide among the ranks.
std::int64_t samples_left_out(std::int64_t samples, const EpochTrainingOptions& options);

// The epochs of a training use these.
struct EpochsContext {
  Trainer& trainer;
  const data::Dataset& train;
  const data::Dataset& held_out;
  device::Device& device;
  distributed::ControlGroup& control;
  StepWatch& watch;
  Checkpoints& checkpoints;
  Histograms& histograms;
  // Called on every rank after each evaluation.
  std::function<void(const reporting::Evaluation&)> report;
  monitoring::Sampler* telemetry = nullptr;  // reads during the stretches; may be null
};

// Collective over the control group. Resumes from the last checkpoint if asked to; then the
// measurements cover this session, the evaluations all sessions.
EpochsResult train_epochs(const EpochsContext& context, const EpochTrainingOptions& options);

}  // namespace scalemark::running
