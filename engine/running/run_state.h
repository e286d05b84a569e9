// The state of one rank's training run: everything that decides what its next steps compute. One
// walk visits all of it: network, optimizer, gradient scaler, strategy, step count, position in the
// data, random generators.
#pragma once

#include <cstdint>
#include <string>

#include "engine/device/device.h"
#include "engine/running/batch_source.h"
#include "engine/training/state_visitor.h"
#include "engine/training/train_step.h"
#include "workloads/safetensors.h"

namespace scalemark::running {

struct RunState {
  training::TrainStep& step;
  BatchSource* source;  // nullptr: what opens the data reads the step's position
  c10::Device device;
  at::Tensor* epoch = nullptr;  // of --epochs: what this rank has measured of the epoch so far
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
