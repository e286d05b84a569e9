#include "engine/running/point_run.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "engine/running/group_guard.h"
#include "engine/running/process_setup.h"
#include "engine/running/run_console.h"
#include "engine/running/run_watch.h"
#include "engine/running/verdict.h"

namespace scalemark::running {
namespace {

using std::chrono::milliseconds;

// A member that fails says why by its ballot, not on the fault board: nobody waits for one there.
constexpr milliseconds kNoCause{0};
// Of a run that was asked to end: it has 10 s for everything.
constexpr milliseconds kStoppedLimit{2000};

}  // namespace

PointRun::PointRun(RankLife& life, Session& session, distributed::TaskBoard& board,
                   const DataShelf& shelf, const planning::Plan& plan)
    : life_(life), session_(session), board_(board), shelf_(shelf), plan_(plan) {
  const bool uses_nccl = std::ranges::any_of(plan.points, [](const auto& point) {
    return !point.skipped && point.settings.parallel.backend == "nccl";
  });
  if (uses_nccl) session.refuse_shared_gpus();
}

PointRun::~PointRun() = default;

Ballot PointRun::run(std::int64_t number, const planning::Task& task) {
  const settings::Settings settings = planning::settings_of(plan_, task);
  apply_compute_settings(settings);
  Ballot ballot;
  try {
    ballot = attempt(number, task, settings);
  } catch (...) {
    ballot = ballot_of(std::current_exception());
  }
  gpu_fault_ = gpu_fault_in({{session_.world().rank, ballot}});
  const bool failed = ballot.kind == Ballot::Kind::kOom || ballot.kind == Ballot::Kind::kFailed ||
                      ballot.kind == Ballot::Kind::kBereft;
  board_.vote(number, encode(ballot), failed);  // first: then peers learn the cause with the loss
  if (failed && team_) team_->drop();
  return ballot;
}

Ballot PointRun::attempt(std::int64_t number, const planning::Task& task,
                         const settings::Settings& settings) {
  const planning::PlannedPoint& point = plan_.points[task.run.point];
  const auto& workload = workload_named(settings.what.workload);
  const std::string name = "task/" + std::to_string(number);
  world_ = world_within(session_, point.members);  // a row needs it even where no team comes to be
  life_.progression().enter("rendezvous");
  team_ =
      std::make_unique<Team>(session_, name, point.members, settings.parallel.backend, kNoCause);

  RunConsole console(life_.request(), workload.sample_unit, samples_per_batch(settings));
  loop_keys_ = c10::make_intrusive<distributed::RecordingStore>(session_.board().store());
  distributed::StopAgreement agreement(loop_keys_, name, world_.rank, world_.world_size,
                                       life_.stop_options());
  GroupGuard guard(*team_, kNoCause);
  RunWatch watch(agreement, life_.watchdog(), life_.progression(), console, guard);
  outcome_ = guard.run([&] { return board_.called_off(number); },
                       [&] {
                         return run_point(*team_, settings, planning::length_of(plan_, task),
                                          workload, shelf_.of(settings), watch, [](const auto&) {});
                       });
  if (!outcome_.stopped) {
    team_->finish();
    return {};
  }
  const auto stop = agreement.stop();
  if (stop->agreed) team_->finish(kStoppedLimit);
  return {.kind = Ballot::Kind::kStopped, .signal = stop->signal, .agreed = stop->agreed};
}

bool PointRun::data_holds_batch(const planning::Task& task) const {
  const settings::Settings settings = planning::settings_of(plan_, task);
  const auto& data = shelf_.of(settings);
  const auto ranks = plan_.points[task.run.point].world_size;
  return !data.train || data.train->size() / ranks >= settings.size.batch_size;
}

void PointRun::settle() {
  if (gpu_fault_) throw Error(*gpu_fault_);
  outcome_ = {};
  if (team_) team_->close();
  team_.reset();
  if (loop_keys_) loop_keys_->delete_recorded_keys();
  loop_keys_.reset();
  session_.device().release_cached_memory();
}

}  // namespace scalemark::running
