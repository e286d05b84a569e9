#include "engine/sweep/sweep_coordinator.h"

#include <algorithm>
#include <utility>

#include "core/base/field.h"
#include "core/base/wire.h"
#include "engine/distributed/errors.h"
#include "engine/sweep/machine_rounds.h"
#include "engine/sweep/sweep_messages.h"
#include "engine/train/results/over_ranks.h"
#include "report/judge/point/disturbances.h"
#include "report/judge/point/telemetry.h"
#include "report/judge/sweep/summary.h"
#include "report/record/rank_fields.h"

namespace scalemark::sweeping {
namespace {

using std::chrono::milliseconds;

// A rank that lost its peers reports at once; the rank that caused it has reported before, or has
// ended.
constexpr milliseconds kWaitForCause{4'000};

Error lost_in_run(const std::vector<int>& members, const std::map<int, RankResult>& results) {
  std::vector<int> missing;
  for (const int member : members) {
    if (!results.contains(member)) missing.push_back(member);
  }
  const std::string who = missing.empty() ? std::string("no rank reported a cause")
                                          : distributed::name_ranks(missing) + " did not answer";
  ErrorRecord record =
      distributed::peer_lost("a rank was lost in the middle of a run: " + who, {},
                             "look at its output, and check whether the system killed it")
          .record();
  if (!missing.empty()) record.rank = missing.front();
  return Error(std::move(record));
}

planning::RunTimes times_of(const reporting::PointRecord& row) {
  return {.step_s = row.wall_s / static_cast<double>(row.iterations),
          .outside_s = row.outside_window_s.value_or(0)};
}

planning::Ending ending_of(const reporting::PointRecord& row) {
  if (row.status == reporting::PointStatus::kOk) return planning::Ending::kOk;
  return row.status == reporting::PointStatus::kOom ? planning::Ending::kOom
                                                    : planning::Ending::kFailed;
}

reporting::Attempt attempt_of(const reporting::PointRecord& row, const std::string& disturbed) {
  if (row.status != reporting::PointStatus::kOk) return {.reason = row.reason};
  return {.samples_per_sec = row.samples_per_sec, .reason = disturbed};
}

// Returns the error that ends a search: the fault of the rank that failed, with its text.
Error end_of_search(const planning::Task& task, const PointVerdict& verdict) {
  ErrorRecord record = verdict.failed.value();
  record.what = "batch search, trial " + std::to_string(task.batch_size) + ": " + verdict.reason;
  record.rank.reset();
  return Error(std::move(record));
}

}  // namespace

SweepCoordinator::SweepCoordinator(const process::RunRequest& request, process::TaskLoop& loop,
                                   const planning::Plan& plan, SweepMember& member,
                                   SweepReport& report, distributed::Clock::time_point begun)
    : request_(request),
      loop_(loop),
      plan_(plan),
      member_(member),
      report_(report),
      begun_(begun),
      schedule_(plan, report.earlier_runs()),
      console_(request, plan, schedule_),
      quiet_check_(
          loop,
          {.longest_wait_s = report.was_busy() ? 0 : longest_wait_s(plan),
           .read = [&member] { return member.read_machine(); },
           .judge = [&report](const auto& telemetry) { return report.disturbances_of(telemetry); },
           .idle =
               [this] {
                 loop_.link().heartbeat();
                 return loop_.requested_signal().has_value();
               }}),
      health_(loop, {.wanted = asks_for(plan.sweep.checks, settings::Check::kHealth),
                     .task = to_wire(SweepCommand{.task = {}, .health = true}),
                     .read = [&member] { return member.read_health(); },
                     .keep = [&report](const auto& rows) { report.set_health(rows); }}) {}

double SweepCoordinator::elapsed_s() const {
  return std::chrono::duration<double>(loop_.link().clock().now() - begun_).count();
}

void SweepCoordinator::begin() {
  report_.add_skipped_points();
  health_.collect();
  MachineRounds machines(loop_, plan_, member_, report_);
  if (schedule_.runs_done() > 0) {
    summarise();  // an earlier session has completed runs
  } else {
    machines.take_fingerprint();
  }
  machines.check_devices();
}

// With --fresh-process the launcher starts new ranks for the next block, so this returns nothing
// after a block, unless a rank was asked to stop: then the loop stops before a task of the next
// block.
std::optional<std::string> SweepCoordinator::next() {
  const bool stopping = loop_.requested_signal().has_value();
  const bool block_is_over = has_run_ && schedule_.block_is_complete();
  if (plan_.sweep.fresh_process && block_is_over && !stopping) return std::nullopt;
  if (plan_.sweep.burn_in_hours && block_is_over && !stopping) health_.collect();
  while ((task_ = schedule_.next(elapsed_s()))) {
    const bool is_trial = task_->kind == planning::Task::Kind::kTrial;
    if (!is_trial || member_.data_holds_batch(*task_)) {
      if (!stopping) check_before_block(*task_);
      return to_wire(SweepCommand{.task = task_});
    }
    console_.begin(*task_);
    record_trial(*task_, planning::Ending::kFailed);
  }
  return std::nullopt;
}

std::optional<distributed::Stop> SweepCoordinator::run(const distributed::WorkMessage& message) {
  const planning::Task& task = *task_;
  console_.begin(task);
  publish(task);
  const double began_s = elapsed_s();
  const std::string started = reporting::utc_now();
  const auto members = planning::members_of(plan_, task.run);
  TaskOutcome outcome;
  if (is_member(members)) outcome = member_.run(message.number, task);
  const auto results = collect(message.number, members);
  if (const auto stopped = stop_in(results)) return stopped;
  if (!is_member(members)) outcome = outcome_elsewhere(message, task, results);
  record(task, outcome, results, started, elapsed_s() - began_s);
  publish(task);
  has_run_ = true;
  if (const auto fault = gpu_fault_in(results)) throw Error(*fault);  // its row is written
  member_.release();
  return std::nullopt;
}

void SweepCoordinator::publish(const planning::Task& task) {
  const planning::PlannedPoint& point = plan_.points[task.run.point];
  const settings::Settings settings = planning::settings_of(plan_, task);
  const bool is_trial = task.kind == planning::Task::Kind::kTrial;  // a trial comes before any run
  auto now = process::LiveStatus::now_of(
      settings, point.world_size, catalogue::find_workload(settings.task.workload)->sample_unit);
  now.point = is_trial ? "batch search" : task.run.id;
  now.runs_done = schedule_.runs_done();
  now.runs_planned = schedule_.runs_known();
  if (!is_trial) now.seconds_left = schedule_.remaining_s(elapsed_s());
  loop_.link().publish(std::move(now));
}

void SweepCoordinator::check_before_block(const planning::Task& task) {
  if (task.kind == planning::Task::Kind::kTrial || task.run.block == checked_block_) return;
  checked_block_ = task.run.block;
  loop_.link().enter("wait");
  busy_ = quiet_check_.before_block();
}

bool SweepCoordinator::is_member(const std::vector<int>& members) const {
  return std::ranges::find(members, loop_.link().rank()) != members.end();
}

// Each text is decoded once.
void SweepCoordinator::add_new(std::map<int, RankResult>& results,
                               const distributed::WorkQueue::ResultTexts& texts) {
  for (const auto& [rank, text] : texts) {
    if (results.contains(rank)) continue;
    results[rank] = from_wire<RankResult>(text);
    loop_.link().take(results[rank].heartbeat_record);
  }
}

// A rank that trains elsewhere has its own watchdog and heartbeat, so this waits as long as it
// lives. Where this rank trained as well, the others are nearly done.
std::map<int, RankResult> SweepCoordinator::collect(std::int64_t number,
                                                    const std::vector<int>& members) {
  std::map<int, RankResult> results;
  const bool took_part = is_member(members);
  const auto keep_waiting = [&](const distributed::WorkQueue::ResultTexts& texts,
                                milliseconds waited) {
    add_new(results, texts);
    const bool lost = has_lost_peer(results) && !has_root_cause(results);
    if (lost) return waited < kWaitForCause;
    return !took_part || waited < loop_.link().timeout();
  };
  loop_.link().enter(took_part ? "report" : "wait");
  add_new(results, loop_.collect(number, members, keep_waiting, /*idle=*/!took_part));
  const bool complete = results.size() == members.size();
  if (!complete || (has_lost_peer(results) && !has_root_cause(results))) {
    throw lost_in_run(members, results);
  }
  return results;
}

// Returns the outcome of a task of a single other rank, in which this rank had no part.
TaskOutcome SweepCoordinator::outcome_elsewhere(const distributed::WorkMessage& message,
                                                const planning::Task& task,
                                                const std::map<int, RankResult>& results) {
  if (results.size() != 1) throw bug("a point of several ranks without rank 0");
  TaskOutcome outcome;
  outcome.world = {.launcher = request_.world.launcher};
  outcome.result = results.begin()->second;
  if (outcome.result.kind == RankResult::Kind::kOk) {
    outcome.measured = receive_outcome(loop_.link().store(), message.number);
    running::save_raw_steps({request_.settings.general.output, task.run.id}, outcome.measured);
  }
  return outcome;
}

void SweepCoordinator::record(const planning::Task& task, const TaskOutcome& outcome,
                              const std::map<int, RankResult>& results, const std::string& started,
                              double took_s) {
  PointVerdict verdict = verdict_of(results);
  if (task.kind == planning::Task::Kind::kTrial) {
    if (verdict.ending == planning::Ending::kFailed) throw end_of_search(task, verdict);
    return record_trial(task, verdict.ending);
  }
  auto row = report_.row_of(task, outcome, verdict, started, took_s);
  auto telemetry =
      row.status == reporting::PointStatus::kOk
          ? reporting::telemetry_of(row.id, reporting::readings_of(outcome.measured.ranks))
          : std::vector<reporting::TelemetryRecord>{};
  const std::string disturbed = reporting::in_words(report_.disturbances_of(telemetry));
  const bool is_final = record_outcome(task, row, disturbed);
  console_.end(row, disturbed, is_final, schedule_.remaining_s(elapsed_s()));
  attempts_.push_back(attempt_of(row, disturbed));
  if (!is_final && !gpu_fault_in(results)) {
    return report_.note_retry(task, attempts_.back().reason);
  }
  // The last attempt counts: which one does may not depend on its result (METRICS.md).
  if (attempts_.size() > 1) row.attempts = attempts_;
  attempts_.clear();
  report_.add(row, std::move(telemetry), std::exchange(busy_, {}));
  if (outcome.measured.not_saved) throw Error(*outcome.measured.not_saved);
  if (!schedule_.block_is_complete()) return;
  summarise();
  console_.end_block();
}

// --until-ci judges by the report's summary.
void SweepCoordinator::summarise() {
  report_.summarise(schedule_.stop_reasons());
  schedule_.note_precision(report_.precision());
}

// Returns true when the run is over, false when it is measured again.
bool SweepCoordinator::record_outcome(const planning::Task& task, const reporting::PointRecord& row,
                                      const std::string& disturbed) {
  const bool is_ok = row.status == reporting::PointStatus::kOk;
  if (is_ok) schedule_.record_duration(task, times_of(row));
  if (!disturbed.empty() && schedule_.repeats_disturbed_run(task, elapsed_s())) return false;
  return schedule_.record_outcome(task, ending_of(row),
                                  is_ok ? std::optional(row.samples_per_sec) : std::nullopt);
}

void SweepCoordinator::record_trial(const planning::Task& task, planning::Ending ending) {
  schedule_.record_outcome(task, ending);
  console_.end_trial(task, ending);
}

std::string SweepCoordinator::close_stopped() {
  report_.end_session(schedule_.stop_reasons("interrupted"));
  return console_.kept();
}

void SweepCoordinator::show_stopped() {
  report_.render_what_is_there();
  if (schedule_.runs_done() > 0) console_.show(report_.report(), {});
}

ExitCode SweepCoordinator::close() {
  health_.collect();
  report_.end_session(schedule_.stop_reasons());
  auto end = report_.close(reporting::end_of_sweep(report_.report(), plan_, schedule_));
  why_ = end.why;
  return end.exit_code;
}

// With new ranks per block, the launcher shows the whole sweep.
void SweepCoordinator::show() {
  if (!plan_.sweep.fresh_process) console_.show(report_.report(), why_);
}

}  // namespace scalemark::sweeping
