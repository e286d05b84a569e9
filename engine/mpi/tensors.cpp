#include "engine/mpi/tensors.h"

#include <ATen/ops/cat.h>

#include <string>

#include "core/base/error.h"

namespace scalemark::mpi {
namespace {

Error refused(const std::string& what, const std::string& allowed) {
  return configuration("--backend mpi: " + what, allowed, "use --backend gloo or nccl");
}

}  // namespace

DataType type_of(const at::Tensor& tensor) {
  switch (tensor.scalar_type()) {
    case at::kFloat:
      return DataType::kFloat32;
    case at::kDouble:
      return DataType::kFloat64;
    case at::kHalf:
      return DataType::kFloat16;
    case at::kBFloat16:
      return DataType::kBFloat16;
    case at::kInt:
      return DataType::kInt32;
    case at::kLong:
      return DataType::kInt64;
    case at::kByte:
      return DataType::kUint8;
    default:
      throw refused(std::string("a tensor of type ") + c10::toString(tensor.scalar_type()),
                    "float, double, half, bfloat16, int, long or byte");
  }
}

Operation operation_of(const c10d::ReduceOp& op) {
  switch (op.op_) {
    case c10d::ReduceOp::SUM:
    case c10d::ReduceOp::AVG:
      return Operation::kSum;
    case c10d::ReduceOp::MIN:
      return Operation::kMin;
    case c10d::ReduceOp::MAX:
      return Operation::kMax;
    default:
      throw refused("reduction " + std::to_string(static_cast<int>(op.op_)) + " of c10d",
                    "sum, average, minimum or maximum");
  }
}

bool averages(const c10d::ReduceOp& op) { return op.op_ == c10d::ReduceOp::AVG; }

void require_dense(const at::Tensor& tensor) {
  if (!tensor.is_cpu()) throw refused("a tensor of a GPU", "tensors of the CPU");
  if (tensor.layout() == at::kStrided && tensor.is_non_overlapping_and_dense()) return;
  throw refused("a tensor with gaps in memory", "a dense tensor");
}

void require_contiguous(const at::Tensor& tensor) {
  require_dense(tensor);
  if (!tensor.is_contiguous()) throw refused("a permuted tensor", "a contiguous one");
}

at::Tensor& only(std::vector<at::Tensor>& tensors) {
  if (tensors.size() != 1) {
    throw refused(std::to_string(tensors.size()) + " tensors in one call", "one");
  }
  require_dense(tensors.front());
  return tensors.front();
}

at::Tensor joined(const std::vector<at::Tensor>& tensors) {
  std::vector<at::Tensor> flat;
  for (const at::Tensor& tensor : tensors) {
    require_dense(tensor);
    flat.push_back(tensor.reshape({-1}));
  }
  return at::cat(flat);
}

void split_into(const at::Tensor& whole, std::vector<at::Tensor>& tensors) {
  std::int64_t begin = 0;
  for (at::Tensor& tensor : tensors) {
    tensor.copy_(whole.narrow(0, begin, tensor.numel()).view(tensor.sizes()));
    begin += tensor.numel();
  }
}

}  // namespace scalemark::mpi
