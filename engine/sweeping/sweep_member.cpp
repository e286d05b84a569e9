#include "engine/sweeping/sweep_member.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "core/catalogue/backends.h"
#include "engine/process/group_guard.h"
#include "engine/process/process_setup.h"
#include "engine/process/run_console.h"
#include "engine/running/memory_advice.h"
#include "engine/running/results/raw_steps.h"
#include "engine/running/run_watch.h"
#include "engine/running/trace/trace_run.h"
#include "engine/sweeping/outcome_parcel.h"
#include "engine/sweeping/point_verdict.h"

namespace scalemark::sweeping {
namespace {

using std::chrono::milliseconds;

// A failing member reports the cause in its result, not in the error store: no rank waits there.
constexpr milliseconds kNoCause{0};
// A run that was asked to end has 10 s for everything.
constexpr milliseconds kStoppedLimit{2000};

}  // namespace

SweepMember::SweepMember(process::RankProcess& rank_process, process::RankContext& context,
                         distributed::WorkQueue& queue, const DatasetCache& datasets,
                         const planning::Plan& plan)
    : rank_process_(rank_process),
      context_(context),
      queue_(queue),
      datasets_(datasets),
      plan_(plan) {
  const bool need_own_gpus = std::ranges::any_of(plan.points, [](const auto& point) {
    return !point.skipped && catalogue::needs_one_rank_per_gpu(point.settings.parallel.backend);
  });
  if (need_own_gpus) context.refuse_shared_gpus();
}

SweepMember::~SweepMember() = default;

TaskOutcome SweepMember::run(std::int64_t number, const planning::Task& task) {
  settings::Settings settings = planning::settings_of(plan_, task);
  if (task.kind == planning::Task::Kind::kTrial) settings.measuring.raw_steps = false;
  process::apply_compute_settings(process::compute_settings(settings));
  TaskOutcome outcome;
  outcome.world = process::world_within(context_, planning::members_of(plan_, task.run));
  RankResult& result = outcome.result;
  try {
    result = attempt(number, task, settings, outcome);
    if (result.kind == RankResult::Kind::kOk) hand_over(number, outcome);
  } catch (...) {
    result = result_of(std::current_exception());
  }
  gpu_fault_ = gpu_fault_in({{context_.world().rank, result}});
  const bool failed = result.kind == RankResult::Kind::kOom ||
                      result.kind == RankResult::Kind::kFailed ||
                      result.kind == RankResult::Kind::kPeerLost;
  queue_.report_result(number, encode(result),
                       failed);  // first: peers that notice the loss then find its cause
  if (failed && rank_group_) rank_group_->drop();
  return outcome;
}

RankResult SweepMember::attempt(std::int64_t number, const planning::Task& task,
                                const settings::Settings& settings, TaskOutcome& outcome) {
  const auto& workload = running::workload_named(settings.task.workload);
  const std::string name = "task/" + std::to_string(number);
  rank_process_.phase_tracker().enter("rendezvous");
  rank_group_ = std::make_unique<process::RankGroup>(
      context_, name, planning::members_of(plan_, task.run), settings.parallel.backend, kNoCause);

  context_.device().limit_memory(running::memory_limit(settings, context_));

  process::RunConsole console(rank_process_.request(), workload.sample_unit,
                              settings::samples_per_batch(settings));
  loop_keys_ = c10::make_intrusive<distributed::RecordingStore>(context_.error_store().store());
  distributed::StopAgreement agreement(loop_keys_, name, outcome.world.rank,
                                       outcome.world.world_size, rank_process_.stop_options());
  process::GroupGuard guard(*rank_group_, kNoCause);
  running::RunWatch watch(agreement, rank_process_.watchdog(), rank_process_.phase_tracker(),
                          console, guard);
  guard.run([&] { return queue_.called_off(number); },
            [&] {
              outcome.measured = running::run_point(
                  *rank_group_, settings, planning::length_of(plan_, task), workload,
                  datasets_.of(settings), watch, [](const auto&) {}, {},
                  running::trace_folder(settings, task.run.id));
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
void SweepMember::save_raw_steps(const planning::Task& task, running::PointOutcome& measured) {
  if (planning::members_of(plan_, task.run).front() != 0) return;
  running::save_raw_steps(rank_group_->control(),
                          {rank_process_.request().settings.general.output, task.run.id}, measured,
                          [&] { rank_process_.watchdog().heartbeat(0); });
}

// Rank 0 of the group has gathered what all measured; rank 0 of the sweep writes the row.
void SweepMember::hand_over(std::int64_t number, const TaskOutcome& outcome) {
  if (outcome.world.rank != 0 || context_.world().rank == 0) return;
  send_outcome(*context_.store_pointer(), number, outcome.measured);
}

bool SweepMember::data_holds_batch(const planning::Task& task) const {
  const settings::Settings settings = planning::settings_of(plan_, task);
  const auto& data = datasets_.of(settings);
  const auto ranks = plan_.points[task.run.point].world_size;
  return !data.train || data.train->size() / ranks >= settings.size.batch_size;
}

void SweepMember::release() {
  if (gpu_fault_) throw Error(*gpu_fault_);
  if (rank_group_) rank_group_->close();
  rank_group_.reset();
  if (loop_keys_) loop_keys_->delete_recorded_keys();
  loop_keys_.reset();
  context_.device().release_cached_memory();
}

}  // namespace scalemark::sweeping
