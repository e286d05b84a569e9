// A network's parameters and buffers in and out of safetensors files, under the names of the
// PyTorch original, so that files travel between scalemark, torchvision and Hugging Face.
#pragma once

#include <filesystem>
#include <string_view>

#include "workloads/network.h"
#include "workloads/safetensors.h"

namespace scalemark::workloads {

// Every parameter and buffer by name, without a second name for tied ones. They share memory with
// the network.
NamedTensors named_state(Network& network);

// Copies a file's tensors into the network, on whatever device it is. Everything is checked before
// anything is copied. Throws bad_data (65): damaged file; names missing or unexpected (all listed);
// another shape or dtype; two names of one tensor (a tied decoder) with different values.
void load_weights(Network& network, const std::filesystem::path& path);

// Throws E_NUMERICS (82), naming them, when floating-point tensors whose names begin with `prefix`
// hold a NaN or an infinity.
void require_finite(const NamedTensors& tensors, std::string_view prefix = {});

// Tied names are left out, as Hugging Face does. Throws as require_finite() does; no file is
// written then.
void save_weights(Network& network, const std::filesystem::path& path);

}  // namespace scalemark::workloads
