#include "engine/sweep/training_member.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "core/base/field.h"
#include "core/base/wire.h"
#include "core/catalogue/backends.h"
#include "engine/process/machines.h"
#include "engine/process/rank_group.h"
#include "engine/process/run_console.h"
#include "engine/process/run_report.h"
#include "engine/process/run_request.h"
#include "engine/sweep/sweep_messages.h"
#include "engine/train/memory_advice.h"
#include "engine/train/results/over_ranks.h"
#include "engine/train/run_watch.h"
#include "engine/train/trace/trace_run.h"
#include "report/record/rank_fields.h"

namespace scalemark::sweeping {
namespace {

bool has_failed(const RankResult& result) {
  return result.kind == RankResult::Kind::kOom || result.kind == RankResult::Kind::kFailed ||
         result.kind == RankResult::Kind::kPeerLost;
}

}  // namespace

TaskOutcome SweepMember::run(std::int64_t number, const planning::Task& task) {
  TaskOutcome outcome;
  RankResult& result = outcome.result;
  try {
    result = train(number, task, outcome);
    // Rank 0 of the group has gathered what all measured; rank 0 of the sweep writes the row.
    const bool elsewhere = outcome.world.rank == 0 && ranks_.rank() != 0;
    if (result.kind == RankResult::Kind::kOk && elsewhere) {
      send_outcome(ranks_.store(), number, outcome.measured);
    }
  } catch (...) {
    result = result_of(std::current_exception());
  }
  gpu_fault_ = gpu_fault_in({{ranks_.rank(), result}});
  result.heartbeat_record = ranks_.heartbeat_record();
  // This comes first, so that peers that notice the loss find its cause.
  ranks_.queue().report_result(number, to_wire(result), has_failed(result));
  if (has_failed(result)) drop();
  return outcome;
}

void SweepMember::release() {
  if (gpu_fault_) throw Error(*gpu_fault_);
  give_back();
}

namespace {

std::string answer_of(SweepMember& member, const SweepCommand& command) {
  if (command.health) return member.read_health();
  return command.quiet_check ? member.read_machine() : member.fingerprint(command);
}

}  // namespace

void SweepFollower::take_part(const distributed::WorkMessage& message) {
  const auto command = from_wire<SweepCommand>(message.text);
  if (!command.task) {
    return ranks_.queue().report_result(message.number, answer_of(member_, command),
                                        /*failed=*/false);
  }
  const auto members = planning::members_of(plan_, command.task->run);
  if (std::ranges::find(members, ranks_.rank()) == members.end()) return;
  member_.run(message.number, *command.task);
}

namespace {

using std::chrono::milliseconds;

// A failing member reports the cause in its result and not in the error store, so no rank waits
// there.
constexpr milliseconds kNoCause{0};
// A run that was asked to end has 10 s in all.
constexpr milliseconds kStoppedLimit{2000};
// How long the machine is watched for one reading.
constexpr milliseconds kMachineReadTime{300};

}  // namespace

TrainingMember::TrainingMember(process::RankProcess& rank_process, process::RankContext& context,
                               process::RankLink& ranks, const DatasetCache& datasets,
                               const planning::Plan& plan, process::NcclLog& nccl_log)
    : SweepMember(ranks),
      rank_process_(rank_process),
      context_(context),
      queue_(ranks.queue()),
      datasets_(datasets),
      plan_(plan),
      fingerprint_(rank_process, context, datasets, plan, nccl_log),
      health_(context) {
  const bool need_own_gpus = std::ranges::any_of(plan.points, [](const auto& point) {
    return !point.skipped && catalogue::needs_one_rank_per_gpu(point.settings.parallel.backend);
  });
  if (need_own_gpus) context.refuse_shared_gpus();
}

TrainingMember::~TrainingMember() = default;

RankResult TrainingMember::train(std::int64_t number, const planning::Task& task,
                                 TaskOutcome& outcome) {
  settings::Settings settings = planning::settings_of(plan_, task);
  if (task.kind == planning::Task::Kind::kTrial) settings.measuring.raw_steps = false;
  process::apply_compute_settings(process::compute_settings(settings));
  outcome.world = process::world_within(context_, planning::members_of(plan_, task.run));
  const auto& workload = running::workload_named(settings.task.workload);
  const planning::RunLength length = planning::length_of(plan_, task);
  const std::string name = "task/" + std::to_string(number);
  rank_process_.phase_tracker().enter("rendezvous");
  rank_group_ = std::make_unique<process::RankGroup>(
      context_, name, planning::members_of(plan_, task.run), settings.parallel.backend, kNoCause);

  context_.device().limit_memory(running::memory_limit(settings, context_));

  process::RunConsole console(rank_process_.request(), settings, workload.sample_unit);
  loop_keys_ = c10::make_intrusive<distributed::RecordingStore>(context_.error_store().store());
  distributed::StopAgreement agreement(loop_keys_, name, outcome.world.rank,
                                       outcome.world.world_size, rank_process_.stop_options());
  process::GroupGuard guard(*rank_group_, kNoCause);
  running::RunWatch watch(
      agreement, rank_process_.watchdog(), rank_process_.phase_tracker(), console, guard,
      rank_process_.live().vitals(),
      process::open_event_log(rank_process_, *rank_group_, settings, task.run.id));
  guard.run([&] { return queue_.called_off(number); },
            [&] {
              outcome.measured = running::run_point(
                  {*rank_group_, settings, length, workload, datasets_.of(settings), watch},
                  [](const auto&) {}, {}, running::trace_folder(settings, task.run.id));
              save_raw_steps(task, outcome.measured);
            });
  if (!outcome.measured.stopped) {
    rank_group_->finish();
    return {};
  }
  const auto stop = agreement.stop();
  if (stop->agreed) rank_group_->finish(kStoppedLimit);
  return {.kind = RankResult::Kind::kStopped, .signal = stop->signal, .agreed = stop->agreed};
}

// The only rank of a point hands its steps over to rank 0.
void TrainingMember::save_raw_steps(const planning::Task& task, running::PointOutcome& measured) {
  if (planning::members_of(plan_, task.run).front() != 0) return;
  running::save_raw_steps(rank_group_->control(),
                          {rank_process_.request().settings.general.output, task.run.id}, measured,
                          [&] { rank_process_.watchdog().heartbeat(0); });
}

bool TrainingMember::data_holds_batch(const planning::Task& task) const {
  const settings::Settings settings = planning::settings_of(plan_, task);
  const auto& data = datasets_.of(settings);
  const auto ranks = plan_.points[task.run.point].world_size;
  return !data.train || data.train->size() / ranks >= settings.size.batch_size;
}

std::string TrainingMember::read_machine() {
  auto& sampler = process::fresh_telemetry(context_, process::leads_node(context_));
  sampler.begin();
  std::this_thread::sleep_for(kMachineReadTime);
  sampler.end();
  return to_wire(process::readings(context_));
}

void TrainingMember::drop() noexcept {
  if (rank_group_) rank_group_->drop();
}

void TrainingMember::give_back() {
  fingerprint_.release();
  if (rank_group_) rank_group_->close();
  rank_group_.reset();
  if (loop_keys_) loop_keys_->delete_recorded_keys();
  loop_keys_.reset();
  context_.device().release_cached_memory();
}

}  // namespace scalemark::sweeping
