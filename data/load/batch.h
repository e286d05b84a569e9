// The border between data and torch: a host batch as tensors that share its memory. This is the
// only header in data/ that includes torch; it is header-only, so that libscalemark_data.so needs
// no torch.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/ops/from_blob.h>

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "data/load/dataset.h"

namespace scalemark::data {

// The part of a joined batch that one of the batches makes up.
struct Share {
  std::map<std::string, std::int64_t, std::less<>> rows;  // rows of each field
  std::int64_t samples = 0;
  std::int64_t non_pad_tokens = 0;
};

struct Batch {
  std::map<std::string, at::Tensor, std::less<>> tensors;  // names and shapes as in HostBatch
  // Empty unless joined; indices count from the beginning of their share.
  std::vector<Share> shares;
  std::int64_t samples = 0;
  std::int64_t padding = 0;
  std::int64_t non_pad_tokens = 0;
  double wait_s = 0;

  const at::Tensor& operator[](std::string_view name) const {
    const auto found = tensors.find(name);
    if (found == tensors.end()) throw bug("the batch has no field '" + std::string(name) + "'");
    return found->second;
  }
};

inline at::ScalarType to_torch(DType dtype) {
  switch (dtype) {
    case DType::kUint8:
      return at::kByte;
    case DType::kInt32:
      return at::kInt;
    case DType::kInt64:
      return at::kLong;
    case DType::kFloat32:
      return at::kFloat;
  }
  throw bug("unknown dtype of a batch field");
}

// Returns tensors on the host over the same bytes; each keeps its buffer alive.
inline Batch to_tensors(const HostBatch& host, double wait_s = 0) {
  Batch batch{.samples = host.samples,
              .padding = host.padding,
              .non_pad_tokens = host.non_pad_tokens,
              .wait_s = wait_s};
  for (const HostField& field : host.fields) {
    batch.tensors[field.name] = at::from_blob(
        field.bytes.get(), field.shape, [keep = field.bytes](void*) {},
        at::TensorOptions().dtype(to_torch(field.dtype)));
  }
  return batch;
}

// Moves every tensor to `device`: tensors that are there already stay unchanged, others are copied
// in the order of the device's current stream, without waiting.
inline void to_device(Batch& batch, c10::Device device) {
  for (auto& [name, tensor] : batch.tensors) {
    tensor = tensor.to(device, tensor.scalar_type(), /*non_blocking=*/true);
  }
}

}  // namespace scalemark::data
