#include "engine/sweeping/fingerprint_member.h"

#include "core/base/wire.h"
#include "core/monitoring/environment.h"
#include "core/planning/fingerprint.h"
#include "core/reporting/record/telemetry_fields.h"
#include "engine/distributed/interrupt.h"
#include "engine/fingerprint/exchange.h"
#include "engine/fingerprint/machine.h"
#include "engine/process/group_guard.h"
#include "engine/process/node_leader.h"
#include "engine/process/process_setup.h"

namespace scalemark::sweeping {
namespace {

using reporting::FingerprintRecord;

}  // namespace

std::string FingerprintMember::answer(FingerprintPart part) {
  std::vector<FingerprintRecord> records;
  if (part == FingerprintPart::kExchange) {
    const FingerprintRecord record = measure_exchange();
    if (context_.world().rank == 0) records.push_back(record);
  } else if (process::leads_node(context_)) {
    records = measure_machine();
  }
  context_.device().release_cached_memory();
  return to_wire(records);
}

std::vector<FingerprintRecord> FingerprintMember::measure_machine() {
  fingerprint::MachineOptions options;
  options.threads = planning::threads_of(plan_);
  options.folder = rank_process_.request().settings.general.output;
  options.seconds = plan_.fingerprint_s;
  options.goes_on = [&] {
    rank_process_.watchdog().heartbeat(0);
    return !distributed::received_signal().has_value();
  };
  const monitoring::Host host = monitoring::survey_host();
  auto records = fingerprint::measure_machine(context_.device(), host, options);
  for (FingerprintRecord& record : records) record.host = context_.host();
  return records;
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
