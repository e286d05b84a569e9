#include "apps/scalemark/fresh_blocks.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "apps/scalemark/commands.h"
#include "apps/scalemark/start_ranks.h"
#include "apps/scalemark/stuck_rank.h"
#include "claims/judge/claims.h"
#include "core/base/durations.h"
#include "core/base/error.h"
#include "core/base/file_kind.h"
#include "core/launch/local_launcher.h"
#include "core/launch/outcome.h"
#include "core/launch/signal_scope.h"
#include "core/live/status.h"
#include "core/plan/order.h"
#include "core/plan/plan.h"
#include "core/plan/sweep_schedule.h"
#include "core/settings/config_file.h"
#include "report/judge/judge.h"
#include "report/judge/sweep/summary.h"
#include "report/keep/disk.h"
#include "report/keep/earlier.h"
#include "report/keep/output_folder.h"
#include "report/record/point_identity.h"
#include "report/record/records.h"
#include "report/record/report.h"
#include "report/record/report_json.h"
#include "report/say/render/answer/answer.h"
#include "report/say/render/render.h"

namespace scalemark::cli {
namespace {

// A sweep continues when the ranks of one environment (--env) die: their runs become rows that
// failed, and the other environments follow. Returns whether an exit code has nothing to do with
// the environment: bad usage, no place for the report, or a person who asked to stop.
bool ends_the_sweep(ExitCode code) {
  return code == ExitCode::kUsage || code == ExitCode::kCannotCreateOutput ||
         code == ExitCode::kIo || code == ExitCode::kPreempted || code == ExitCode::kInterrupted;
}

// One line that says which rank failed, and why.
std::string end_of_ranks(const launching::LaunchResult& result) {
  const auto cause = launching::find_cause(result.outcomes);
  if (!cause) return "its ranks ended with exit code " + std::to_string(result.exit_code);
  const auto outcome =
      std::ranges::find(result.outcomes, cause->rank, &launching::RankOutcome::rank);
  const std::string rank = "rank " + std::to_string(cause->rank);
  if (outcome->error) {
    const ErrorRecord& error = outcome->error->record;
    return rank + ": " + error.what + (error.expected.empty() ? "" : "; " + error.expected);
  }
  if (outcome->signal != 0)
    return rank + " was killed by signal " + std::to_string(outcome->signal);
  return rank + " ended with exit code " + std::to_string(outcome->exit_code);
}

// Failed rows for the runs of `block` in `environment` that `earlier` does not have.
std::vector<reporting::PointRecord> failed_runs(const planning::Plan& plan,
                                                const settings::Variables& environment, int block,
                                                const std::vector<planning::EarlierRun>& earlier,
                                                const std::string& reason) {
  planning::Plan of_ranks = plan;
  of_ranks.launch = {.environment = environment};
  planning::SweepSchedule schedule(of_ranks, earlier);
  std::vector<reporting::PointRecord> rows;
  for (auto task = schedule.next(0); task && task->run.block == block; task = schedule.next(0)) {
    // Where this is not final, next() returns the task again.
    if (!schedule.record_outcome(*task, planning::Ending::kFailed)) continue;
    auto row = reporting::point_identity(plan.points[task->run.point]);
    row.id = task->run.id;
    row.repetition = task->run.repetition;
    row.block = task->run.block;
    row.order = task->run.order;
    row.members = planning::members_of(plan, task->run);
    row.started = reporting::utc_now();
    row.status = reporting::PointStatus::kFailed;
    row.reason = planning::to_text(environment) + ": " + reason;
    rows.push_back(std::move(row));
  }
  return rows;
}

// Whether a session that ended with this code has added its block: all went well, some rows are not
// ok, or a device computed wrong bits, after which the other blocks are measured nevertheless.
bool continues_after(ExitCode code) {
  return code == ExitCode::kPass || code == ExitCode::kUnsure || code == ExitCode::kOutOfMemory ||
         code == ExitCode::kSilentCorruption;
}

// Ranks that are started for the points of one environment in one block.
struct FreshRanks {
  planning::Launch launch;
  int block = 0;
};

// The sweep as a whole. Each start of ranks runs one block of it, or in a block the points of one
// environment.
class Blocks {
 public:
  explicit Blocks(const ResolvedSweep& resolved)
      : resolved_(resolved),
        folder_(resolved.base.settings.general.output),
        environments_(planning::environments_of(resolved.plan)) {}

  // The first ranks to start. If the sweep is complete, they have nothing to run, and show the
  // result.
  FreshRanks first() {
    read();
    sessions_ = report_ ? report_->sessions.size() : 0;
    return ranks_for(schedule_->next(0));
  }

