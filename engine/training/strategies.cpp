// The engine parts of core/catalogue/strategy_list.inc by name.
#include <c10/core/impl/VirtualGuardImpl.h>

#include <algorithm>

#include "core/base/error.h"
#include "core/catalogue/backends.h"
#include "core/catalogue/strategy.h"
#include "engine/training/strategy.h"

namespace scalemark::training {

#define SCALEMARK_STRATEGY(descriptor, engine_part) \
  std::unique_ptr<Strategy> engine_part(StrategyInput input);
#include "core/catalogue/strategy_list.inc"
#undef SCALEMARK_STRATEGY

namespace {

using Maker = std::unique_ptr<Strategy> (*)(StrategyInput);

// In the order of catalogue::all_strategies().
constexpr Maker kMakers[] = {
#define SCALEMARK_STRATEGY(descriptor, engine_part) engine_part,
#include "core/catalogue/strategy_list.inc"
#undef SCALEMARK_STRATEGY
};

// Gloo's threads make their own current stream, the default one, wait for a result.
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
