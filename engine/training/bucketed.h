// Strategies that exchange gradients in flat buckets while backward goes on share this: hooks that
// fill the buckets, the division by ranks, the counting group. Each says how a full bucket is sent,
// and what is done with what comes back.
//
// Backward starts from 1 / contributors, so that the sum over ranks is the mean, with any backend
// and without a pass for it. Compressed gradients are rounded first: there the strategy divides.
#pragma once

#include <ATen/core/Tensor.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/training/gradient_buckets.h"
#include "engine/training/metered_group.h"
#include "engine/training/strategy.h"

namespace scalemark::training {

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
