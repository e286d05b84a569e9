// Gradients in flat buckets that are sent while backward runs: the place of each parameter in them,
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

// --- Parameters have their places in buckets in the order of their own memory. Pure; strategies
// use buckets for gradients, and for parameters that they send.

// Converts the value of an option such as --bucket-cap-mb. Throws configuration() for less than a
// byte.
std::int64_t bytes_of_mb(double mb, const char* option);

struct BucketPlace {
  std::size_t parameter = 0;  // the parameter's index
  std::int64_t offset = 0;    // counts elements of the buffer; begins a cache line
};

struct BucketLayout {
  std::vector<BucketPlace> places;  // ascending offsets
  std::int64_t elements = 0;        // size of the buffer, filling included
};

// Forms buckets as DistributedDataParallel does: from the last parameter to the first, which is
// roughly the order in which backward produces gradients; a bucket closes with the tensor that
// takes it over --bucket-cap-mb (the first one: --first-bucket-cap-mb). All parameters of a bucket
// have one dtype. A buffer can be divided into `parts` equal parts that begin at cache lines.
std::vector<BucketLayout> bucket_layouts(const std::vector<NamedParameter>& parameters,
                                         const settings::ParallelSettings& settings,
                                         std::int64_t parts = 1);

// Returns one buffer of zeros per layout.
std::vector<at::Tensor> zero_buffers(const std::vector<NamedParameter>& parameters,
                                     const std::vector<BucketLayout>& layouts);

// Returns the part of `buffer` at `offset`, in the shape and strides of `parameter`.
at::Tensor view_for(const at::Tensor& parameter, const at::Tensor& buffer, std::int64_t offset);

// Moves every parameter into its place in new buffers, which are returned, so that sending a buffer
// sends the parameters themselves.
std::vector<at::Tensor> flatten_parameters(const std::vector<NamedParameter>& parameters,
                                           const std::vector<BucketLayout>& layouts);

// Backward hands each gradient to a hook, which writes it into its buffer. From then on the
// gradient is a view of the buffer, and nothing is copied back. Knows nothing of the use of full
// buffers.
class GradientBuckets {
 public:
  // `full` is called once per bucket in each synchronised backward, in ascending order whatever
  // order the gradients come in, so that all ranks send in the same order.
  using Full = std::function<void(std::size_t bucket)>;

  GradientBuckets(std::vector<NamedParameter> parameters, std::vector<BucketLayout> layouts,
                  Full full);
  ~GradientBuckets();
  GradientBuckets(const GradientBuckets&) = delete;
  GradientBuckets& operator=(const GradientBuckets&) = delete;

  std::size_t size() const { return buffers_.size(); }
  const std::vector<BucketLayout>& layouts() const { return layouts_; }
  const std::vector<at::Tensor>& buffers() const { return buffers_; }

  // Without synchronisation buffers fill but `full` is not called.
  void begin_backward(bool synchronise);

  // Replaces a synchronised backward: every gradient becomes its view of a buffer, whatever the
  // buffer holds, and `full` is called for all buckets.
  void fill_without_backward();

  // Call it after a synchronised backward. Throws configuration() where a parameter got no
  // gradient, naming `strategy`, which needs all of them.
  void require_all_full(const std::string& strategy) const;

 private:
  class Fill;

  void note_filled(std::size_t bucket, std::size_t parameter);

  std::vector<NamedParameter> parameters_;
  std::vector<BucketLayout> layouts_;
  Full full_;
  std::vector<at::Tensor> buffers_;
  // State of this backward: the gradients that each bucket lacks, and whether each parameter has
  // its own.
  std::vector<std::size_t> missing_;
  std::vector<bool> filled_;
  std::size_t next_ = 0;  // the next bucket to report as full
  bool synchronising_ = false;
};

// Strategies that send full buckets share this: hooks that fill the buckets, the division by ranks,
// and the counting group. Each strategy defines how a full bucket is sent, and what follows when
// its result arrives.
//
// Backward starts from 1 / contributors, so that the sum over ranks is the mean with any backend
// and needs no pass of its own. Compressed gradients are rounded before the division, which the
// strategy does.
class Bucketed : public Strategy {
 public:
  void before_forward(bool synchronise) override;
  void before_backward(const at::Tensor& loss, bool synchronise,
                       measurement::StepMarker& marker) override;
  void after_backward() override;
  at::Tensor backward_seed(const at::Tensor& loss) override;
  void share_statistics() override;
  Communication communication() const override { return group_->communication(); }
  void set_exchange(Exchange exchange) override { group_->set_exchange(exchange); }
  void observe_buckets(std::shared_ptr<measurement::BucketObserver> observer) override {
    group_->set_observer(std::move(observer));
  }

 protected:
  // Collective: every rank's parameters become rank 0's.
  Bucketed(const StrategyInput& input, std::vector<BucketLayout> layouts);

  // Hands a full bucket to the group; called while backward runs.
  virtual void send(std::size_t bucket) = 0;
  // Waits for the bucket on the device's timeline; called after backward, in the same order.
  virtual void receive(std::size_t bucket) = 0;

  GradientBuckets& buckets() { return buckets_; }
  MeteredGroup& group() { return *group_; }
  const c10::intrusive_ptr<MeteredGroup>& shared_group() { return group_; }
  const std::optional<at::ScalarType>& compressed() const { return compressed_; }
  // The number of training ranks: the group without a dedicated server.
  int contributors() const { return contributors_; }

 private:
  std::string name_;
  std::vector<at::Tensor> statistics_;  // the network's buffers
  c10::intrusive_ptr<c10d::ProcessGroup> whole_group_;
  c10::intrusive_ptr<MeteredGroup> group_;
  std::optional<at::ScalarType> compressed_;
  int contributors_;
  GradientBuckets buckets_;
  bool synchronising_ = false, step_begins_ = true;
  at::Tensor seed_;
};

}  // namespace scalemark::training
