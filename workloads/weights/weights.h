// Reads and writes a network's parameters and buffers as safetensors files, under the names of the
// PyTorch original, so that files can be exchanged between scalemark, torchvision and Hugging Face.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "workloads/networks/network.h"
#include "workloads/weights/safetensors.h"

namespace scalemark::workloads {

// Returns every parameter and buffer by name, without second names for tied ones. They share memory
// with the network.
NamedTensors named_state(Network& network);

// Copies a file's tensors, or those of the shards of an index (weights_file.h), into the network,
// on whatever device it is. Everything is checked before anything is copied, and the headers'
// contents before any data is read. BF16, F16 and F64 become the network's type, rounded to nearest
// as in torch's Tensor.to(). Throws as open_weights() does, and bad_data (65): names missing or
// unexpected (all listed); another shape or dtype; a NaN, an infinity or a value beyond the
// network's type; two names of one tensor (a tied decoder) with different values.
void load_weights(Network& network, const std::filesystem::path& path);

// Returns, for people, what load_weights() would change of this file (a prefix that is dropped,
// types that are converted). Reads all of it. Throws as open_weights() and read_weights() do, and
// bad_data (65) for a NaN or an infinity. Checks against a network are left to load_weights().
std::vector<std::string> notes_on_weights(const std::filesystem::path& path);

// Throws E_NUMERICS (82) with the names when floating-point tensors whose names begin with `prefix`
// contain a NaN or an infinity.
void require_finite(const NamedTensors& tensors, std::string_view prefix = {});

// Leaves tied names out, as Hugging Face does. Throws as require_finite() does, and then writes no
// file.
void save_weights(Network& network, const std::filesystem::path& path);

}  // namespace scalemark::workloads
