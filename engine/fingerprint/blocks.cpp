#include "engine/fingerprint/blocks.h"

#include <algorithm>
#include <cmath>
#include <memory>

namespace scalemark::fingerprint {
namespace {

constexpr std::int64_t kBlocks = 40;  // twenty batch means of two, docs/METRICS.md
constexpr std::int64_t kFewestBlocks = 2;
constexpr std::int64_t kMostCalls = 1'000'000;  // of a block, however short a call seems
constexpr double kSettlingShare = 0.1;

std::int64_t between(double value, std::int64_t least, std::int64_t most) {
  if (!(value > static_cast<double>(least))) return least;
  return std::min(most, static_cast<std::int64_t>(std::min(value, static_cast<double>(most))));
}

}  // namespace

BlockPlan plan_blocks(double call_s, double seconds) {
  const double calls = call_s > 0 ? seconds / call_s : static_cast<double>(kBlocks * kMostCalls);
  const std::int64_t of_block = between(calls / kBlocks, 1, kMostCalls);
  return {.blocks = between(calls / static_cast<double>(of_block), kFewestBlocks, kBlocks),
          .calls = of_block};
}

reporting::TimedCalls run_blocks(device::Device& device, const BlockPlan& plan, const Call& call) {
  const std::unique_ptr<device::Timeline> timeline = device.new_timeline();
  timeline->reserve(static_cast<std::size_t>(plan.blocks) + 1);
  device.synchronize();
  // ------------------------------------------------------------------------------------ timed
  timeline->record();
  for (std::int64_t block = 0; block < plan.blocks; ++block) {
    for (std::int64_t i = 0; i < plan.calls; ++i) call();
    timeline->record();
  }
  // -----------------------------------------------------------------------------------------
  device.synchronize();
  const std::vector<double> moments = timeline->seconds();
  reporting::TimedCalls timed{.call_s = {}, .calls_per_block = plan.calls};
  for (std::size_t i = 1; i < moments.size(); ++i) {
    timed.call_s.push_back((moments[i] - moments[i - 1]) / static_cast<double>(plan.calls));
  }
  return timed;
}

double settled_call_s(device::Device& device, double seconds, const Call& call) {
  call();
  const double first_s = run_blocks(device, {.blocks = 1, .calls = 1}, call).call_s.front();
  const double calls = first_s > 0 ? kSettlingShare * seconds / first_s : 1;
  return run_blocks(device, {.blocks = 1, .calls = between(calls, 1, kMostCalls)}, call)
      .call_s.front();
}

reporting::TimedCalls time_calls(device::Device& device, double seconds, const Call& call) {
  return run_blocks(device, plan_blocks(settled_call_s(device, seconds, call), seconds), call);
}

}  // namespace scalemark::fingerprint
