#include "engine/sweep/fingerprint_member.h"

#include <chrono>
#include <set>
#include <utility>

#include "core/base/wire.h"
#include "core/machine/environment.h"
#include "core/plan/presets.h"
#include "engine/distributed/stop_agreement.h"
#include "engine/fingerprint/compute.h"
#include "engine/fingerprint/replay.h"
#include "engine/process/machines.h"
#include "engine/process/rank_group.h"
#include "engine/process/run_request.h"
#include "engine/train/replay.h"
#include "report/judge/point/fingerprint.h"
#include "report/record/rank_fields.h"

namespace scalemark::sweeping {

using reporting::FingerprintRecord;
using reporting::ReplayRecord;

namespace {

// Such a record is of a whole machine, or of all ranks together.
bool is_of_machine(FingerprintPart part) {
  return part == FingerprintPart::kMachine || part == FingerprintPart::kExchange;
}

}  // namespace

std::string FingerprintMember::answer(const SweepCommand& command) {
  FingerprintAnswer answer;
  const int rank = context_.world().rank;
  if (command.fingerprint == FingerprintPart::kExchange) {
    answer = watched(command, [&] {
      FingerprintAnswer exchange;
      const FingerprintRecord record = measure_exchange();
      if (rank == 0) exchange.records.push_back(record);
      return exchange;
    });
  } else if (command.fingerprint == FingerprintPart::kMachine) {
    if (process::leads_node(context_)) {
      answer = watched(command, [&] {
        FingerprintAnswer machine;
        machine.records = measure_machine();
        return machine;
      });
    }
  } else if (command.only_rank.value_or(rank) == rank) {
    answer = watched(command, [&] { return measure_own(command.fingerprint); });
  }
  context_.device().release_cached_memory();
  return to_wire(answer);
}

fingerprint::MachineOptions FingerprintMember::options(double seconds) {
  fingerprint::MachineOptions options;
  options.threads = planning::threads_of(plan_);
  options.folder = rank_process_.request().settings.general.output;
  options.seconds = seconds;
  options.continues = [&] {
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

FingerprintAnswer FingerprintMember::watched(const SweepCommand& command,
                                             const std::function<FingerprintAnswer()>& measure) {
  const bool alone = command.only_rank.has_value();
  auto& sampler = process::fresh_telemetry(context_, alone || process::leads_node(context_));
  const auto begun = std::chrono::steady_clock::now();
  sampler.begin();
  FingerprintAnswer answer = measure();
  process::wait_until_watched(alone ? 1 : context_.world().local_world_size, begun);
  sampler.end();
  answer.readings = process::readings(context_);
  for (FingerprintRecord& record : answer.records) {
    record.host = context_.host();
    if (is_of_machine(command.fingerprint)) continue;
    record.rank = context_.world().rank;
  }
  for (ReplayRecord& replay : answer.replays) {
    replay.host = context_.host();
    replay.rank = context_.world().rank;
    replay.device = context_.device().name();
    replay.uuid = context_.device().identity();
  }
  return answer;
}

FingerprintAnswer FingerprintMember::measure_own(FingerprintPart part) {
  FingerprintAnswer answer;
  if (part == FingerprintPart::kSustained) {
    answer.records = fingerprint::hold_products(context_.device(), monitoring::survey_host(),
                                                options(plan_.sweep.sustain_s.value_or(0)));
  } else if (part == FingerprintPart::kReplay) {
    answer.replays = replay();
  } else {
    answer.records = fingerprint::measure_device(context_.device(), monitoring::survey_host(),
                                                 options(plan_.device_check_s));
  }
  return answer;
}

std::vector<ReplayRecord> FingerprintMember::replay() {
  device::Device& device = context_.device();
  const monitoring::Host host = monitoring::survey_host();
  const auto fingerprint = options(plan_.replay_s);
  process::apply_compute_settings({.threads = fingerprint.threads.back(), .deterministic = true});
  std::vector<ReplayRecord> replays = fingerprint::replay_products(device, host, fingerprint);
  std::set<std::pair<std::string, settings::Precision>> done;
  for (const planning::PlannedPoint& point : plan_.points) {
    const settings::Settings& settings = point.settings;
    const auto work = std::pair(settings.task.workload, settings.parallel.precision);
    if (point.skipped || !fingerprint.continues() || !done.insert(work).second) continue;
    replays.push_back(replay_training(point, fingerprint.continues));
    replays.back().method += ", " + fingerprint::bits_method(device, host);
    device.release_cached_memory();
  }
  return replays;
}

// A network that cannot be trained so says why, and the sweep goes on.
ReplayRecord FingerprintMember::replay_training(const planning::PlannedPoint& point,
                                                const std::function<bool()>& continues) {
  const settings::Settings settings = running::replayed_settings(point.settings);
  process::apply_compute_settings(process::compute_settings(settings));
  ReplayRecord record;
  record.work = "training of " + settings.task.workload;
  record.precision = reporting::number_format(name_of(settings.parallel.precision));
  record.method = running::replayed_work(settings);
  fingerprint::measure_or_say_why(record, [&] {
    const running::ReplayedTraining replayed =
        running::replay_training(settings, running::workload_named(settings.task.workload),
                                 datasets_.of(point.settings).shape, context_.device(), continues);
    record.rounds = replayed.rounds;
    record.digest = replayed.digest;
    record.first_wrong = replayed.first_wrong;
    record.wrong = replayed.first_wrong.empty() ? 0 : 1;
  });
  return record;
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
      context_, "fingerprint", distributed::all_ranks(context_.world().world_size),
      exchange.backend, distributed::ErrorStore::kCauseLimit);
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
