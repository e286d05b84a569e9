#include "engine/running/sweep_lead.h"

#include <utility>

#include "core/base/durations.h"
#include "core/reporting/sweep/end.h"
#include "engine/distributed/errors.h"
#include "engine/distributed/stop_agreement.h"
#include "engine/running/task_wire.h"

namespace scalemark::running {
namespace {

using std::chrono::milliseconds;

// A rank that lost its peers says so at once; the one whose fault it was has voted before that, or
// it is dead.
constexpr milliseconds kCauseLimit{4'000};

std::string missing_ranks(const std::vector<int>& members, const std::map<int, Ballot>& ballots) {
  std::vector<int> missing;
  for (const int member : members) {
    if (!ballots.contains(member)) missing.push_back(member);
  }
  return missing.empty() ? std::string("no rank says why")
                         : distributed::name_ranks(missing) + " did not answer";
}

planning::RunTimes times_of(const reporting::PointRecord& row) {
  return {.step_s = row.wall_s / static_cast<double>(row.iterations),
          .outside_s = row.outside_window_s.value_or(0)};
}

// A search that cannot go on: by the fault of the rank that failed, in its words.
Error end_of_search(const planning::Task& task, const Verdict& verdict) {
  ErrorRecord record = verdict.failed.value();
  record.what = "batch search, trial " + std::to_string(task.batch_size) + ": " + verdict.reason;
  record.rank.reset();
  return Error(std::move(record));
}

// Each vote is read once.
void add_new(std::map<int, Ballot>& ballots, const distributed::TaskBoard::Votes& votes) {
  for (const auto& [rank, text] : votes) {
    if (!ballots.contains(rank)) ballots[rank] = decode_ballot(text);
  }
}

}  // namespace

SweepLead::SweepLead(RankLife& life, Session& session, const planning::Plan& plan,
                     distributed::TaskBoard& board, PointRun& point_run, SweepReport& report,
                     std::chrono::steady_clock::time_point begun)
    : life_(life),
      session_(session),
      plan_(plan),
      board_(board),
      point_run_(point_run),
      report_(report),
      begun_(begun),
      agenda_(plan, report.earlier_runs()),
      console_(life.request(), plan, agenda_) {}

ExitCode SweepLead::run() {
  while (true) {
    if (const auto signal = requested_signal()) return stop({.signal = *signal});
    const auto task = agenda_.next(seconds_since(begun_));
    if (!task) return finish();
    console_.begin(*task);
    if (task->kind == planning::Task::Kind::kTrial && !point_run_.data_holds_batch(*task)) {
      settle_trial(*task, planning::Ending::kFailed);
      continue;
    }
    const auto began = std::chrono::steady_clock::now();
    const std::string started = reporting::utc_now();
    const distributed::Notice notice = board_.post(encode(Directive{.task = task}));
    point_run_.run(notice.number, *task);
    const auto ballots = collect(notice.number, plan_.points[task->run.point].members);
    if (const auto stopped = stop_in(ballots)) return this->stop(*stopped);
    record(*task, ballots, started, seconds_since(began));
    if (const auto fault = gpu_fault_in(ballots)) throw Error(*fault);  // its row is written
    point_run_.settle();
    // --fresh-process: the launcher starts new ranks for the next block, unless it is to stop.
    if (plan_.sweep.fresh_process && agenda_.block_is_complete()) {
      if (const auto signal = requested_signal()) return stop({.signal = *signal});
      return finish();
    }
  }
}

std::map<int, Ballot> SweepLead::collect(std::int64_t number, const std::vector<int>& members) {
  std::map<int, Ballot> ballots;
  const auto patient = [&](const distributed::TaskBoard::Votes& votes, milliseconds waited) {
    add_new(ballots, votes);
    const bool lost = names_a_loss(ballots) && !names_a_cause(ballots);
    return waited < (lost ? kCauseLimit : session_.timeout());
  };
  life_.progression().enter("report");
  add_new(ballots,
          board_.votes(number, members, patient, [this] { life_.watchdog().heartbeat(0); }));
  const bool complete = ballots.size() == members.size();
  if (!complete || (names_a_loss(ballots) && !names_a_cause(ballots))) {
    throw distributed::peer_lost(
        "a rank was lost in the middle of a run: " + missing_ranks(members, ballots), {},
        "look at its output, and for a kill by the system");
  }
  return ballots;
}

void SweepLead::record(const planning::Task& task, const std::map<int, Ballot>& ballots,
                       const std::string& started, double took_s) {
  Verdict verdict = verdict_of(ballots);
  if (task.kind == planning::Task::Kind::kTrial) {
    if (verdict.ending == planning::Ending::kFailed) throw end_of_search(task, verdict);
    return settle_trial(task, verdict.ending);
  }
  const auto row = report_.row_of(task, point_run_, verdict, started, took_s);
  const auto ending = row.status == reporting::PointStatus::kOk    ? planning::Ending::kOk
                      : row.status == reporting::PointStatus::kOom ? planning::Ending::kOom
                                                                   : planning::Ending::kFailed;
  const bool is_final =
      agenda_.settle(task, ending,
                     row.status == reporting::PointStatus::kOk ? std::optional(row.samples_per_sec)
                                                               : std::nullopt);
  if (ending == planning::Ending::kOk) agenda_.took(task, times_of(row));
  console_.end(row, is_final, agenda_.remaining_s(seconds_since(begun_)));
  if (!is_final && !gpu_fault_in(ballots)) return report_.note_retry(task, row.reason);
  report_.add(row);
  if (agenda_.block_is_complete()) report_.summarise(agenda_.stop_reasons());
}

void SweepLead::settle_trial(const planning::Task& task, planning::Ending ending) {
  agenda_.settle(task, ending, std::nullopt);
  console_.end_trial(task, ending);
}

ExitCode SweepLead::stop(const Stopped& stopped) {
  report_.end_session(agenda_.stop_reasons("interrupted"));
  board_.post_last(encode(Directive{.signal = stopped.signal, .agreed = stopped.agreed}));
  const ExitCode code = life_.end_interrupted(stopped.signal, stopped.agreed);
  report_.render_what_is_there();
  return code;
}

ExitCode SweepLead::finish() {
  const auto end = reporting::end_of_sweep(report_.report(), plan_, agenda_);
  report_.end_session(agenda_.stop_reasons());
  report_.close(end.exit_code);
  board_.post_last(encode(Directive{.exit_code = static_cast<int>(end.exit_code)}));
  // Of new ranks per block, who started them shows the whole.
  if (!plan_.sweep.fresh_process) console_.show(report_.report(), end.why);
  return end.exit_code;
}

std::optional<int> SweepLead::requested_signal() {
  if (const auto signal = distributed::received_signal()) return signal;
  return distributed::requested_stop(*session_.store_pointer());
}

}  // namespace scalemark::running
