// The training of one rank: a network on its device with optimizer and strategy, built from
// settings, and the state of its run, which is all that decides what the next steps compute.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <vector>

#include "core/catalogue/workload.h"
#include "core/settings/settings.h"
#include "engine/device/device.h"
#include "engine/step/parameters.h"
#include "engine/step/train_step.h"
#include "engine/train/batch_source.h"
#include "workloads/networks/network.h"
#include "workloads/weights/safetensors.h"

namespace scalemark::running {

struct Trainer {
  std::unique_ptr<workloads::Network> network;
  std::vector<training::NamedParameter> parameters;
  std::unique_ptr<training::TrainStep> step;
};

// `shape` is resolved (classes and vocabulary of the data). `group` is empty where nothing is
// exchanged. `planned_steps` is the length of the learning-rate schedule. Every rank starts from
// the same parameters: those of rank 0 where gradients are exchanged, else those of the seed (or
// --init-from). The random numbers of a network in training (dropout, skipped branches) differ
// between ranks.
Trainer make_trainer(const settings::Settings& settings, const catalogue::ModelShape& shape,
                     device::Device& device, c10::intrusive_ptr<c10d::ProcessGroup> group,
                     const TrainingRanks& ranks, std::int64_t planned_steps);

// The state consists of network, optimizer, gradient scaler, strategy, step count, position in the
// data and random generators; one walk visits all of it.
struct RunState {
  training::TrainStep& step;
  BatchSource* source;  // nullptr: whoever opens the data reads the step's position
  c10::Device device;
  // --epochs keeps this process's measurements of the current epoch here: sums, which add up over
  // processes. Null without it.
  at::Tensor* epoch = nullptr;
};

// Call it between two steps. A visitor that moves the position in the data moves the source, too.
void visit_state(const RunState& state, training::StateVisitor& visitor);

// Returns a copy of all state in host memory, by name; numbers are scalars of type int64.
workloads::NamedTensors copy_of(const RunState& state);

// Sets `state` from `copy`, a copy of the same training. `origin` names the copy's source in
// errors. Throws bad_data() (65) for a tensor that is missing or has another shape or type.
void put_back(const workloads::NamedTensors& copy, const RunState& state,
              const std::string& origin);

}  // namespace scalemark::running
