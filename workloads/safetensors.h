// The safetensors file format: named tensors behind a JSON header. Knows nothing of networks.
// Format: 8 bytes little-endian header length, a JSON object {name: {dtype, shape, data_offsets}}
// with an optional "__metadata__", then the bytes without gaps
// (https://github.com/huggingface/safetensors, "Format").
#pragma once

#include <ATen/core/Tensor.h>

#include <filesystem>
#include <map>
#include <string>

namespace scalemark::workloads {

// Sorted by name, as the file is written.
using NamedTensors = std::map<std::string, at::Tensor, std::less<>>;

// Tensors on the CPU, contiguous. The header is checked completely before a byte of data is read:
// lengths, names, types, shapes, and offsets that cover the data exactly, without overlap or gap.
// Throws no_input (66) when there is no such file, bad_data (65) for a damaged or hostile one.
NamedTensors read_safetensors(const std::filesystem::path& path);

// Writes under another name first, then fsync and rename: leaves the old file or the new one, never
// a part. Throws cannot_create (73) or io_error (74).
void write_safetensors(const std::filesystem::path& path, const NamedTensors& tensors);

}  // namespace scalemark::workloads
