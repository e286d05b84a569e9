#include "engine/sweeping/fingerprint_member.h"

#include "core/base/wire.h"
#include "core/monitoring/environment.h"
#include "core/planning/fingerprint.h"
#include "core/reporting/record/telemetry_fields.h"
#include "engine/distributed/interrupt.h"
#include "engine/fingerprint/exchange.h"
#include "engine/process/group_guard.h"
#include "engine/process/node_leader.h"
#include "engine/process/process_setup.h"
#include "engine/process/telemetry.h"

namespace scalemark::sweeping {

using reporting::FingerprintRecord;

std::string FingerprintMember::answer(const SweepCommand& command) {
  FingerprintAnswer answer;
  const int rank = context_.world().rank;
  if (command.fingerprint == FingerprintPart::kExchange) {
    const FingerprintRecord record = measure_exchange();
    if (rank == 0) answer.records.push_back(record);
  } else if (command.fingerprint == FingerprintPart::kDevices) {
    if (command.only_rank.value_or(rank) == rank) answer = measure_device(command);
  } else if (process::leads_node(context_)) {
    answer.records = measure_machine();
  }
  context_.device().release_cached_memory();
  return to_wire(answer);
}

fingerprint::MachineOptions FingerprintMember::options(double seconds) {
  fingerprint::MachineOptions options;
  options.threads = planning::threads_of(plan_);
  options.folder = rank_process_.request().settings.general.output;
  options.seconds = seconds;
  options.goes_on = [&] {
    rank_process_.watchdog().heartbeat(0);
    return !distributed::received_signal().has_value();
  };
  return options;
}

std::vector<FingerprintRecord> FingerprintMember::measure_machine() {
  auto records = fingerprint::measure_machine(context_.device(), monitoring::survey_host(),
                                              options(plan_.fingerprint_s));
  for (FingerprintRecord& record : records) record.host = context_.host();
  return records;
}

FingerprintAnswer FingerprintMember::measure_device(const SweepCommand& command) {
  const bool alone = command.only_rank.has_value();
  const auto sampler = process::open_telemetry(context_, alone || process::leads_node(context_));
  sampler->begin();
  FingerprintAnswer answer;
  answer.records = fingerprint::measure_device(context_.device(), monitoring::survey_host(),
                                               options(plan_.device_check_s));
  sampler->end();
  answer.readings = process::readings(context_, *sampler);
  for (FingerprintRecord& record : answer.records) {
    record.host = context_.host();
    record.rank = context_.world().rank;
  }
  return answer;
}

FingerprintRecord FingerprintMember::without_exchange(const std::string& reason) const {
  FingerprintRecord record;
  record.host = context_.host();
  record.device = context_.device().name();
  record.what = reporting::MachineRate::kAllReduce;
  record.unit = "B/s";
  record.reason = reason;
  return record;
}

FingerprintRecord FingerprintMember::measure_exchange() {
  const planning::PlannedExchange exchange = planning::exchange_of(plan_);
  if (!exchange.reason.empty()) return without_exchange(exchange.reason);
  process::apply_compute_settings({.threads = planning::threads_of(plan_).back()});
  rank_group_ = std::make_unique<process::RankGroup>(
      context_, "fingerprint", process::all_ranks(context_.world()), exchange.backend,
      distributed::ErrorStore::kCauseLimit);
  FingerprintRecord record;
  process::GroupGuard(*rank_group_, distributed::ErrorStore::kCauseLimit)
      .run([] { return false; },
           [&] {
             record = fingerprint::all_reduce(*rank_group_, exchange.bytes, plan_.fingerprint_s);
           });
  rank_process_.watchdog().heartbeat(0);
  rank_group_->finish();
  return record;
}

void FingerprintMember::release() {
  if (rank_group_) rank_group_->close();
  rank_group_.reset();
}

}  // namespace scalemark::sweeping
