#include "engine/running/rank_measurement.h"

namespace scalemark::running {
namespace {

reporting::Phases record_of(const measurement::PhaseTimes& mean) {
  return {.data_wait = mean.data_wait,
          .host_to_device = mean.host_to_device,
          .forward = mean.forward,
          .backward = mean.backward,
          .exposed_communication = mean.exposed_communication,
          .optimizer = mean.optimizer,
          .other = mean.other};
}

}  // namespace

reporting::RankMeasurement rank_measurement(const Window& window, const RankFacts& facts) {
  reporting::RankMeasurement result{
      .rank = facts.rank,
      .host = facts.host,
      .device = facts.device,
      .iterations = window.iterations,
      .steps_per_mark = window.steps_per_mark,
      .samples = window.samples,
      .padded = window.padded,
      .left_out = facts.left_out,
      .tokens = window.samples * facts.tokens_per_sample,
      .non_pad_tokens = window.non_pad_tokens,
      .wall_s = window.wall_s,
      .stretch_wall_s = window.stretch_wall_s,
      .step_s = window.steps.step_s,
      .memory_peak_bytes = facts.memory_peak_bytes,
      .memory_reserved_bytes = facts.memory_reserved_bytes,
      .energy_J = window.energy_J,
      .setup_s = facts.setup_s,
      .warmup_iterations = facts.warmup_iterations,
      .payload_bytes_per_step = static_cast<double>(facts.communication.payload_bytes_per_step),
      .cost_blocks = facts.cost_blocks};
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
  for (const data::SkippedSample& sample : facts.skipped) {
    result.skipped.push_back({.name = sample.name, .reason = sample.reason});
  }
  result.attention_backends = facts.attention_backends;
  return result;
}

}  // namespace scalemark::running
