// One rank's window as the record that travels to rank 0. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/reporting/output/raw_steps.h"
#include "core/reporting/record/records.h"
#include "data/loader.h"
#include "engine/measurement/bucket_timer.h"
#include "engine/running/window.h"
#include "engine/training/strategy.h"

namespace scalemark::running {

// These facts surround the window: the rank knows them, the window does not.
struct RankFacts {
  int rank = 0;
  bool serves = false;
  std::string host, device;
  std::string uuid;  // of a GPU
  std::int64_t warmup_iterations = 0;
  std::optional<bool> warmup_settled;  // rank 0 only
  std::int64_t tokens_per_sample = 0;  // text: the sequence length
  reporting::SetupTimes setup_s;
  std::uint64_t memory_peak_bytes = 0;
  std::optional<std::uint64_t> memory_reserved_bytes;
  training::Communication communication;
  std::vector<measurement::BucketTimes> buckets;
  std::vector<reporting::CostBlock> cost_blocks;  // of --communication-cost
  std::vector<data::SkippedSample> skipped;
  std::optional<std::int64_t> left_out;  // with --epochs, over all ranks and epochs
  std::vector<std::string> attention_backends;
  std::vector<reporting::LossAtStep> loss_course;
  std::string machine;
  std::vector<monitoring::SourceSummary> telemetry;
  std::string cpus;  // that it may use
  std::optional<int> memory_node;
};

reporting::RankMeasurement rank_measurement(const Window& window, const RankFacts& facts);

// --raw-steps: every value of the window, as the rank's part of the file.
reporting::RawPart raw_steps(const Window& window, const RankFacts& facts);

}  // namespace scalemark::running
