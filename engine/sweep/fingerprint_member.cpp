#include "engine/sweep/fingerprint_member.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <set>
#include <utility>

#include "core/base/wire.h"
#include "core/catalogue/backends.h"
#include "core/machine/survey.h"
#include "core/plan/collectives/link_rounds.h"
#include "core/plan/presets.h"
#include "engine/comm/links/pair_rounds.h"
#include "engine/distributed/stop_agreement.h"
#include "engine/fingerprint/compute.h"
#include "engine/fingerprint/replay.h"
#include "engine/process/machines.h"
#include "engine/process/rank_group.h"
#include "engine/process/run_request.h"
#include "engine/train/replayed_training.h"
#include "report/judge/point/fingerprint.h"
#include "report/record/rank_fields.h"

namespace scalemark::sweeping {

using reporting::FingerprintRecord;
using reporting::ReplayRecord;

namespace {

// Whether a record of this part describes a whole machine or all ranks, or names its rank itself.
bool is_of_machine(FingerprintPart part) {
  return part == FingerprintPart::kMachine || part == FingerprintPart::kExchange ||
         part == FingerprintPart::kNode;
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
  } else if (command.fingerprint == FingerprintPart::kNode) {
    answer = watched(command, [&] { return measure_node(); });
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

// A network that cannot be trained this way records the reason, and the sweep continues.
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
  FingerprintRecord record;
  with_group("fingerprint", distributed::all_ranks(context_.world().world_size), exchange.backend,
             [&] {
               record = fingerprint::exchange(*rank_group_, reporting::MachineRate::kAllReduce,
                                              exchange.bytes, plan_.fingerprint_s);
             });
  return record;
}

void FingerprintMember::with_group(const std::string& name, const std::vector<int>& members,
                                   const std::string& backend,
                                   const std::function<void()>& measure) {
  process::apply_compute_settings({.threads = planning::threads_of(plan_).back()});
  rank_group_ = std::make_unique<process::RankGroup>(context_, name, members, backend,
                                                     distributed::ErrorStore::kCauseLimit);
  process::GroupGuard(*rank_group_, distributed::ErrorStore::kCauseLimit)
      .run([] { return false; }, measure);
  rank_process_.watchdog().heartbeat(0);
  rank_group_->finish();
}

namespace {

// Makes a record for each member of the group, in the order of ranks. The value is the median over
// the other members, the lower one of an even number: a slow device is slow to all of them, and
// they are to it alone.
std::vector<FingerprintRecord> peer_records(const std::vector<communicating::PairTimes>& pairs,
                                            const std::vector<std::string>& devices,
                                            const std::vector<int>& members,
                                            const FingerprintRecord& like) {
  std::vector<FingerprintRecord> records;
  for (int i = 0; i < static_cast<int>(members.size()); ++i) {
    std::vector<std::vector<double>> bytes_per_s;  // by pass
    for (const communicating::PairTimes& pair : pairs) {
      if (pair.a != i && pair.b != i) continue;
      bytes_per_s.resize(std::max(bytes_per_s.size(), pair.passes.size()));
      for (std::size_t pass = 0; pass < pair.passes.size(); ++pass)
        bytes_per_s[pass].push_back(pair.passes[pass].bytes_per_s);
    }
    reporting::TimedCalls timed;  // a block is a pass: seconds for one byte
    for (std::vector<double>& pass : bytes_per_s) {
      std::ranges::sort(pass);
      timed.call_s.push_back(1 / pass[(pass.size() - 1) / 2]);
    }
    FingerprintRecord& record = records.emplace_back(like);
    record.rank = members[static_cast<std::size_t>(i)];
    record.device = devices[static_cast<std::size_t>(i)];
    set_rate(record, timed, 1);
    record.n = static_cast<std::int64_t>(timed.call_s.size() * (members.size() - 1));
    record.seconds = 0;  // blocks are seconds for a byte, no time that went by
  }
  return records;
}

}  // namespace

FingerprintAnswer FingerprintMember::measure_node() {
  using reporting::MachineRate;
  constexpr int kPasses = 11;  // enough for an interval
  const auto& node_of_rank = context_.node_of_rank();
  std::vector<int> members;
  for (int rank = 0; rank < context_.world().world_size; ++rank) {
    if (node_of_rank[static_cast<std::size_t>(rank)] == context_.world().node)
      members.push_back(rank);
  }
  const monitoring::Host host = monitoring::survey_host();
  // NCCL refuses ranks on instances of one GPU.
  const bool shares_gpus = std::ranges::any_of(
      host.gpus, [](const monitoring::Gpu& gpu) { return !gpu.mig_instances.empty(); });
  if (members.size() < 2 || shares_gpus) return {};
  const bool on_gpu = context_.device().torch_device().is_cuda();
  std::string backend = planning::exchange_of(plan_).backend;
  if (backend.empty()) backend = catalogue::default_backend(on_gpu);
  const std::int64_t bytes = fingerprint::bytes_within_node(on_gpu);
  FingerprintAnswer answer;
  std::vector<FingerprintRecord>& records = answer.records;
  nccl_log_.skip();
  with_group("node " + std::to_string(context_.world().node), members, backend, [&] {
    for (const MachineRate what : {MachineRate::kNodeAllReduce, MachineRate::kNodeAllToAll}) {
      records.push_back(fingerprint::exchange(*rank_group_, what, bytes, plan_.device_check_s));
      rank_process_.watchdog().heartbeat(0);
    }
    const auto devices = rank_group_->control().gather(context_.device().name());
    const auto pairs = communicating::measure_pairs(
        *rank_group_, planning::round_robin(static_cast<int>(members.size())), kPasses,
        communicating::LinkEffort::between(on_gpu), [&] { rank_process_.watchdog().heartbeat(0); });
    if (pairs.empty()) return;
    const FingerprintRecord like{.host = context_.host(),
                                 .what = MachineRate::kPeerExchange,
                                 .threads = records.front().threads,
                                 .method = "messages between pairs, " +
                                           std::to_string(members.size()) + " ranks, " +
                                           std::string(rank_group_->backend()),
                                 .unit = "B/s"};
    std::ranges::move(peer_records(pairs, devices, members, like), std::back_inserter(records));
  });
  if (rank_group_->backend() == "nccl") {
    const std::vector<int> one_node(members.size());
    answer.nccl.push_back(nccl_log_.choice(context_.host(), one_node));
  }
  if (!process::leads_node(context_)) records.clear();
  for (FingerprintRecord& record : records)
    record.device_name = fingerprint::device_name(context_.device(), host);
  return answer;
}

void FingerprintMember::release() {
  if (rank_group_) rank_group_->close();
  rank_group_.reset();
}

}  // namespace scalemark::sweeping
