// Gradients in half the bytes while they travel: fp16 keeps 11 bits of each number and loses those
// below 6e-8, bf16 keeps 8 bits over the range of float32.
#pragma once

#include <c10/core/ScalarType.h>
#include <c10/util/intrusive_ptr.h>

#include <memory>
#include <optional>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/csrc/distributed/c10d/comm.hpp>

#include "core/settings/settings.h"

namespace scalemark::training {

// --gradient-compression sends this type; absent for "none".
std::optional<at::ScalarType> compressed_type(settings::GradientCompression compression);

// For c10d::Reducer: each bucket is divided and summed in `type`, and written back. As PyTorch's
// fp16 and bf16 hooks, which also divide after rounding.
std::unique_ptr<c10d::CommHookInterface> make_compression_hook(
    c10::intrusive_ptr<c10d::ProcessGroup> group, at::ScalarType type);

}  // namespace scalemark::training
