#include "engine/step/strategy.h"

#include <ATen/core/grad_mode.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include <algorithm>
#include <optional>
#include <torch/csrc/distributed/c10d/Work.hpp>
#include <torch/csrc/distributed/c10d/comm.hpp>
#include <torch/csrc/distributed/c10d/reducer.hpp>

#include "core/base/error.h"
#include "core/catalogue/backends.h"
#include "core/catalogue/strategy.h"

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

// Strategy none: the true baseline, without a reducer. N ranks are N independent replicas.
std::unique_ptr<Strategy> make_none(StrategyInput input) {
  return std::make_unique<Strategy>(std::move(input.parameters));
}

// The makers of core/catalogue/strategy_list.inc by name.
#define SCALEMARK_STRATEGY(descriptor, engine_part) \
  std::unique_ptr<Strategy> engine_part(StrategyInput input);
#include "core/catalogue/strategy_list.inc"
#undef SCALEMARK_STRATEGY

namespace {

using Maker = std::unique_ptr<Strategy> (*)(StrategyInput);

// The makers in the order of catalogue::all_strategies().
constexpr Maker kMakers[] = {
#define SCALEMARK_STRATEGY(descriptor, engine_part) engine_part,
#include "core/catalogue/strategy_list.inc"
#undef SCALEMARK_STRATEGY
};

// Throws where Gloo would go wrong: its threads let the default stream, and not ours, wait for a
// result.
void check_stream(const c10::intrusive_ptr<c10d::ProcessGroup>& group, c10::Device device) {
  if (device.is_cpu()) return;
  const c10::impl::VirtualGuardImpl streams(device.type());
  require_default_stream(group->getBackend(device.type())->getBackendName(),
                         streams.getStream(device), streams.getDefaultStream(device));
}

void check_group(const StrategyInput& input) {
  if (!input.group) throw bug("strategy " + input.settings.strategy + " without a process group");
  check_stream(input.group, input.parameters.front().tensor.device());
}

}  // namespace

void require_default_stream(const std::string& backend, c10::Stream current, c10::Stream standard) {
  if (current == standard || !catalogue::only_default_stream_waits(backend)) return;
  throw bug("a GPU's gradients go over " + backend +
            " from a stream beside the default one, which alone waits for its results");
}

std::unique_ptr<Strategy> make_strategy(StrategyInput input) {
  const catalogue::Strategy* found = catalogue::find_strategy(input.settings.strategy);
  if (!found) throw configuration("there is no strategy '" + input.settings.strategy + "'");
  if (input.parameters.empty()) throw configuration("the network has no trainable parameters");
  const bool one_process = found->processes == catalogue::ProcessCount::kOne;
  if (found->exchanges && !one_process) check_group(input);
  const auto place = found - catalogue::all_strategies().data();
  return kMakers[place](std::move(input));
}

}  // namespace scalemark::training
