// Gradients travel in flat buckets while backward goes on: which place each parameter has in them,
// how backward fills them, and what strategies that send full buckets share.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/settings/settings.h"
#include "engine/step/metered_group.h"
#include "engine/step/parameters.h"
#include "engine/step/strategy.h"

namespace scalemark::training {

// Parameters have their places in buckets in the order of their own memory. Pure; strategies use
// that for gradients, and for parameters that travel.

// Converts --bucket-cap-mb and its like. Throws configuration() for less than a byte.
std::int64_t bytes_of_mb(double mb, const char* option);

struct BucketPlace {
  std::size_t parameter = 0;  // its index
  std::int64_t offset = 0;    // in elements of the buffer, at a cache line
};

struct BucketLayout {
  std::vector<BucketPlace> places;  // ascending offsets
  std::int64_t elements = 0;        // the buffer has so many, filling included
};

// Forms buckets as DistributedDataParallel does: from the last parameter to the first, which is
// roughly the order in which backward produces gradients; a bucket closes with the tensor that
// takes it over --bucket-cap-mb (the first one: --first-bucket-cap-mb). All parameters of a bucket
// have one dtype. A buffer can be divided into `parts` equal parts that begin at cache lines.
std::vector<BucketLayout> bucket_layouts(const std::vector<NamedParameter>& parameters,
                                         const settings::ParallelSettings& settings,
                                         std::int64_t parts = 1);

// One buffer of zeros per layout.
std::vector<at::Tensor> zero_buffers(const std::vector<NamedParameter>& parameters,
                                     const std::vector<BucketLayout>& layouts);

// The part of `buffer` at `offset`, in the shape and strides of `parameter`.
at::Tensor view_for(const at::Tensor& parameter, const at::Tensor& buffer, std::int64_t offset);

// Moves every parameter into its place of new buffers, which are returned: what is sent from a
// buffer are the parameters themselves.
std::vector<at::Tensor> flatten_parameters(const std::vector<NamedParameter>& parameters,
                                           const std::vector<BucketLayout>& layouts);

// Backward hands each gradient to a hook, which writes it into its buffer; from then on the
// gradient is a view of the buffer, and nothing is copied back. Knows nothing of what is done with
// a full buffer.
class GradientBuckets {
 public:
  // `full` is called in each synchronised backward once per bucket, in ascending order, whatever
  // order the gradients come in: all ranks send in the same order.
  using Full = std::function<void(std::size_t bucket)>;

  GradientBuckets(std::vector<NamedParameter> parameters, std::vector<BucketLayout> layouts,
                  Full full);
  ~GradientBuckets();
  GradientBuckets(const GradientBuckets&) = delete;
  GradientBuckets& operator=(const GradientBuckets&) = delete;

  std::size_t size() const { return buffers_.size(); }
  const std::vector<BucketLayout>& layouts() const { return layouts_; }
  const std::vector<at::Tensor>& buffers() const { return buffers_; }

  // Without synchronisation buffers fill and nothing is told.
  void begin_backward(bool synchronise);

  // In the place of a synchronised backward: every gradient becomes its view of a buffer, whatever
  // that holds, and all buckets are told as full.
  void fill_without_backward();

  // After a synchronised backward. Throws configuration() where a parameter got no gradient,
  // naming `strategy`, which needs all.
  void require_all_full(const std::string& strategy) const;

 private:
  class Fill;

  void note_filled(std::size_t bucket, std::size_t parameter);

  std::vector<NamedParameter> parameters_;
  std::vector<BucketLayout> layouts_;
  Full full_;
  std::vector<at::Tensor> buffers_;
  // In this backward: how many gradients each bucket lacks, and whether each parameter has its own.
  std::vector<std::size_t> missing_;
  std::vector<bool> filled_;
  std::size_t next_ = 0;  // bucket to be told as full
  bool synchronising_ = false;
};

// Strategies that send full buckets share this: hooks that fill the buckets, the division by ranks,
// the counting group. Each says how a full bucket is sent, and what is done with what comes back.
//
// Backward starts from 1 / contributors, so that the sum over ranks is the mean, with any backend
// and without a pass for it. Compressed gradients are rounded first: there the strategy divides.
class Bucketed : public Strategy {
 public:
  void before_forward(bool synchronise) override;
  void before_backward(const at::Tensor& loss, bool synchronise,
                       measurement::StepMarker& marker) override;
  void after_backward() override;
  at::Tensor backward_seed(const at::Tensor& loss) override;
  void before_evaluation() override;
  Communication communication() const override { return group_->communication(); }
  void set_exchange(Exchange exchange) override { group_->set_exchange(exchange); }
  void observe_buckets(std::shared_ptr<measurement::BucketObserver> observer) override {
    group_->set_observer(std::move(observer));
  }

 protected:
  // Collective: makes every rank's parameters rank 0's.
  Bucketed(const StrategyInput& input, std::vector<BucketLayout> layouts);

  // Hands a full bucket to the group; called while backward goes on.
  virtual void send(std::size_t bucket) = 0;
  // Waits for it, on the device's timeline; called after backward, in the same order.
  virtual void receive(std::size_t bucket) = 0;

  GradientBuckets& buckets() { return buckets_; }
  MeteredGroup& group() { return *group_; }
  const c10::intrusive_ptr<MeteredGroup>& shared_group() { return group_; }
  const std::optional<at::ScalarType>& compressed() const { return compressed_; }
  // Training ranks: the group's but a dedicated server.
  int contributors() const { return contributors_; }

 private:
  std::string name_;
  std::vector<at::Tensor> statistics_;  // buffers of the network
  c10::intrusive_ptr<c10d::ProcessGroup> whole_group_;
  c10::intrusive_ptr<MeteredGroup> group_;
  std::optional<at::ScalarType> compressed_;
  int contributors_;
  GradientBuckets buckets_;
  bool synchronising_ = false, step_begins_ = true;
  at::Tensor seed_;
};

}  // namespace scalemark::training
