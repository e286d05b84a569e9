// A network ready to be trained by one rank: built from settings, on its device, with optimizer and
// strategy.
#pragma once

#include <cstdint>
#include <memory>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <vector>

#include "core/catalogue/workload.h"
#include "core/settings/settings.h"
#include "engine/device/device.h"
#include "engine/running/training_ranks.h"
#include "engine/training/train_step.h"
#include "workloads/network.h"

namespace scalemark::running {

struct Trainer {
  std::unique_ptr<workloads::Network> network;
  std::vector<training::NamedParameter> parameters;
  std::unique_ptr<training::TrainStep> step;
};

// `shape` is resolved (classes and vocabulary of the data). `group` is empty where nothing is
// exchanged. `planned_steps` is the length of the learning-rate schedule. Every rank starts from
// the same parameters: those of rank 0 where gradients are exchanged, else those of the seed (or
// --init-from). What a network draws in training (dropout, skipped branches) differs between ranks.
Trainer make_trainer(const settings::Settings& settings, const catalogue::ModelShape& shape,
                     device::Device& device, c10::intrusive_ptr<c10d::ProcessGroup> group,
                     const TrainingRanks& ranks, std::int64_t planned_steps);

}  // namespace scalemark::running
