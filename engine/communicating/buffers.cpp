#include "engine/communicating/buffers.h"

#include <ATen/ops/empty.h>

namespace scalemark::communicating {
namespace {

using collectives::Collective;
using collectives::DataType;

at::ScalarType scalar_type(DataType type) {
  switch (type) {
    case DataType::kFp32:
      return at::kFloat;
    case DataType::kFp16:
      return at::kHalf;
    case DataType::kBf16:
      return at::kBFloat16;
    case DataType::kInt32:
      return at::kInt;
  }
  throw_unnamed_value();
}

}  // namespace

collectives::Exchange exchange_of(const planning::CollectivePoint& point, int round) {
  return {.collective = point.collective,
          .world_size = point.world_size,
          .elements = point.elements,
          .round = static_cast<std::uint64_t>(round)};
}

Buffers make_buffers(const planning::CollectivePoint& point, int rank, c10::Device device) {
  const auto options = at::TensorOptions().dtype(scalar_type(point.dtype)).device(device);
  const auto tensor = [&](std::int64_t elements) { return at::empty({elements}, options); };
  const std::int64_t share = share_of(exchange_of(point, 0));
  const auto share_in = [&](const at::Tensor& whole) {
    return point.in_place ? whole.narrow(0, rank * share, share) : tensor(share);
  };
  if (point.collective == Collective::kBarrier) return {};
  if (point.collective == Collective::kGather && rank != collectives::kRoot) {
    return {.input = tensor(share), .output = {}};
  }
  const at::Tensor whole = tensor(point.elements);
  switch (point.collective) {
    case Collective::kAllGather:
    case Collective::kGather:
      return {.input = share_in(whole), .output = whole};
    case Collective::kReduceScatter:
      return {.input = whole, .output = share_in(whole)};
    default:
      return {.input = whole, .output = point.in_place ? whole : tensor(point.elements)};
  }
}

}  // namespace scalemark::communicating
