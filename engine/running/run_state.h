// The state of one rank's training run: everything that decides what its next steps compute. One
// walk visits all of it: network, optimizer, gradient scaler, strategy, step count, position in the
// data, random generators.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "engine/device/device.h"
#include "engine/running/batch_source.h"
#include "engine/training/state_visitor.h"
#include "engine/training/train_step.h"

namespace scalemark::running {

struct RunState {
  training::TrainStep& step;
  BatchSource* source;  // nullptr: whoever opens the data looks at the step's position
  c10::Device device;
  at::Tensor* epoch = nullptr;  // of --epochs: what this rank has measured of the epoch so far
};

// Between two steps. A visitor that moves the position in the data moves the source, too.
void visit_state(const RunState& state, training::StateVisitor& visitor);

// A copy of everything in host memory.
class StateCopy {
 public:
  explicit StateCopy(const RunState& state);
  void put_back(const RunState& state) const;

  const std::map<std::string, at::Tensor>& tensors() const { return tensors_; }
  const std::map<std::string, std::int64_t>& numbers() const { return numbers_; }

 private:
  std::map<std::string, at::Tensor> tensors_;
  std::map<std::string, std::int64_t> numbers_;
};

}  // namespace scalemark::running
