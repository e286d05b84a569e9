// A batch in host memory: named fields, one buffer each. The torch-free side of data/batch.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <vector>

namespace scalemark::data {

enum class DType { kUint8, kInt32, kInt64, kFloat32 };

constexpr std::size_t size_of(DType dtype) {
  switch (dtype) {
    case DType::kUint8:
      return 1;
    case DType::kInt32:
      return 4;
    case DType::kInt64:
      return 8;
    case DType::kFloat32:
      return 4;
  }
  return 0;
}

// One field of one sample: {"image", kUint8, {224, 224, 3}} (height, width, RGB), {"label", kInt64,
// {}}.
struct FieldSpec {
  std::string name;
  DType dtype;
  std::vector<std::int64_t> shape;  // of one sample; empty for a scalar

  std::size_t bytes_per_sample() const {
    return std::accumulate(
        shape.begin(), shape.end(), size_of(dtype),
        [](std::size_t n, std::int64_t d) { return n * static_cast<std::size_t>(d); });
  }
};

// One sample's place in a batch: one byte range per field, in the order of Dataset::fields().
using SampleSlot = std::span<const std::span<std::byte>>;

// Host memory, owned. On CUDA the engine's allocator pins it; data/ does not depend on that.
using HostBuffer = std::shared_ptr<std::byte>;
using HostAllocator = std::function<HostBuffer(std::size_t bytes)>;

HostBuffer allocate_host(std::size_t bytes);  // 64-byte aligned, not pinned

struct HostField {
  std::string name;
  DType dtype;
  std::vector<std::int64_t> shape;  // of the whole batch: {samples, ...}
  HostBuffer bytes;

  template <class T>
  std::span<T> as() const {
    const auto n =
        std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
    return {reinterpret_cast<T*>(bytes.get()), static_cast<std::size_t>(n)};
  }
};

// Images: "image" u8 [n, h, w, 3], "label" i64 [n].
// Text:   "input_ids", "token_type_ids", "attention_mask" i64 [n, s]; "masked_positions" i64 [m]
//         (into the flattened n*s), "masked_labels" i64 [m], "next_sentence_label" i64 [n].
// Vectors (mlp, linear): "features" f32 [n, d], "label" i64 [n].
struct HostBatch {
  std::vector<HostField> fields;
  std::int64_t samples = 0;         // rows in the fields
  std::int64_t padding = 0;         // of these, repeated by the sampler to even out the ranks
  std::int64_t non_pad_tokens = 0;  // text only
  std::int64_t epoch = 0;

  const HostField& field(std::string_view name) const;  // throws bug() when absent
};

}  // namespace scalemark::data
