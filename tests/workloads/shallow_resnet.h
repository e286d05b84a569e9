// The smallest ResNet with every kind of block that ResNet-50 has: with and without a convolution
// in its shortcut, with and without a stride. A third of its parameters and of its time, for tests
// that compare two ways to train it.
#pragma once

#include <memory>

#include "workloads/networks/resnet50.h"

namespace scalemark::workloads {

inline constexpr ResNetStages kShallowStages{2, 1, 1, 1};

inline std::unique_ptr<Network> make_shallow_resnet(const NetworkOptions& options) {
  return make_resnet(kShallowStages, options);
}

}  // namespace scalemark::workloads