  // The next ranks to start, once note_end() was called. `longest_s`: how long the longest start
  // took.
  std::optional<FreshRanks> another(double elapsed_s, double longest_s) {
    if (!report_ && pending_.empty()) throw io_error("the report of the last block is missing");
    const auto& limit_s = resolved_.plan.stop.max_time_s;
    // note_end() made a new schedule, which does not know how long a block takes.
    const double block_s = longest_s * static_cast<double>(environments_.size());
    const auto task = schedule_->next(limit_s && !in_block_ ? elapsed_s + block_s : elapsed_s);
    return task ? std::optional(ranks_for(task)) : std::nullopt;
  }

  // Call it after every start of ranks.
  void note_end(const FreshRanks& ranks, bool well) {
    went_well_ = went_well_ || well;
    read();
    const std::size_t sessions = report_ ? report_->sessions.size() : 0;
    if (sessions > sessions_) session_block_ = ranks.block;
    sessions_ = sessions;
    in_block_ = environments_.size() > 1 && block_is_open(ranks.block);
  }

  // Whether the sweep continues although these ranks died. If so, their runs are recorded as
  // failed.
  bool passes_over(const FreshRanks& ranks, const launching::LaunchResult& result) {
    if (environments_.size() < 2 || ends_the_sweep(static_cast<ExitCode>(result.exit_code))) {
      return false;
    }
    read();
    // A report that --resume cannot continue is refused in every environment.
    const bool refused = static_cast<ExitCode>(result.exit_code) == ExitCode::kConfiguration;
    if (refused && report_ && !went_well_) return false;
    const std::string reason = end_of_ranks(result);
    auto rows = failed_runs(resolved_.plan, ranks.launch.environment, ranks.block, runs(), reason);
    if (rows.empty()) return false;
    print_note(planning::to_text(ranks.launch.environment) + ": " + reason + "; " +
               std::to_string(rows.size()) + " runs have failed, others go on");
    std::ranges::move(rows, std::back_inserter(pending_));
    failed_.insert(ranks.launch.environment);
    return went_well_ || failed_.size() < environments_.size();
  }

  // Writes into the report and its renderings that the sweep is over, and how: a session records
  // only the end of its block.
  reporting::RunEnd end() {
    summarise();
    const reporting::FailOn fail_on(resolved_.base.settings.general.fail_on);
    auto end = reporting::judged_end(reporting::end_of_sweep(*report_, resolved_.plan, *schedule_),
                                     *report_, fail_on);
    close(reporting::ReportStatus::kComplete, end.exit_code);
    return end;
  }

  // The same for a sweep that ends before its next block; throws the error of the interruption.
  [[noreturn]] void stop(int signal) {
    read();
    const ErrorRecord record = launching::interruption(signal, report_.has_value());
    if (report_) {
      report_->errors.push_back(record);
      summarise("interrupted");
      close(reporting::ReportStatus::kInterrupted, record.exit_code);
    }
    throw Error(record);
  }

  // Whether the last session left its report open: it was killed, or did not get that far.
  bool is_open() {
    read();
    return !report_ || report_->status == reporting::ReportStatus::kPartial;
  }

  const reporting::Report& report() const { return *report_; }

 private:
  void read() {
    report_ = reporting::read_earlier(folder_);
    if (report_ && went_well_ && !pending_.empty()) add_pending();
    schedule_.emplace(resolved_.plan, runs());
    if (report_) schedule_->note_precision(reporting::precision_of(*report_));
  }

  // Is called once some ranks went well: until then failures may not be an environment's fault.
  void add_pending() {
    for (reporting::PointRecord& row : pending_) {
      if (!report_->sessions.empty()) row.session = report_->sessions.back().session;
      report_->points.push_back(std::move(row));
    }
    pending_.clear();
    save();
  }

  // The finished runs, including those whose rows are still pending.
  std::vector<planning::EarlierRun> runs() const {
    reporting::Report all;
    if (report_) all.points = report_->points;
    std::ranges::copy(pending_, std::back_inserter(all.points));
    return reporting::earlier_runs(all);
  }

  FreshRanks ranks_for(const std::optional<planning::Task>& task) const {
    if (!task) return {.launch = {.environment = environments_.front()}};
    const auto& point = resolved_.plan.points[task->run.point];
    return {.launch = {.environment = planning::environment_of(point),
                       .same_session = task->run.block == session_block_},
            .block = task->run.block};
  }

  bool block_is_open(int block) const {
    const auto done = runs();
    return std::ranges::any_of(planning::block(resolved_.plan, block), [&](const auto& run) {
      return std::ranges::find(done, run.id, &planning::EarlierRun::id) == done.end();
    });
  }

  void summarise(const std::string& unfinished = "running") {
    reporting::summarise_by_plan(*report_, resolved_.plan, schedule_->stop_reasons(unfinished));
  }

  void close(reporting::ReportStatus status, ExitCode exit_code) {
    report_->finished = reporting::utc_now();
    set(status, exit_code);
    reporting::judge(*report_);
    end_status(std::string(name_of(status)));
    try {
      reporting::write_renderings(folder_, *report_);
      save();
    } catch (const Error& error) {
      say_failed(error.record());
      throw;
    }
  }

