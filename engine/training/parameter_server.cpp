// Strategy parameter-server: rank 0 gathers the gradients of all ranks, adds them up, updates the
// parameters and sends them to all. It trains as well. Gathered and sent point to point, as
// parameter servers do, so that its link carries (ranks - 1) copies each way.
#include <memory>
#include <torch/csrc/distributed/c10d/Work.hpp>
#include <utility>
#include <vector>

#include "engine/training/bucketed.h"
#include "engine/training/replicas.h"

namespace scalemark::training {
namespace {

using Tensors = std::vector<at::Tensor>;

constexpr int kServer = 0;

class ParameterServer final : public Bucketed {
 public:
  explicit ParameterServer(const StrategyInput& input)
      : Bucketed(input, bucket_layouts(input.parameters, input.settings)),
        serves_(group().getRank() == kServer),
        updated_(serves_ ? input.parameters : std::vector<NamedParameter>{}),
        parameters_of_bucket_(flatten_parameters(input.parameters, buckets().layouts())),
        exchanges_(buckets().size()) {}

  const std::vector<NamedParameter>& optimizer_parameters() const override { return updated_; }

  // Only the server has seen the sums; the others' gradient scalers follow it.
  void infinity_over_ranks(at::Tensor& found_inf) override {
    broadcast_from_rank_0(shared_group(), {found_inf});
  }

  void after_update(measurement::StepMarker& marker) override {
    marker.mark(measurement::Moment::kUpdateEnd);
    std::vector<c10::intrusive_ptr<c10d::Work>> works;
    for (at::Tensor& parameters : parameters_of_bucket_) {
      Tensors output{parameters};
      std::vector<Tensors> inputs;
      if (serves_) inputs.emplace_back(ranks(), parameters);
      works.push_back(group().scatter(output, inputs, {.rootRank = kServer}));
    }
    for (const auto& work : works) work->wait();
  }

 private:
  struct Exchanged {
    Tensors sent;
    std::vector<Tensors> received;  // on the server: one list, rank by rank
    c10::intrusive_ptr<c10d::Work> work;
  };

  std::size_t ranks() { return static_cast<std::size_t>(group().getSize()); }

  void send(std::size_t bucket) override {
    Exchanged& one = exchanges_[bucket];
    const at::Tensor& gradients = buckets().buffers()[bucket];
    one.sent = {compressed() ? gradients.to(*compressed()) : gradients};
    if (serves_) {
      if (one.received.empty()) one.received.emplace_back(ranks());
      one.received[0][kServer] = one.sent[0];
      for (std::size_t rank = 1; rank < ranks(); ++rank) {
        at::Tensor& space = one.received[0][rank];
        if (!space.defined()) space = at::zeros_like(one.sent[0]);
      }
    }
    one.work = group().gather(one.received, one.sent, {.rootRank = kServer});
  }

  void receive(std::size_t bucket) override {
    Exchanged& one = exchanges_[bucket];
    one.work->wait();
    one.work.reset();
    if (serves_) add_up(one.received[0], buckets().buffers()[bucket]);
    one.sent.clear();
  }

  // In the precision of the parameters, whatever the gradients travelled in.
  void add_up(Tensors& received, at::Tensor sum) {
    if (compressed()) sum.copy_(received[kServer]);
    for (std::size_t rank = 1; rank < received.size(); ++rank) sum.add_(received[rank]);
    if (compressed()) sum.div_(group().getSize());
  }

  bool serves_;
  std::vector<NamedParameter> updated_;
  Tensors parameters_of_bucket_;
  std::vector<Exchanged> exchanges_;
};

}  // namespace

std::unique_ptr<Strategy> make_parameter_server(StrategyInput input) {
  return std::make_unique<ParameterServer>(input);
}

}  // namespace scalemark::training
