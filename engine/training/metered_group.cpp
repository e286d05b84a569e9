#include "engine/training/bucket_group.h"

#include <ATen/core/ivalue.h>
#include <ATen/core/jit_type.h>

#include <torch/csrc/distributed/c10d/Work.hpp>
#include <utility>

namespace scalemark::training {
namespace {

using c10::ivalue::Future;

std::int64_t bytes_of(const std::vector<at::Tensor>& tensors) {
  std::int64_t bytes = 0;
  for (const at::Tensor& tensor : tensors) bytes += static_cast<std::int64_t>(tensor.nbytes());
  return bytes;
}

c10::intrusive_ptr<Future> future_of(const std::vector<at::Tensor>& tensors) {
  std::vector<c10::Device> devices;
  if (!tensors.front().is_cpu()) devices.push_back(tensors.front().device());
  return c10::make_intrusive<Future>(c10::ListType::ofTensors(), std::move(devices));
}

c10::intrusive_ptr<c10d::Work> handed_back(const std::vector<at::Tensor>& tensors) {
  auto done = future_of(tensors);
  done->markCompleted(c10::IValue(tensors));
  return c10d::Work::create_from_future(done);
}

}  // namespace

BucketGroup::BucketGroup(const c10::intrusive_ptr<c10d::ProcessGroup>& group)
    : c10d::ProcessGroup(group->getRank(), group->getSize()) {
  for (const c10::Device device : group->getDeviceTypes()) {
    auto backend = group->getBackend(device.type());
    setBackend(device.type(), c10d::ProcessGroup::strToBackendType(backend->getBackendName()),
               backend);
  }
  setDefaultBackend(group->getBackendType());
}

void BucketGroup::begin_backward(std::size_t buckets, measurement::StepMarker& marker) {
  buckets_ = buckets;
  marker_ = &marker;
  bucket_bytes_.clear();
  other_bytes_ = 0;
  queue_.clear();
}

c10::intrusive_ptr<c10d::Work> BucketGroup::allreduce(std::vector<at::Tensor>& tensors,
                                                      const c10d::AllreduceOptions& options) {
  if (bucket_bytes_.size() == buckets_) {  // not a bucket: all of them have left already
    other_bytes_ += bytes_of(tensors);
    return c10d::ProcessGroup::allreduce(tensors, options);
  }
  bucket_bytes_.push_back(bytes_of(tensors));
  const bool last = bucket_bytes_.size() == buckets_;
  if (last) marker_->mark(measurement::Moment::kLastBucketReady);
  if (exchange_ == Exchange::kNone) return handed_back(tensors);
  if (exchange_ == Exchange::kOverlapped) {
    return c10d::ProcessGroup::allreduce(tensors, options);
  }
  auto work = enqueue(tensors, options);
  if (last) launch_queued();
  return work;
}

c10::intrusive_ptr<c10d::Work> BucketGroup::enqueue(const std::vector<at::Tensor>& tensors,
                                                    const c10d::AllreduceOptions& options) {
  queue_.push_back({tensors, options, future_of(tensors)});
  return c10d::Work::create_from_future(queue_.back().done);
}

void BucketGroup::launch_queued() {
  for (Queued& bucket : queue_) {
    auto sent = c10d::ProcessGroup::allreduce(bucket.tensors, bucket.options)->getFuture();
    sent->addCallback([done = bucket.done](Future& future) {
      if (future.hasError()) return done->setError(future.exception_ptr());
      done->markCompleted(future.value(), future.storages());
    });
  }
  queue_.clear();
}

}  // namespace scalemark::training
