#include "engine/step/metered_group.h"

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>
#include <ATen/core/jit_type.h>

#include <torch/csrc/distributed/c10d/Work.hpp>
#include <utility>
#include <vector>

#include "engine/step/parameters.h"

namespace scalemark::training {
namespace {

using c10::ivalue::Future;
using Tensors = MeteredGroup::Tensors;
using TensorLists = MeteredGroup::TensorLists;
using Work = MeteredGroup::Work;

Tensors joined(const TensorLists& lists) {
  Tensors all;
  for (const Tensors& list : lists) all.insert(all.end(), list.begin(), list.end());
  return all;
}

c10::intrusive_ptr<Future> future_of(const Tensors& tensors) {
  std::vector<c10::Device> devices;
  if (!tensors.empty() && !tensors.front().is_cpu()) devices.push_back(tensors.front().device());
  return c10::make_intrusive<Future>(c10::ListType::ofTensors(), std::move(devices));
}

Work handed_back(const Tensors& tensors) {
  auto done = future_of(tensors);
  done->markCompleted(c10::IValue(tensors));
  return c10d::Work::create_from_future(done);
}

}  // namespace

MeteredGroup::MeteredGroup(const c10::intrusive_ptr<c10d::ProcessGroup>& group)
    : c10d::ProcessGroup(group->getRank(), group->getSize()) {
  for (const c10::Device device : group->getDeviceTypes()) {
    setBackend(device.type(), group->getBackendType(), group->getBackend(device.type()));
  }
  setDefaultBackend(group->getBackendType());
}

c10d::Backend& MeteredGroup::backend_of(const at::Tensor& tensor) {
  return *getBackend(tensor.device().type());
}

c10d::Backend& MeteredGroup::backend_of(const Tensors& tensors) {
  return backend_of(tensors.at(0));
}

void MeteredGroup::begin_backward(std::size_t buckets, measurement::StepMarker& marker) {
  buckets_left_ = buckets;
  marker_ = &marker;
  queue_.clear();
}

template <class Send>
Work MeteredGroup::counted(const char* collective, std::int64_t payload_bytes,
                           const Tensors& result, Send send) {
  sent_.payload_bytes_per_step += payload_bytes;
  if (buckets_left_ == 0) return exchange_ == Exchange::kNone ? handed_back(result) : send();
  sent_.bucket_bytes.push_back(payload_bytes);
  const bool last = --buckets_left_ == 0;
  if (last) marker_->mark(measurement::Moment::kLastBucketReady);
  if (exchange_ == Exchange::kNone) return handed_back(result);
  const std::size_t i = sent_.bucket_bytes.size() - 1;
  const std::size_t number = observer_ ? observer_->ready(payload_bytes, collective) : 0;
  if (exchange_ == Exchange::kOverlapped) return leaving(i, number, send);
  queue_.push_back(
      {[this, i, number, send]() mutable { return leaving(i, number, send); }, future_of(result)});
  auto work = c10d::Work::create_from_future(queue_.back().done);
  if (last) launch_queued();
  return work;
}

template <class Send>
Work MeteredGroup::leaving(std::size_t i, std::size_t number, Send& send) {
  const measurement::BucketLeaving range(*marker_, i);
  if (observer_) observer_->sent(number);
  const Work work = send();
  if (observer_) {
    work->getFuture()->addCallback(
        [observer = observer_, number](Future&) { observer->done(number); });
  }
  return work;
}

void MeteredGroup::launch_queued() {
  for (Queued& bucket : queue_) {
    bucket.send()->getFuture()->addCallback([done = bucket.done](Future& future) {
      if (future.hasError()) return done->setError(future.exception_ptr());
      done->markCompleted(future.value(), future.storages());
    });
  }
  queue_.clear();
}

Work MeteredGroup::allreduce(Tensors& tensors, const c10d::AllreduceOptions& options) {
  return counted("all_reduce", bytes_of(tensors), tensors, [this, tensors, options]() mutable {
    return backend_of(tensors).allreduce(tensors, options);
  });
}

Work MeteredGroup::allreduce_coalesced(Tensors& tensors,
                                       const c10d::AllreduceCoalescedOptions& options) {
  return counted("all_reduce", bytes_of(tensors), tensors, [=, this]() mutable {
    return backend_of(tensors).allreduce_coalesced(tensors, options);
  });
}

Work MeteredGroup::broadcast(Tensors& tensors, const c10d::BroadcastOptions& options) {
  return counted("broadcast", bytes_of(tensors), tensors,
                 [=, this]() mutable { return backend_of(tensors).broadcast(tensors, options); });
}

Work MeteredGroup::reduce(Tensors& tensors, const c10d::ReduceOptions& options) {
  return counted("reduce", bytes_of(tensors), tensors,
                 [=, this]() mutable { return backend_of(tensors).reduce(tensors, options); });
}

Work MeteredGroup::allgather(TensorLists& outputs, Tensors& inputs,
                             const c10d::AllgatherOptions& options) {
  return counted("all_gather", bytes_of(inputs), joined(outputs), [=, this]() mutable {
    return backend_of(inputs).allgather(outputs, inputs, options);
  });
}

Work MeteredGroup::all_gather_single(at::Tensor& output, at::Tensor& input,
                                     const c10d::AllgatherOptions& options) {
  return counted("all_gather", bytes_of(input), {output}, [=, this]() mutable {
    return backend_of(output)._allgather_base(output, input, options);
  });
}

Work MeteredGroup::allgather_coalesced(TensorLists& outputs, Tensors& inputs,
                                       const c10d::AllgatherOptions& options) {
  return counted("all_gather", bytes_of(inputs), joined(outputs), [=, this]() mutable {
    return backend_of(inputs).allgather_coalesced(outputs, inputs, options);
  });
}

Work MeteredGroup::all_gather_single_coalesced(Tensors& outputs, Tensors& inputs,
                                               const c10d::AllgatherOptions& options) {
  return counted("all_gather", bytes_of(inputs), outputs, [=, this]() mutable {
    return backend_of(inputs).allgather_into_tensor_coalesced(outputs, inputs, options);
  });
}

Work MeteredGroup::gather(TensorLists& outputs, Tensors& inputs,
                          const c10d::GatherOptions& options) {
  const Tensors result = outputs.empty() ? inputs : joined(outputs);
  return counted("gather", bytes_of(inputs), result, [=, this]() mutable {
    return backend_of(inputs).gather(outputs, inputs, options);
  });
}

Work MeteredGroup::scatter(Tensors& outputs, TensorLists& inputs,
                           const c10d::ScatterOptions& options) {
  std::int64_t payload = 0;
  for (const Tensors& list : inputs) payload += bytes_of(list);
  return counted("scatter", payload, outputs, [=, this]() mutable {
    return backend_of(outputs).scatter(outputs, inputs, options);
  });
}

Work MeteredGroup::reduce_scatter(Tensors& outputs, TensorLists& inputs,
                                  const c10d::ReduceScatterOptions& options) {
  return counted("reduce_scatter", bytes_of(joined(inputs)), outputs, [=, this]() mutable {
    return backend_of(outputs).reduce_scatter(outputs, inputs, options);
  });
}

Work MeteredGroup::reduce_scatter_single(at::Tensor& output, at::Tensor& input,
                                         const c10d::ReduceScatterOptions& options) {
  return counted("reduce_scatter", bytes_of(input), {output}, [=, this]() mutable {
    return backend_of(output)._reduce_scatter_base(output, input, options);
  });
}

Work MeteredGroup::reduce_scatter_single_coalesced(Tensors& outputs, Tensors& inputs,
                                                   const c10d::ReduceScatterOptions& options) {
  return counted("reduce_scatter", bytes_of(inputs), outputs, [=, this]() mutable {
    return backend_of(outputs).reduce_scatter_tensor_coalesced(outputs, inputs, options);
  });
}

Work MeteredGroup::all_to_all_single(at::Tensor& output, at::Tensor& input,
                                     std::vector<std::int64_t>& output_sizes,
                                     std::vector<std::int64_t>& input_sizes,
                                     const c10d::AllToAllOptions& options) {
  return counted("all_to_all", bytes_of(input), {output}, [=, this]() mutable {
    return backend_of(output).alltoall_base(output, input, output_sizes, input_sizes, options);
  });
}

Work MeteredGroup::alltoall(Tensors& outputs, Tensors& inputs,
                            const c10d::AllToAllOptions& options) {
  return counted("all_to_all", bytes_of(inputs), outputs, [=, this]() mutable {
    return backend_of(outputs).alltoall(outputs, inputs, options);
  });
}

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
