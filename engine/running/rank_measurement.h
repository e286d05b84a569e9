// One rank's window as the record that travels to rank 0. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/reporting/record/records.h"
#include "data/loader.h"
#include "engine/running/window.h"
#include "engine/training/strategy.h"

namespace scalemark::running {

// What surrounds the window: known to the rank, not to the window.
struct RankFacts {
  int rank = 0;
  std::string host, device;
  std::int64_t warmup_iterations = 0;
  std::int64_t tokens_per_sample = 0;  // text: the sequence length
  reporting::SetupTimes setup_s;
  std::uint64_t memory_peak_bytes = 0;
  std::optional<std::uint64_t> memory_reserved_bytes;
  training::Communication communication;
  std::vector<reporting::CostBlock> cost_blocks;  // of --communication-cost
  std::vector<data::SkippedSample> skipped;
  std::optional<std::int64_t> left_out;  // with --epochs, over all ranks and epochs
  std::vector<std::string> attention_backends;
};

reporting::RankMeasurement rank_measurement(const Window& window, const RankFacts& facts);

}  // namespace scalemark::running
