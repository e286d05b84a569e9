// How gradients are sent: through a process group that wraps the strategy's own. It counts, marks,
// delays or leaves out each collective and, where --gradient-compression asks for it, halves the
// bytes.
#pragma once

#include <c10/core/ScalarType.h>
#include <c10/util/intrusive_ptr.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/csrc/distributed/c10d/comm.hpp>
#include <utility>
#include <vector>

#include "core/settings/settings.h"
#include "engine/step/measurement/step_timer.h"
#include "engine/step/strategy.h"
#include "engine/torch/compat.h"

namespace scalemark::training {

// The process group as a strategy sees it, with the same backends. It counts the payload of each
// collective, marks the moment at which the last gradient bucket leaves, can delay buckets
// (--overlap off) and can return from every collective at once without sending (a run without
// communication).
//
// It is a wrapper around the group instead of a communication hook, because with a hook the reducer
// no longer divides while it copies into the bucket. That costs one more pass over all gradients
// and, with 3 ranks, another rounding. This way DDP's default results stay the same bit for bit,
// and fp16 compression (which is a hook) combines with everything.
//
// It calls the backend directly and not through c10d::ProcessGroup's own methods: those pass every
// call through torch's dispatcher in boxed form, which costs 4 us and only leads to the same
// backend.
class MeteredGroup final : public c10d::ProcessGroup {
 public:
  explicit MeteredGroup(const c10::intrusive_ptr<c10d::ProcessGroup>& group);

  // Call it before the first collective of each step: the counts begin at zero.
  void begin_step() { sent_ = {}; }

  // Call it before each synchronised backward, whose first `buckets` collectives, whichever they
  // are, carry gradient buckets. `marker` must live until the backward is over.
  void begin_backward(std::size_t buckets, measurement::StepMarker& marker);

  void set_exchange(Exchange exchange) { exchange_ = exchange; }

  // Sets the observer of the buckets from the next backward on; null: none.
  void set_observer(std::shared_ptr<measurement::BucketObserver> observer) {
    observer_ = std::move(observer);
  }

  // Returns what this rank has sent in the collectives since begin_step().
  const Communication& communication() const { return sent_; }

  using Tensors = std::vector<at::Tensor>;
  using TensorLists = std::vector<Tensors>;
  using Work = c10::intrusive_ptr<c10d::Work>;

  Work allreduce(Tensors& tensors, const c10d::AllreduceOptions& options) override;
  Work allreduce_coalesced(Tensors& tensors,
                           const c10d::AllreduceCoalescedOptions& options) override;
  Work broadcast(Tensors& tensors, const c10d::BroadcastOptions& options) override;
  Work reduce(Tensors& tensors, const c10d::ReduceOptions& options) override;
  Work allgather(TensorLists& outputs, Tensors& inputs,
                 const c10d::AllgatherOptions& options) override;
  Work all_gather_single(at::Tensor& output, at::Tensor& input,
                         const c10d::AllgatherOptions& options) override;
  Work allgather_coalesced(TensorLists& outputs, Tensors& inputs,
                           const c10d::AllgatherOptions& options) override;
  Work all_gather_single_coalesced(Tensors& outputs, Tensors& inputs,
                                   const c10d::AllgatherOptions& options) override;
  Work gather(TensorLists& outputs, Tensors& inputs, const c10d::GatherOptions& options) override;
  Work scatter(Tensors& outputs, TensorLists& inputs, const c10d::ScatterOptions& options) override;
  Work reduce_scatter(Tensors& outputs, TensorLists& inputs,
                      const c10d::ReduceScatterOptions& options) override;
  Work reduce_scatter_single(at::Tensor& output, at::Tensor& input,
                             const c10d::ReduceScatterOptions& options) override;
  Work reduce_scatter_single_coalesced(Tensors& outputs, Tensors& inputs,
                                       const c10d::ReduceScatterOptions& options) override;
  Work all_to_all_single(at::Tensor& output, at::Tensor& input,
                         std::vector<std::int64_t>& output_sizes,
                         std::vector<std::int64_t>& input_sizes,
                         const c10d::AllToAllOptions& options) override;
  Work alltoall(Tensors& outputs, Tensors& inputs, const c10d::AllToAllOptions& options) override;

 private:
  struct Queued {
    std::function<Work()> send;
    c10::intrusive_ptr<c10::ivalue::Future> done;
  };

  c10d::Backend& backend_of(const at::Tensor& tensor);
  c10d::Backend& backend_of(const Tensors& tensors);

  // `send` may be called after the collective's arguments are gone.
  template <class Send>
  Work counted(const char* collective, std::int64_t payload_bytes, const Tensors& result,
               Send send);
  template <class Send>
  Work leaving(std::size_t i, std::size_t number, Send& send);
  void launch_queued();

  Exchange exchange_ = Exchange::kOverlapped;
  measurement::StepMarker* marker_ = nullptr;
  std::shared_ptr<measurement::BucketObserver> observer_;
  std::size_t buckets_left_ = 0;
  Communication sent_;
  std::vector<Queued> queue_;
};

// --- Compressed gradients: fp16 keeps 11 bits of each number and loses those below 6e-8; bf16
// keeps 8 bits over the range of float32.

// Returns the type in which --gradient-compression sends; absent for "none".
std::optional<at::ScalarType> compressed_type(settings::GradientCompression compression);

// Makes a hook for c10d::Reducer that divides and sums each bucket in `type` and writes it back.
// Like PyTorch's fp16 and bf16 hooks it divides after rounding.
std::unique_ptr<c10d::CommHookInterface> make_compression_hook(
    c10::intrusive_ptr<c10d::ProcessGroup> group, at::ScalarType type);

}  // namespace scalemark::training
