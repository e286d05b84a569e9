// The training of one rank: a network on its device with optimizer and strategy, built from
// settings, and the state of its run, which is everything that decides what the next steps compute.
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
// --init-from). What a network draws in training (dropout, skipped branches) differs between ranks.
Trainer make_trainer(const settings::Settings& settings, const catalogue::ModelShape& shape,
                     device::Device& device, c10::intrusive_ptr<c10d::ProcessGroup> group,
                     const TrainingRanks& ranks, std::int64_t planned_steps);

// One walk visits all of the state: network, optimizer, gradient scaler, strategy, step count,
// position in the data, random generators.
struct RunState {
  training::TrainStep& step;
  BatchSource* source;  // nullptr: what opens the data reads the step's position
  c10::Device device;
  // --epochs keeps here what this rank has measured of the epoch so far. Null without it.
  at::Tensor* epoch = nullptr;
};

// Between two steps. A visitor that moves the position in the data moves the source, too.
void visit_state(const RunState& state, training::StateVisitor& visitor);

// A copy of everything in host memory, by name; numbers are scalars of type int64.
workloads::NamedTensors copy_of(const RunState& state);

// Makes `state` what `copy` is, a copy of the same training. `origin`: where the copy was, for
// errors. Throws bad_data() (65) for a tensor that is missing or has another shape or type.
void put_back(const workloads::NamedTensors& copy, const RunState& state,
              const std::string& origin);

}  // namespace scalemark::running
