// The process group as the reducer sees it: the same backends, but each bucket passes through here
// on its way. Counts the payload, marks the moment at which the last bucket leaves, and can hold
// buckets back (--overlap off) or hand them back unsent (the twin without communication).
//
// A shell around the group instead of a communication hook: with a hook the reducer no longer
// divides while it copies into the bucket, which costs one more pass over all gradients and, with 3
// ranks, another rounding. Here what DDP does by default stays bit for bit what it is, and fp16
// compression (which is a hook) combines with everything.
#pragma once

#include <cstdint>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <vector>

#include "engine/measurement/step_timer.h"
#include "engine/training/gradient_sync.h"

namespace scalemark::training {

class BucketGroup final : public c10d::ProcessGroup {
 public:
  explicit BucketGroup(const c10::intrusive_ptr<c10d::ProcessGroup>& group);

  // Before each synchronised backward. `marker` must live until the backward is over.
  void begin_backward(std::size_t buckets, measurement::StepMarker& marker);

  void set_exchange(Exchange exchange) { exchange_ = exchange; }

  // Of the last synchronised backward.
  const std::vector<std::int64_t>& bucket_bytes() const { return bucket_bytes_; }
  std::int64_t other_bytes() const { return other_bytes_; }  // the map of used parameters

  c10::intrusive_ptr<c10d::Work> allreduce(
      std::vector<at::Tensor>& tensors,
      const c10d::AllreduceOptions& options = c10d::AllreduceOptions()) override;

 private:
  struct Queued {
    std::vector<at::Tensor> tensors;
    c10d::AllreduceOptions options;
    c10::intrusive_ptr<c10::ivalue::Future> done;
  };

  c10::intrusive_ptr<c10d::Work> enqueue(const std::vector<at::Tensor>& tensors,
                                         const c10d::AllreduceOptions& options);
  void launch_queued();

  Exchange exchange_ = Exchange::kOverlapped;
  std::size_t buckets_ = 0;
  measurement::StepMarker* marker_ = nullptr;
  std::vector<std::int64_t> bucket_bytes_;
  std::int64_t other_bytes_ = 0;
  std::vector<Queued> queue_;
};

}  // namespace scalemark::training
