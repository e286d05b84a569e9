// A ResNet of bottlenecks with any number of them in its four stages. ResNet-50 is one; tests take
// one with fewer, whose steps cost a third. Depends on no entry of the catalogue.
#pragma once

#include <array>
#include <memory>

#include "workloads/network.h"

namespace scalemark::workloads {

using ResNetStages = std::array<int, 4>;  // bottlenecks of each stage
inline constexpr ResNetStages kResNet50Stages{3, 4, 6, 3};

// Fresh parameters as of make_network(); `options.shape` is resolved.
std::unique_ptr<Network> make_resnet(const ResNetStages& stages, const NetworkOptions& options);

}  // namespace scalemark::workloads
