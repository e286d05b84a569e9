#include "engine/training/bucketed.h"

#include <ATen/ops/full_like.h>

#include <utility>

#include "core/settings/processes.h"
#include "engine/training/compression.h"
#include "engine/training/same_start.h"

namespace scalemark::training {

Bucketed::Bucketed(const StrategyInput& input, std::vector<BucketLayout> layouts)
    : Strategy(input.parameters),
      name_(input.settings.strategy),
      statistics_(input.buffers),
      whole_group_(input.group),
      group_(c10::make_intrusive<MeteredGroup>(whole_group_)),
      compressed_(compressed_type(input.settings.gradient_compression)),
      contributors_(group_->getSize() - (settings::has_dedicated_server(input.settings) ? 1 : 0)),
      buckets_(input.parameters, std::move(layouts), [this](std::size_t bucket) { send(bucket); }) {
  if (!input.settings.overlap) group_->set_exchange(Exchange::kAfterwards);
  start_alike(input);
}

void Bucketed::before_forward(bool /*synchronise*/) {
  if (step_begins_) group_->begin_step();
  step_begins_ = false;
}

void Bucketed::before_backward(const at::Tensor& /*loss*/, bool synchronise,
                               measurement::StepMarker& marker) {
  synchronising_ = synchronise;
  buckets_.begin_backward(synchronise);
  if (!synchronise) return;
  step_begins_ = true;
  group_->begin_backward(buckets_.size(), marker);
}

at::Tensor Bucketed::backward_seed(const at::Tensor& loss) {
  const double share = compressed_ ? 1.0 : 1.0 / contributors_;
  if (!seed_.defined()) seed_ = at::full_like(loss.detach(), share);
  return seed_;
}

void Bucketed::after_backward() {
  if (!synchronising_) return;
  buckets_.require_all_full(name_);
  for (std::size_t bucket = 0; bucket < buckets_.size(); ++bucket) receive(bucket);
}

void Bucketed::before_evaluation() { broadcast_from_rank_0(whole_group_, statistics_); }

}  // namespace scalemark::training
