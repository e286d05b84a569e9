#include "engine/running/train_run.h"

#include <chrono>
#include <iostream>
#include <string>

#include "core/base/durations.h"
#include "core/base/version.h"
#include "core/settings/settings_json.h"
#include "engine/distributed/interrupt.h"
#include "engine/distributed/preflight.h"
#include "engine/distributed/stop_agreement.h"
#include "engine/distributed/watchdog.h"
#include "engine/running/failure.h"
#include "engine/running/last_words.h"
#include "engine/running/memory_advice.h"
#include "engine/running/point.h"
#include "engine/running/point_identity.h"
#include "engine/running/process_setup.h"
#include "engine/running/run_console.h"
#include "engine/running/run_report.h"
#include "engine/running/run_watch.h"
#include "engine/running/session.h"
#include "engine/running/workload_data.h"

namespace scalemark::running {
namespace {

// A signalled run has 10 s (docs/FAULTS.md); the rest is for the report.
constexpr unsigned kSignalBackstopSeconds = 9;
constexpr std::chrono::milliseconds kLeaveUnansweredLimit{1000};

// What every rank must have in common with rank 0.
distributed::Facts facts_of(const TrainRequest& request, const WorkloadData& data) {
  distributed::Facts facts;
  for (const auto& [name, value] : settings::flat_settings(request.settings)) {
    if (!settings::may_differ_between_ranks(name)) facts["settings." + name] = value;
  }
  const Version program = program_version();
  facts["program.version"] = program.version;
  facts["program.commit"] = program.git_commit;
  facts["library.torch"] = std::string(kTorchVersion);
  facts["data.identity"] = data.identity;
  return facts;
}

const catalogue::Workload& workload_of(const settings::Settings& settings) {
  const auto* workload = catalogue::find_workload(settings.what.workload);
  if (workload == nullptr) throw configuration("unknown workload '" + settings.what.workload + "'");
  return *workload;
}

ErrorRecord interrupted_by(int signal) {
  const ExitCode code = distributed::exit_code_of_signal(signal);
  return {.code = code == ExitCode::kInterrupted ? "E_INTERRUPTED" : "E_PREEMPTED",
          .exit_code = code,
          .domain = ErrorDomain::kLaunch,
          .what = "stopped by signal " + std::to_string(signal) + " before the run was complete",
          .hint = "report.json holds what was finished"};
}

// One rank of one run. The members stand in the order in which they come to life; the ones that
// speak for the others come first, so that they go last.
class RankRun {
 public:
  RankRun(const TrainRequest& request, LastWords& words, Progression& progression)
      : request_(request),
        words_(words),
        progression_(progression),
        watchdog_([this](const ErrorRecord& fault) { words_.speak(fault); },
                  [this] { return posted_cause(); }),
        terminate_([this](const ErrorRecord& fault) { words_.speak(fault); },
                   [this] { return posted_cause(); }) {
    progression_.on_enter([this](const std::string& phase, double timeout_s) {
      watchdog_.set_phase(phase, milliseconds_of(timeout_s));
      if (report_) report_->enter(phase);
    });
  }

  ~RankRun() {
    words_.use_report(nullptr);
    words_.use_board(nullptr);
    watchdog_.clear_phase();
    if (session_) session_->board().leave(leave_limit_);
  }

  // Errors are spoken in here, while there is still a board and a report to speak to.
  ExitCode run() noexcept {
    try {
      return run_to_the_end();
    } catch (...) {
      auto record = record_of(std::current_exception(), board());
      if (record.exit_code == ExitCode::kOutOfMemory && fitting_) record.expected = *fitting_;
      if (const auto signal = distributed::received_signal()) record = interrupted_by(*signal);
      const bool interrupted = distributed::received_signal().has_value();
      return words_.speak(std::move(record), interrupted ? reporting::ReportStatus::kInterrupted
                                                         : reporting::ReportStatus::kFailed);
    }
  }

 private:
  ExitCode run_to_the_end() {
    const auto& settings = request_.settings;
    const auto& workload = workload_of(settings);
    set_up_process(settings);
    session_.emplace(request_, progression_);
    words_.use_board(&session_->board());
    const auto limit = memory_limit(settings, *session_);
    session_->device().limit_memory(limit);

    progression_.enter("data");
    const WorkloadData data = open_data(settings, workload);
    fitting_ = what_fits(settings, workload, data.shape, available_memory(*session_, limit));
    progression_.enter("preflight");
    distributed::preflight(session_->store_pointer(), session_->world().world_size,
                           facts_of(request_, data), session_->board(),
                           milliseconds_of(progression_.timeout_of("preflight")));
    session_->connect();
    report_.emplace(request_, *session_);
    words_.use_report(report_->writer());

    auto identity = point_identity(settings, session_->world(), workload, data.shape);
    identity.data_identity = data.identity;
    identity.started = reporting::utc_now();
    RunConsole console(request_, workload);
    distributed::StopAgreement agreement(session_->store_pointer(), "train", session_->world().rank,
                                         session_->world().world_size, stop_options());
    RunWatch watch(agreement, watchdog_, progression_, console);
    const PointOutcome outcome =
        run_point(*session_, settings, workload, data, watch, [&](const auto& evaluation) {
          console.show(evaluation);
          report_->add(evaluation);
        });
    console.finish();
    if (outcome.stopped) return end_interrupted(*agreement.stop());

    report_->add_point(std::move(identity), outcome);
    report_->close(reporting::ReportStatus::kComplete, ExitCode::kPass);
    if (report_->writer() != nullptr) console.show(report_->writer()->report());
    return ExitCode::kPass;
  }

  distributed::StopAgreement::Options stop_options() {
    return {.on_overdue = [this](int signal) {
      words_.speak(interrupted_by(signal), reporting::ReportStatus::kInterrupted);
      std::_Exit(static_cast<int>(distributed::exit_code_of_signal(signal)));
    }};
  }

  // Not posted as a fault: every rank that lives has agreed on it, and one that does not answer is
  // not waited for again.
  ExitCode end_interrupted(const distributed::Stop& stop) {
    words_.use_board(nullptr);
    if (!stop.agreed) leave_limit_ = kLeaveUnansweredLimit;
    return words_.speak(interrupted_by(stop.signal), reporting::ReportStatus::kInterrupted);
  }

  distributed::FaultBoard* board() { return session_ ? &session_->board() : nullptr; }

  std::optional<ErrorRecord> posted_cause() {
    if (!session_) return std::nullopt;
    const auto cause = session_->board().find_cause(std::chrono::milliseconds(0));
    if (!cause.record) return std::nullopt;
    return distributed::caused_by(*cause.record, session_->world().rank);
  }

  const TrainRequest& request_;
  LastWords& words_;
  Progression& progression_;
  distributed::InterruptHandlers interrupts_{kSignalBackstopSeconds};
  std::chrono::milliseconds leave_limit_ = distributed::FaultBoard::kLeaveLimit;
  std::optional<std::string> fitting_;  // what would fit, once the data has told the model's shape
  std::optional<Session> session_;
  std::optional<RunReport> report_;
  distributed::Watchdog watchdog_;
  distributed::TerminateGuard terminate_;
};

}  // namespace

ExitCode train(const TrainRequest& request) noexcept {
  Progression progression(request.settings.launch.timeout_s,
                          request.settings.launch.phase_timeout_s);
  LastWords words(request, progression);
  return RankRun(request, words, progression).run();
}

}  // namespace scalemark::running
