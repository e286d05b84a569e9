// A network's parameters and buffers in and out of safetensors files, under the names of the
// PyTorch original, so that files travel between scalemark, torchvision and Hugging Face.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "workloads/networks/network.h"
#include "workloads/weights/safetensors.h"

namespace scalemark::workloads {

// Every parameter and buffer by name, without a second name for tied ones. They share memory with
// the network.
NamedTensors named_state(Network& network);

// Copies a file's tensors, or those of the shards of an index (weights_file.h), into the network,
// on whatever device it is. Everything is checked before anything is copied, and before data is
// read what the headers tell. BF16, F16 and F64 become the network's type, rounded to the nearest
// as torch's Tensor.to() does. Throws as open_weights() does, and bad_data (65): names missing or
// unexpected (all listed); another shape or dtype; a NaN, an infinity or a value beyond the
// network's type; two names of one tensor (a tied decoder) with different values.
void load_weights(Network& network, const std::filesystem::path& path);

// For people: what load_weights() changes of this file (a prefix that is dropped, types that are
// converted). Reads all of it: throws as open_weights() and read_weights() do, and bad_data (65)
// for a NaN or an infinity. What depends on a network is left to load_weights().
std::vector<std::string> notes_on_weights(const std::filesystem::path& path);

// Throws E_NUMERICS (82), naming them, when floating-point tensors whose names begin with `prefix`
// hold a NaN or an infinity.
void require_finite(const NamedTensors& tensors, std::string_view prefix = {});

// Tied names are left out, as Hugging Face does. Throws as require_finite() does; no file is
// written then.
void save_weights(Network& network, const std::filesystem::path& path);

}  // namespace scalemark::workloads
