#include "engine/running/results/rank_measurement.h"

#include <iterator>

namespace scalemark::running {
namespace {

reporting::Phases record_of(const measurement::PhaseTimes& step) {
  return {.data_wait = step.data_wait,
          .host_to_device = step.host_to_device,
          .forward = step.forward,
          .backward = step.backward,
          .exposed_communication = step.exposed_communication,
          .optimizer = step.optimizer,
          .other = step.other};
}

std::vector<reporting::BucketRecord> records_of(const std::vector<measurement::BucketTimes>& seen) {
  std::vector<reporting::BucketRecord> records;
  for (const measurement::BucketTimes& bucket : seen) {
    records.push_back({.bytes = static_cast<double>(bucket.bytes),
                       .collective = bucket.collective,
                       .ready_s = bucket.ready_s,
                       .start_s = bucket.start_s,
                       .end_s = bucket.end_s,
                       .hidden_share = bucket.hidden_share});
  }
  return records;
}

}  // namespace

reporting::RankMeasurement rank_measurement(const Window& window, const RankFacts& facts) {
  reporting::RankMeasurement result{
      .rank = facts.rank,
      .serves = facts.serves,
      .host = facts.host,
      .device = facts.device,
      .uuid = facts.uuid,
      .iterations = window.iterations,
      .steps_per_mark = window.steps_per_mark,
      .samples = window.samples,
      .padded = window.padded,
      .left_out = facts.left_out,
      .tokens = window.samples * facts.tokens_per_sample,
      .non_pad_tokens = window.non_pad_tokens,
      .wall_s = window.wall_s,
      .stretch_wall_s = {},
      .step_s = window.steps.step_s,
      .memory_peak_bytes = facts.memory_peak_bytes,
      .memory_reserved_bytes = facts.memory_reserved_bytes,
      .energy_J = window.energy_J,
      .setup_s = facts.setup_s,
      .warmup_iterations = facts.warmup_iterations,
      .warmup_settled = facts.warmup_settled,
      .payload_bytes_per_step = static_cast<double>(facts.communication.payload_bytes_per_step),
      .cost_blocks = facts.cost_blocks};
  for (const auto& stretch : window.stretches) result.stretch_wall_s.push_back(stretch.wall_s);
  const auto& phases = window.steps.phases;
  if (!phases.empty()) result.phases_s = record_of(measurement::mean_of(phases));
  for (const measurement::PhaseTimes& step : phases) {
    result.exposed_communication_s.push_back(step.exposed_communication);
    result.counted_data_wait_s.push_back(
        step.data_wait);  // the timeline is the device's: see METRICS
  }
  if (!window.losses.empty()) {
    result.loss_first = window.losses.front();
    result.loss_last = window.losses.back();
  }
  for (const std::int64_t bytes : facts.communication.bucket_bytes) {
    result.bucket_bytes.push_back(static_cast<double>(bytes));
  }
  result.bucket_timeline = records_of(facts.buckets);
  for (const data::SkippedSample& sample : facts.skipped) {
    result.skipped.push_back({.name = sample.name, .reason = sample.reason});
  }
  result.attention_backends = facts.attention_backends;
  result.loss_course = facts.loss_course;
  result.machine = facts.machine;
  result.telemetry = facts.telemetry;
  result.cpus = facts.cpus;
  result.memory_node = facts.memory_node;
  return result;
}

reporting::RawPart raw_steps(const Window& window, const RankFacts& facts) {
  reporting::RawSteps raw{.steps_per_mark = window.steps_per_mark,
                          .windows = window.stretches,
                          .step_s = window.steps.step_s,
                          .phases_s = {},
                          .cost_blocks = facts.cost_blocks};
  if (raw.windows.empty()) {
    raw.windows.push_back(
        {.wall_s = window.wall_s, .steps = window.iterations, .entries = std::ssize(raw.step_s)});
  }
  for (const measurement::PhaseTimes& step : window.steps.phases) {
    raw.phases_s.push_back(record_of(step));
  }
  return reporting::raw_part(raw);
}

}  // namespace scalemark::running
