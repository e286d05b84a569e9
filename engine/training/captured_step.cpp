#include "engine/training/captured_step.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>

#include <string>

#include "core/base/error.h"
#include "core/settings/notes.h"

namespace scalemark::training {
namespace {

LearningRate rate_on(c10::Device device) {
  return LearningRate(at::zeros({}, at::TensorOptions().dtype(at::kFloat).device(device)));
}

// A batch of the same shapes on `device`. What a network asks of a batch beside its tensors is
// asked once, when it is captured.
data::Batch place_for(const data::Batch& batch, c10::Device device) {
  data::Batch place{
      .samples = batch.samples, .padding = batch.padding, .non_pad_tokens = batch.non_pad_tokens};
  for (const auto& [name, tensor] : batch.tensors) {
    place.tensors[name] = at::empty(tensor.sizes(), tensor.options().device(device));
  }
  return place;
}

Error unlike(const std::string& what) {
  return configuration("with --cuda-graphs on, a batch has " + what + " than the first one",
                       "batches that are all alike: a captured step repeats what it did",
                       "leave --cuda-graphs out");
}

void require_alike(const data::Batch& place, const data::Batch& batch) {
  if (batch.tensors.size() != place.tensors.size()) throw unlike("other fields");
  for (const auto& [name, tensor] : batch.tensors) {
    if (place[name].sizes() != tensor.sizes()) throw unlike("another shape of " + name);
  }
  // A network leaves the mask out for batches without padding.
  if (batch.non_pad_tokens != place.non_pad_tokens) throw unlike("another number of tokens");
}

}  // namespace

CapturedStep::CapturedStep(StepBody& body, device::Graph& graph)
    : body_(body),
      graph_(graph),
      batches_(static_cast<std::size_t>(body.options().micro_steps)),
      rate_(rate_on(body.options().device)),
      losses_(body.options().device) {}

void CapturedStep::put(std::size_t i, const data::Batch& batch) {
  data::Batch& place = batches_.at(i);
  if (place.tensors.empty()) place = place_for(batch, body_.options().device);
  require_alike(place, batch);
  for (const auto& [name, tensor] : batch.tensors) {
    place.tensors.at(name).copy_(tensor, /*non_blocking=*/true);
  }
}

void CapturedStep::run(double learning_rate) {
  set_rate(learning_rate);
  if (steps_ == settings::kStepsBeforeGraph) graph_.capture([this] { compute(); });
  steps_ < settings::kStepsBeforeGraph ? compute() : graph_.replay();
  ++steps_;
}

void CapturedStep::set_rate(double learning_rate) {
  if (steps_ > 0 && rate_.value == learning_rate) return;
  rate_.value = learning_rate;
  rate_.tensor.fill_(learning_rate);
}

void CapturedStep::compute() {
  at::Tensor mean_loss;
  for (std::size_t i = 0; i < batches_.size(); ++i) {
    const bool last = i + 1 == batches_.size();
    body_.prepare(last);
    const at::Tensor loss = body_.forward(batches_[i]);
    body_.backward(loss, last, marker_);
    mean_loss = mean_loss.defined() ? mean_loss + loss.detach() : loss.detach();
  }
  body_.update(rate_, marker_);
  losses_.write(mean_loss);
}

}  // namespace scalemark::training
