// Strategy local-sgd: each rank trains alone, and every --local-steps steps the parameters become
// the mean over ranks (arXiv:1805.09767). Optimizer states stay separate.
#include <memory>
#include <torch/csrc/distributed/c10d/Work.hpp>
#include <utility>
#include <vector>

#include "engine/step/bucketed.h"
#include "engine/step/metered_group.h"
#include "engine/step/strategy.h"

namespace scalemark::training {
namespace {

class LocalSgd final : public Strategy {
 public:
  explicit LocalSgd(const StrategyInput& input)
      : Strategy(input.parameters),
        statistics_(input.buffers),
        whole_group_(input.group),
        group_(c10::make_intrusive<MeteredGroup>(whole_group_)),
        local_steps_(input.settings.local_steps) {
    start_alike(input);
    buffers_ = flatten_parameters(parameters_, bucket_layouts(parameters_, input.settings));
  }

  void after_update(measurement::StepMarker& marker) override {
    marker.mark(measurement::Moment::kUpdateEnd);
    ++steps_since_;
    if (steps_since_ < local_steps_) return;
    group_->begin_step();
    average(*group_);
  }

  // Evaluation and saving use the mean, also between two averages.
  void before_evaluation() override {
    gather_full();
    share_statistics();
  }
  void share_statistics() override { broadcast_from_rank_0(whole_group_, statistics_); }
  void gather_full() override {
    if (steps_since_ > 0) average(*whole_group_);
  }

  // Payload per step: that of one average, divided by the number of steps that it serves.
  Communication communication() const override {
    Communication sent = group_->communication();
    sent.payload_bytes_per_step /= local_steps_;
    return sent;
  }
  void set_exchange(Exchange exchange) override {
    group_->set_exchange(exchange);
    exchange_ = exchange;
  }

  void visit_state(StateVisitor& visitor) override {
    visitor.visit("strategy.steps_since_average", steps_since_);
  }

 private:
  void average(c10d::ProcessGroup& group) {
    // Without an exchange the share is 1: otherwise parameters would shrink with every average,
    // down to denormal numbers.
    const double share = exchange_ == Exchange::kNone ? 1.0 : 1.0 / group.getSize();
    std::vector<std::vector<at::Tensor>> sent;
    std::vector<c10::intrusive_ptr<c10d::Work>> works;
    for (at::Tensor& buffer : buffers_) {
      buffer.mul_(share);
      sent.push_back({buffer});
      works.push_back(group.allreduce(sent.back(), c10d::AllreduceOptions()));
    }
    for (const auto& work : works) work->wait();
    steps_since_ = 0;
  }

  std::vector<at::Tensor> statistics_;
  c10::intrusive_ptr<c10d::ProcessGroup> whole_group_;
  c10::intrusive_ptr<MeteredGroup> group_;
  std::int64_t local_steps_;
  std::int64_t steps_since_ = 0;  // since the last average
  Exchange exchange_ = Exchange::kOverlapped;
  std::vector<at::Tensor> buffers_;
};

}  // namespace

std::unique_ptr<Strategy> make_local_sgd(StrategyInput input) {
  return std::make_unique<LocalSgd>(input);
}

}  // namespace scalemark::training
