#include "engine/training/compression.h"

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>
#include <ATen/core/jit_type.h>

#include <torch/csrc/distributed/c10d/Work.hpp>
#include <utility>
#include <vector>

namespace scalemark::training {
namespace {

class CompressionHook final : public c10d::CommHookInterface {
 public:
  CompressionHook(c10::intrusive_ptr<c10d::ProcessGroup> group, at::ScalarType type)
      : group_(std::move(group)), type_(type) {}

  c10::intrusive_ptr<c10::ivalue::Future> runHook(c10d::GradBucket& bucket) override {
    const at::Tensor gradients = bucket.getBufferRef();
    std::vector<at::Tensor> sent{gradients.to(type_).div_(group_->getSize())};
    const auto summed = group_->allreduce(sent)->getFuture();
    const auto write_back = [gradients](c10::ivalue::Future& done) {
      gradients.copy_(done.value().toTensorVector().at(0));
      return c10::IValue(gradients);
    };
    return summed->then(write_back, c10::TensorType::get());
  }

  at::Tensor parseHookResult(const c10::IValue& result) override { return result.toTensor(); }

 private:
  c10::intrusive_ptr<c10d::ProcessGroup> group_;
  at::ScalarType type_;
};

}  // namespace

std::optional<at::ScalarType> compressed_type(settings::GradientCompression compression) {
  switch (compression) {
    case settings::GradientCompression::kNone:
      return std::nullopt;
    case settings::GradientCompression::kFp16:
      return at::kHalf;
    case settings::GradientCompression::kBf16:
      return at::kBFloat16;
  }
  return std::nullopt;
}

std::unique_ptr<c10d::CommHookInterface> make_compression_hook(
    c10::intrusive_ptr<c10d::ProcessGroup> group, at::ScalarType type) {
  return std::make_unique<CompressionHook>(std::move(group), type);
}

}  // namespace scalemark::training
