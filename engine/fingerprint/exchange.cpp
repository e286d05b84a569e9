#include "engine/fingerprint/exchange.h"

#include <ATen/Parallel.h>
#include <ATen/ops/zeros.h>

#include <string>
#include <vector>

#include "core/base/text.h"
#include "core/collectives/bandwidth.h"
#include "core/reporting/point/fingerprint.h"
#include "engine/fingerprint/blocks.h"

namespace scalemark::fingerprint {
namespace {

// Rank 0's: every rank must make equally many calls.
BlockPlan agreed_plan(process::RankGroup& rank_group, const BlockPlan& mine) {
  // One number is largest where all ranks but 0 offer nothing.
  const bool leads = rank_group.world().rank == 0;
  std::vector<double> plan{leads ? static_cast<double>(mine.blocks) : 0,
                           leads ? static_cast<double>(mine.calls) : 0};
  rank_group.max_over_ranks(plan);
  return {.blocks = static_cast<std::int64_t>(plan[0]),
          .calls = static_cast<std::int64_t>(plan[1])};
}

}  // namespace

reporting::FingerprintRecord all_reduce(process::RankGroup& rank_group, std::int64_t bytes,
                                        double seconds) {
  device::Device& device = rank_group.device();
  const int ranks = rank_group.world().world_size;
  reporting::FingerprintRecord record;
  record.host = rank_group.context().host();
  record.device = device.name();
  record.threads = at::get_num_threads();
  record.what = reporting::MachineRate::kAllReduce;
  record.unit = "B/s";
  record.method = printed("busbw of %.4g MB, ", static_cast<double>(bytes) / 1e6) +
                  std::to_string(ranks) + " ranks, " + std::string(rank_group.backend());
  const auto options = at::TensorOptions().dtype(at::kFloat).device(device.torch_device());
  std::vector<at::Tensor> tensors{
      at::zeros({bytes / static_cast<std::int64_t>(sizeof(float))}, options)};
  const auto call = [&] { rank_group.group()->allreduce(tensors)->wait(); };
  // Settled by a fixed number of calls: by time, ranks would make different numbers of them.
  constexpr BlockPlan kSettling{.blocks = 1, .calls = 3};
  run_blocks(device, kSettling, call);
  const double call_s = run_blocks(device, kSettling, call).call_s.front();
  const BlockPlan plan = agreed_plan(rank_group, plan_blocks(call_s, seconds));
  reporting::TimedCalls timed = run_blocks(device, plan, call);
  rank_group.max_over_ranks(timed.call_s);
  const double factor = *collectives::bus_factor(collectives::Collective::kAllReduce, ranks);
  set_rate(record, timed, static_cast<double>(bytes) * factor);
  return record;
}

}  // namespace scalemark::fingerprint
