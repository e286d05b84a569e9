#include "engine/training/same_start.h"

#include <ATen/core/grad_mode.h>

#include <optional>
#include <torch/csrc/distributed/c10d/Work.hpp>
#include <torch/csrc/distributed/c10d/comm.hpp>
#include <torch/csrc/distributed/c10d/reducer.hpp>

namespace scalemark::training {
namespace {

constexpr std::size_t kBroadcastBytes = 250 * 1024 * 1024;  // DDP's broadcast_bucket_size

}  // namespace

void broadcast_from_rank_0(const c10::intrusive_ptr<c10d::ProcessGroup>& group,
                           const std::vector<at::Tensor>& tensors) {
  if (tensors.empty()) return;
  const at::NoGradGuard no_grad;
  c10d::broadcast_coalesced(group, tensors, kBroadcastBytes, 0);
}

void broadcast_each_from_rank_0(const c10::intrusive_ptr<c10d::ProcessGroup>& group,
                                const std::vector<at::Tensor>& tensors) {
  std::vector<c10::intrusive_ptr<c10d::Work>> works;
  for (const at::Tensor& tensor : tensors) {
    std::vector<at::Tensor> sent{tensor};
    works.push_back(group->broadcast(sent));
  }
  for (const auto& work : works) work->wait();
}

void start_alike(const StrategyInput& input) {
  const std::vector<at::Tensor> parameters = tensors_of(input.parameters);
  c10d::verify_params_across_processes(input.group, parameters, std::nullopt);
  std::vector<at::Tensor> states;
  for (const at::Tensor& parameter : parameters) states.push_back(parameter.detach());
  if (input.settings.broadcast_buffers) {
    states.insert(states.end(), input.buffers.begin(), input.buffers.end());
  }
  broadcast_from_rank_0(input.group, states);
}

}  // namespace scalemark::training