  // Writes the end of the sweep into status.json, since the ranks of the last block could not know
  // of it. Best effort: no result depends on it.
  void end_status(const std::string& state) noexcept {
    try {
      const std::filesystem::path file = std::filesystem::path(folder_) / "status.json";
      auto status = live::parse_status(settings::read_text_file(file.string()), file.string());
      status.state = state;
      status.findings.clear();
      for (const reporting::Finding& one : report_->findings)
        status.findings.push_back({one.code, one.severity, one.point, one.text});
      reporting::write_atomically(file, live::to_json(status));
    } catch (const std::exception&) {
      return;
    }
  }

  // Records the failure in the report, if it can: the disk may be full.
  void say_failed(const ErrorRecord& error) noexcept {
    try {
      report_->errors.push_back(error);
      set(reporting::ReportStatus::kFailed, error.exit_code);
      save();
    } catch (const std::exception&) {  // the caller throws the first error
    }
  }

  void set(reporting::ReportStatus status, ExitCode exit_code) {
    report_->status = status;
    report_->exit_code = static_cast<int>(exit_code);
  }
  void save() const {
    reporting::write_atomically(folder_ / "report.json", reporting::to_json(*report_));
  }

  const ResolvedSweep& resolved_;
  std::filesystem::path folder_;
  std::vector<settings::Variables> environments_;
  std::set<settings::Variables> failed_;
  std::vector<reporting::PointRecord> pending_;  // rows of ranks that died, not yet in the report
  bool went_well_ = false;                       // some ranks of this invocation ended well
  bool in_block_ = false;                        // runs of the last block are missing
  std::size_t sessions_ = 0;                     // counted in the report
  int session_block_ = -1;                       // the block that the last session ran
  std::optional<reporting::Report> report_;
  std::optional<planning::SweepSchedule> schedule_;
};

bool was_asked_to_end(ExitCode code) {
  return code == ExitCode::kPreempted || code == ExitCode::kInterrupted;
}

// Returns whether all blocks ran; if not, `code` says why. A signal that comes after the last block
// has nothing left to stop.
bool run_all(const Invocation& invocation, const ResolvedSweep& resolved, Blocks& blocks,
             launching::SignalScope& signals, ExitCode& code) {
  const auto begun = std::chrono::steady_clock::now();
  double longest_s = 0, now_s = 0;
  ResolvedCommand base = resolved.base;
  std::optional<FreshRanks> ranks = blocks.first();
  while (true) {
    const double began_s = now_s;
    base.settings.launch.environment = ranks->launch.environment;
    const auto result = start_ranks(invocation, base, signals, ranks->launch.same_session);
    now_s = seconds_since(begun);
    longest_s = std::max(longest_s, now_s - began_s);
    code = static_cast<ExitCode>(result.exit_code);
    if (was_asked_to_end(code) && result.interrupted_by && blocks.is_open()) {
      blocks.stop(*result.interrupted_by);
    }
    if (!continues_after(code) && !blocks.passes_over(*ranks, result)) {
      close_for_rank_0(base.settings.general.output, result,
                       reporting::ExistingFolder::kContinueBlock);
      return false;
    }
    blocks.note_end(*ranks, continues_after(code));
    ranks = blocks.another(now_s, longest_s);
    if (!ranks) return true;
    if (result.interrupted_by) blocks.stop(*result.interrupted_by);
    if (const auto signal = signals.take_interrupt()) blocks.stop(*signal);
  }
}

}  // namespace

ExitCode run_in_fresh_blocks(const Invocation& invocation, const ResolvedSweep& resolved,
                             reporting::ExistingFolder existing) {
  const auto& node = resolved.base.detection.node;
  if (!node || node->nnodes > 1 || !node->hosts.empty()) {
    throw configuration(
        "--fresh-process: these ranks belong to another launcher or to several nodes",
        "the built-in launcher on one node can restart them",
        "leave --fresh-process out, or start scalemark without a launcher");
  }
  const auto& general = resolved.base.settings.general;
  const auto held = reporting::lock_output_folder(general.output, existing);
  Blocks blocks(resolved);
  reporting::RunEnd end;
  {
    launching::SignalScope signals;  // one for all blocks: none is lost between two
    ExitCode code = ExitCode::kPass;
    if (!run_all(invocation, resolved, blocks, signals, code)) return code;
    end = blocks.end();
  }
  const std::span<const reporting::Report> reports(&blocks.report(), 1);
  print_result(reporting::render_answer(
      reports, {general.output}, terminal_of(STDOUT_FILENO), reporting::Withheld::kLeftOut,
      {.published = claims::nearest_published,
       .events = general.tensorboard,
       .has_tensorboard = !programs_named("tensorboard").empty()}));
  if (!end.why.empty()) print_note(end.why);
  return end.exit_code;
}

}  // namespace scalemark::cli
