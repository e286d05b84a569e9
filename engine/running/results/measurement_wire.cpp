#include "engine/running/results/measurement_wire.h"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "core/base/error.h"
#include "engine/distributed/wire.h"
#include "engine/process/source_wire.h"

// Field lists, so that reading and writing cannot drift apart.
namespace scalemark::statistics {
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Summary, n, mean, p50, min, max, p95, p99, stdev)
}  // namespace scalemark::statistics

namespace scalemark::reporting {
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Phases, data_wait, host_to_device, forward, backward,
                                   exposed_communication, optimizer, other)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SetupTimes, rendezvous_s, model_s, data_s, first_step_s)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(LossAtStep, step, loss)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SkippedFile, name, reason)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CostBlock, step_s, own_s)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(BucketRecord, bytes, collective, ready_s, start_s, end_s,
                                   hidden_share)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RankSteps, step_s, own_mean_s, own_mean_ln, data_wait_s,
                                   exposed_communication_s, exposed_batches)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RankMeasurement, rank, serves, host, device, uuid, iterations,
                                   steps_per_mark, samples, padded, left_out, tokens,
                                   non_pad_tokens, wall_s, stretch_wall_s, step_s,
                                   exposed_communication_s, counted_data_wait_s, phases_s,
                                   loss_first, loss_last, memory_peak_bytes, memory_reserved_bytes,
                                   energy_J, setup_s, warmup_iterations, warmup_settled,
                                   payload_bytes_per_step, bucket_bytes, bucket_timeline,
                                   cost_blocks, skipped, attention_backends, loss_course, machine,
                                   telemetry, cpus, memory_node)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RankSummary, rank, steps)
}  // namespace scalemark::reporting

namespace scalemark::running {

std::string to_wire(const reporting::RankSummary& summary) {
  return distributed::pack(nlohmann::json(summary));
}

reporting::RankSummary from_wire(const std::string& bytes) {
  const auto value = distributed::unpack(bytes);
  if (!value) throw bug("a rank's summary that cannot be read");
  return value->get<reporting::RankSummary>();
}

}  // namespace scalemark::running
