// The safetensors file format: named tensors behind a JSON header. Knows nothing of networks.
// Format: 8 bytes little-endian header length, a JSON object {name: {dtype, shape, data_offsets}}
// with an optional "__metadata__", then the bytes without gaps
// (https://github.com/huggingface/safetensors, "Format").
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace scalemark::workloads {

// Sorted by name, like the file.
using NamedTensors = std::map<std::string, at::Tensor, std::less<>>;

// One tensor of a file as its header describes it.
struct StoredTensor {
  std::string name;
  at::ScalarType type = at::kFloat;
  std::vector<std::int64_t> shape;
  std::uint64_t begin = 0, end = 0;  // bytes after the header
};

// Returns the tensors in the order of their bytes, which they cover exactly. Checks and throws as
// read_safetensors() does, but reads no data.
std::vector<StoredTensor> read_safetensors_header(const std::filesystem::path& path);

// Returns a type's name in these files, such as "F32"; empty: the format has none.
std::string_view name_in_file(at::ScalarType type);

// Returns contiguous tensors on the CPU. The header is checked completely before a byte of data is
// read: lengths, names, types, shapes, and offsets, which must cover the data exactly, without
// overlap or gap. Throws no_input (66) when there is no such file, bad_data (65) for a damaged or
// hostile one, for one of another format, which it names, and for a type that is not supported here
// (F8_E4M3).
NamedTensors read_safetensors(const std::filesystem::path& path);

// Writes under another name first, then does fsync and rename, so that the old file or the new one
// remains, never a part. Throws cannot_create (73) or io_error (74).
void write_safetensors(const std::filesystem::path& path, const NamedTensors& tensors);

}  // namespace scalemark::workloads
