// The strategies whose ranks exchange whole gradients in flat buckets: flat adds them up on every
// rank, parameter-server on one.

#include <memory>
#include <torch/csrc/distributed/c10d/Work.hpp>
#include <utility>
#include <vector>

#include "core/settings/processes.h"
#include "engine/step/bucketed.h"

namespace scalemark::training {
namespace {

// Strategy flat: gradients are in a few flat buffers, each averaged by one all-reduce while
// backward runs.
class Flat final : public Bucketed {
 public:
  explicit Flat(const StrategyInput& input)
      : Bucketed(input, bucket_layouts(input.parameters, input.settings)),
        sent_(buckets().size()),
        works_(buckets().size()) {}

 private:
  // Compressed gradients are divided after rounding, as in ddp's hook: fp16 numbers below 2^-14
  // would be rounded differently if they were divided before.
  void send(std::size_t bucket) override {
    at::Tensor sent = buckets().buffers()[bucket];
    if (compressed()) sent = sent.to(*compressed()).div_(group().getSize());
    sent_[bucket] = {sent};
    works_[bucket] = group().allreduce(sent_[bucket], c10d::AllreduceOptions());
  }

  void receive(std::size_t bucket) override {
    works_[bucket]->wait();
    works_[bucket].reset();
    if (compressed()) buckets().buffers()[bucket].copy_(sent_[bucket].front());
    sent_[bucket].clear();
  }

  std::vector<std::vector<at::Tensor>> sent_;
  std::vector<c10::intrusive_ptr<c10d::Work>> works_;
};

}  // namespace

std::unique_ptr<Strategy> make_flat(StrategyInput input) { return std::make_unique<Flat>(input); }

namespace {

using Tensors = std::vector<at::Tensor>;

int server_of(const StrategyInput& input) {
  return settings::has_dedicated_server(input.settings) ? input.group->getSize() - 1 : 0;
}

// Strategy parameter-server: the server gathers the gradients of all training ranks, adds them up,
// updates the parameters and sends them to all. It is rank 0, which trains as well, or the group's
// last process, which does nothing else (--server dedicated). It gathers and sends point to point,
// as parameter servers do, so that its link carries a copy of each other training rank each way.
class ParameterServer final : public Bucketed {
 public:
  explicit ParameterServer(const StrategyInput& input)
      : Bucketed(input, bucket_layouts(input.parameters, input.settings)),
        server_(server_of(input)),
        serves_(group().getRank() == server_),
        computes_(group().getRank() < contributors()),
        updated_(serves_ ? input.parameters : std::vector<NamedParameter>{}),
        parameters_of_bucket_(flatten_parameters(input.parameters, buckets().layouts())),
        exchanges_(buckets().size()) {}

  const std::vector<NamedParameter>& optimizer_parameters() const override { return updated_; }

  bool computes() const override { return computes_; }

  void before_backward(const at::Tensor& loss, bool synchronise,
                       measurement::StepMarker& marker) override {
    Bucketed::before_backward(loss, synchronise, marker);
    if (synchronise && !computes()) buckets().fill_without_backward();
  }

  // Only the server has seen the sums, so the others' gradient scalers follow it.
  void infinity_over_ranks(at::Tensor& found_inf) override {
    Tensors scalar{found_inf};
    group().broadcast(scalar, {.rootRank = server_})->wait();
  }

  void after_update(measurement::StepMarker& marker) override {
    marker.mark(measurement::Moment::kUpdateEnd);
    std::vector<c10::intrusive_ptr<c10d::Work>> works;
    for (at::Tensor& parameters : parameters_of_bucket_) {
      Tensors output{parameters};
      std::vector<Tensors> inputs;
      if (serves_) inputs.emplace_back(processes(), parameters);
      works.push_back(group().scatter(output, inputs, {.rootRank = server_}));
    }
    for (const auto& work : works) work->wait();
  }

 private:
  struct Exchanged {
    Tensors sent;
    std::vector<Tensors> received;  // one list per process, in their order; only on the server
    c10::intrusive_ptr<c10d::Work> work;
  };

  std::size_t processes() { return static_cast<std::size_t>(group().getSize()); }

  void send(std::size_t bucket) override {
    Exchanged& one = exchanges_[bucket];
    const at::Tensor& gradients = buckets().buffers()[bucket];
    one.sent = {compressed() ? gradients.to(*compressed()) : gradients};
    if (serves_) {
      if (one.received.empty()) one.received.emplace_back(processes());
      for (std::size_t rank = 0; rank < processes(); ++rank) {
        at::Tensor& space = one.received[0][rank];
        const bool is_own = rank == static_cast<std::size_t>(server_);
        if (is_own) space = one.sent[0];
        if (!space.defined()) space = at::zeros_like(one.sent[0]);
      }
    }
    one.work = group().gather(one.received, one.sent, {.rootRank = server_});
  }

  void receive(std::size_t bucket) override {
    Exchanged& one = exchanges_[bucket];
    one.work->wait();
    one.work.reset();
    if (serves_) add_up(one.received[0], buckets().buffers()[bucket]);
    one.sent.clear();
  }

  // Adds up in the precision of the parameters, whatever type the gradients were sent in. A
  // dedicated server's own tensor is no gradient and is left out.
  void add_up(const Tensors& received, at::Tensor sum) {
    if (!received[0].is_same(sum)) sum.copy_(received[0]);
    for (int rank = 1; rank < contributors(); ++rank) {
      sum.add_(received[static_cast<std::size_t>(rank)]);
    }
    if (compressed()) sum.div_(contributors());
  }

  int server_;
  bool serves_, computes_;
  std::vector<NamedParameter> updated_;
  Tensors parameters_of_bucket_;
  std::vector<Exchanged> exchanges_;
};

}  // namespace

std::unique_ptr<Strategy> make_parameter_server(StrategyInput input) {
  return std::make_unique<ParameterServer>(input);
}

}  // namespace scalemark::training
