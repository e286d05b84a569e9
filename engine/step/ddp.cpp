// Strategy ddp over c10d::Reducer, equal to DistributedDataParallel's defaults unless the settings
// change them.
#include <algorithm>
#include <limits>
#include <string>
#include <torch/csrc/distributed/c10d/logger.hpp>
#include <torch/csrc/distributed/c10d/reducer.hpp>
#include <unordered_map>
#include <utility>

#include "core/base/error.h"
#include "engine/step/bucketed.h"
#include "engine/step/metered_group.h"
#include "engine/step/strategy.h"

namespace scalemark::training {
namespace {

// Gives access to a member that the reducer does not expose.
class OpenReducer final : public c10d::Reducer {
 public:
  using c10d::Reducer::Reducer;
  std::size_t bucket_count() const { return buckets_.size(); }
};

// DDP puts everything in one bucket until the first backward has shown the order of the gradients;
// then the reducer rebuilds the buckets. With unused parameters it never does.
std::vector<std::vector<std::size_t>> first_assignment(const std::vector<at::Tensor>& parameters,
                                                       const settings::ParallelSettings& settings,
                                                       std::int64_t first_cap, std::int64_t cap) {
  std::vector<std::size_t> limits = {std::numeric_limits<std::int64_t>::max()};
  if (settings.find_unused_parameters && !settings.static_graph) {
    limits = {static_cast<std::size_t>(first_cap), static_cast<std::size_t>(cap)};
  }
  auto buckets = std::get<0>(c10d::compute_bucket_assignment_by_size(parameters, limits));
  std::reverse(buckets.begin(), buckets.end());
  return buckets;
}

class Ddp final : public Strategy {
 public:
  explicit Ddp(StrategyInput input);

  void before_forward(bool synchronise) override;
  void before_backward(const at::Tensor& loss, bool synchronise,
                       measurement::StepMarker& marker) override;
  void after_backward() override;
  void share_statistics() override;
  bool keeps_gradients() const override { return settings_.gradient_as_bucket_view; }
  Communication communication() const override { return group_->communication(); }
  void set_exchange(Exchange exchange) override { group_->set_exchange(exchange); }
  void observe_buckets(std::shared_ptr<measurement::BucketObserver> observer) override {
    group_->set_observer(std::move(observer));
  }

 private:
  void make_reducer();

  settings::ParallelSettings settings_;
  std::vector<at::Tensor> buffers_;  // one per type; the network's buffers are parts of these
  c10::intrusive_ptr<c10d::ProcessGroup> whole_group_;
  c10::intrusive_ptr<MeteredGroup> group_;
  std::shared_ptr<OpenReducer> reducer_;
  std::shared_ptr<c10d::Logger> logger_;  // null without find_unused_parameters
  bool step_begins_ = true;               // DDP's require_forward_param_sync
  bool static_graph_known_ = false;       // the first synchronised backward has been seen
  bool synchronising_ = false;
};

Ddp::Ddp(StrategyInput input)
    : Strategy(input.parameters),
      settings_(input.settings),
      buffers_(in_one_memory(input.buffers)),
      whole_group_(input.group),
      group_(c10::make_intrusive<MeteredGroup>(whole_group_)) {
  if (!settings_.overlap) group_->set_exchange(Exchange::kAfterwards);
  start_alike(input);
  make_reducer();
}

void Ddp::make_reducer() {
  const std::int64_t cap = bytes_of_mb(settings_.bucket_cap_mb, "bucket_cap_mb");
  const std::int64_t first_cap = bytes_of_mb(settings_.first_bucket_cap_mb, "first_bucket_cap_mb");
  const std::vector<at::Tensor> tensors = tensors_of(parameters_);
  std::unordered_map<std::size_t, std::string> names;
  for (std::size_t i = 0; i < parameters_.size(); ++i) names[i] = parameters_[i].name;

  reducer_ = std::make_shared<OpenReducer>(
      tensors, first_assignment(tensors, settings_, first_cap, cap), group_,
      std::vector<bool>(tensors.size(), false), cap, settings_.find_unused_parameters,
      settings_.gradient_as_bucket_view, std::move(names), first_cap,
      /*skip_all_reduce_unused_params=*/false, /*use_python_reducer=*/false,
      std::vector<std::int64_t>{});
  // A c10d::Logger would measure times: in each of the first ten steps and in every hundredth it
  // waits for events of the step, on the host, in the middle of the run. These times are never
  // read, so they are off as well. The search for unused parameters needs a logger all the same,
  // since it reports changes to it without a check.
  if (settings_.find_unused_parameters) {
    logger_ = std::make_shared<c10d::Logger>(reducer_);
    reducer_->set_logger(logger_);
  }
  reducer_->set_ddp_runtime_logging_sample_rate(std::numeric_limits<int>::max());
  if (settings_.static_graph) reducer_->set_static_graph();
  if (const auto type = compressed_type(settings_.gradient_compression)) {
    reducer_->register_comm_hook(make_compression_hook(group_, *type));
  }
}

void Ddp::before_forward(bool synchronise) {
  if (synchronise) {
    reducer_->prepare_for_forward();
  } else if (settings_.static_graph) {
    // c10d::Reducer counts the gradients of a static graph in unsynchronised backwards too, and the
    // ranks drift apart silently (found by data_parallel_test).
    throw configuration("static_graph with gradient_accumulation_steps above 1", "one of the two",
                        "leave static_graph out");
  }
  reducer_->rebuild_buckets();  // this rebuilds once: in the forward after the first backward
  if (!step_begins_) return;
  group_->begin_step();
  if (settings_.broadcast_buffers) broadcast_each_from_rank_0(group_, buffers_);
}

void Ddp::before_backward(const at::Tensor& loss, bool synchronise,
                          measurement::StepMarker& marker) {
  step_begins_ = synchronise;
  synchronising_ = synchronise;
  if (!synchronise) return;
  group_->begin_backward(reducer_->bucket_count(), marker);
  const bool search = settings_.find_unused_parameters && !settings_.static_graph;
  reducer_->prepare_for_backward(search ? std::vector<at::Tensor>{loss}
                                        : std::vector<at::Tensor>{});
}

void Ddp::after_backward() {
  if (!synchronising_ || !settings_.static_graph || static_graph_known_) return;
  reducer_->delay_all_reduce();
  static_graph_known_ = true;
}

void Ddp::share_statistics() {
  if (settings_.broadcast_buffers) broadcast_each_from_rank_0(whole_group_, buffers_);
}

}  // namespace

std::unique_ptr<Strategy> make_ddp(StrategyInput input) {
  return std::make_unique<Ddp>(std::move(input));
}

}  // namespace scalemark::training
