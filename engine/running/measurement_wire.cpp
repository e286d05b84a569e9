#include "engine/running/measurement_wire.h"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <vector>

// Field lists, so that reading and writing cannot drift apart. CBOR, because it keeps NaN and every
// bit of a double.
namespace scalemark::reporting {
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Phases, data_wait, host_to_device, forward, backward,
                                   exposed_communication, optimizer, other)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SetupTimes, rendezvous_s, model_s, data_s, first_step_s)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SkippedFile, name, reason)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RankMeasurement, rank, host, device, iterations, steps_per_mark,
                                   samples, padded, tokens, non_pad_tokens, wall_s, step_s,
                                   exposed_communication_s, counted_data_wait_s, phases_s,
                                   loss_first, loss_last, memory_peak_bytes, energy_J, setup_s,
                                   warmup_iterations, payload_bytes_per_step, bucket_bytes,
                                   abba_step_s, skipped, attention_backends)
}  // namespace scalemark::reporting

namespace scalemark::running {

std::string to_wire(const reporting::RankMeasurement& measurement) {
  std::string bytes;
  nlohmann::json::to_cbor(nlohmann::json(measurement), bytes);
  return bytes;
}

reporting::RankMeasurement from_wire(const std::string& bytes) {
  return nlohmann::json::from_cbor(bytes).get<reporting::RankMeasurement>();
}

}  // namespace scalemark::running
