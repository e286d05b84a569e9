// Elements of many tensors in pieces of one size, which threads share, for updates on a CPU; and
// which tensors any update may take element by element in the order of memory.
#pragma once

#include <ATen/core/Tensor.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "workloads/parallel.h"

namespace scalemark::training {

struct TensorChunk {
  std::size_t tensor;
  std::int64_t begin, end;  // elements, in memory order
};

inline constexpr std::int64_t kElementsOfAChunk = 8192;

inline std::vector<TensorChunk> chunks_of(const std::vector<at::Tensor>& tensors) {
  std::vector<TensorChunk> chunks;
  for (std::size_t tensor = 0; tensor < tensors.size(); ++tensor) {
    const std::int64_t size = tensors[tensor].numel();
    for (std::int64_t begin = 0; begin < size; begin += kElementsOfAChunk) {
      chunks.push_back({tensor, begin, std::min(size, begin + kElementsOfAChunk)});
    }
  }
  return chunks;
}

// Calls body(index of a chunk) for each, in several threads.
template <class Body>
void for_chunks(const std::vector<TensorChunk>& chunks, const Body& body) {
  workloads::parallel_for(0, std::ssize(chunks), 4, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) body(static_cast<std::size_t>(i));
  });
}

// Whether both lie in one device's memory in the same order.
inline bool same_layout(const at::Tensor& a, const at::Tensor& b) {
  if (a.sizes() != b.sizes() || a.device() != b.device()) return false;
  for (std::int64_t d = 0; d < a.dim(); ++d) {
    if (a.size(d) > 1 && a.stride(d) != b.stride(d)) return false;
  }
  return true;
}

inline bool is_dense_on_cpu(const at::Tensor& tensor) {
  return tensor.is_cpu() && tensor.is_non_overlapping_and_dense();
}

}  // namespace scalemark::training
