#include "engine/process/rank_process.h"

#include <iostream>
#include <utility>

#include "core/base/durations.h"
#include "core/base/error.h"
#include "core/base/plugin.h"
#include "core/launch/outcome.h"
#include "core/launch/resources.h"
#include "core/settings/settings_json.h"
#include "data/mapped_file.h"
#include "engine/distributed/group_end.h"
#include "engine/distributed/heartbeat.h"
#include "engine/distributed/rendezvous.h"
#include "engine/process/failure_reporter.h"
#include "engine/process/machines.h"
#include "engine/process/run_request.h"
#include "engine/process/versions.h"

namespace scalemark::process {
namespace {

// A signalled run has 10 s (docs/FAULTS.md); the last second is for the report.
constexpr unsigned kSignalBackstopSeconds = 9;
constexpr std::chrono::milliseconds kLeaveUnansweredLimit{1000};

// The waits of these phases should end first, since they know which ranks are missing, and where.
constexpr double kPreflightMargin_s = 5, kRendezvousMargin_s = 15;

// Whether this process may end like any other: nothing has to be ended, or all ranks end it.
bool finished(const distributed::BackendProvider* abort_provider, bool together,
              ExitCode code) noexcept {
  if (abort_provider == nullptr || abort_provider->can_abort()) return true;
  if (!together) return false;
  try {
    abort_provider->finish_process(static_cast<int>(code));
    return true;
  } catch (const std::exception& error) {
    std::cerr << "scalemark: while ending: " << remark_of(error) << std::endl;
    return false;
  }
}

// Whether a rank has ended because it was asked to and not because it failed.
bool says_stop(const ErrorRecord& end) {
  return end.exit_code == ExitCode::kPreempted || end.exit_code == ExitCode::kInterrupted;
}

}  // namespace

RankProcess::RankProcess(const RunRequest& request)
    : request_(request),
      phase_tracker_(request.settings.launch.timeout.every_s,
                     request.settings.launch.timeout.phase_s),
      failure_reporter_(request, phase_tracker_),
      interrupts_(kSignalBackstopSeconds),
      on_thread_shortage_([this](const ErrorRecord& fault) {
        if (!failure_reporter_.has_begun()) report_and_end(fault);
      }),
      shortage_before_(request.on_thread_shortage
                           ? request.on_thread_shortage->exchange(&on_thread_shortage_)
                           : nullptr),
      hang_watch_(request, phase_tracker_),
      watchdog_(
          [this](const ErrorRecord& fault) { report_and_end(fault); },
          [this] { return cause_of_hang(); },
          {.on_stall = [this] { hang_watch_.stalled(); },
           .explain = [this](ErrorRecord& hang) { hang_watch_.explain(hang); },
           .received =
               [this] { return ends_overdue_ ? distributed::received_signal() : std::nullopt; },
           .on_overdue =
               [this](int signal) {
                 if (!failure_reporter_.has_begun()) end_overdue(signal);
               }}),
      terminate_([this](const ErrorRecord& fault) { report_and_end(fault); },
                 [this] { return posted_cause(); }) {
  phase_tracker_.on_enter([this](const std::string& phase, double timeout_s) {
    const double margin_s = phase == "rendezvous" ? kRendezvousMargin_s : 0;
    watchdog_.set_phase(phase, milliseconds_of(timeout_s + margin_s));
    hang_watch_.post_position();
    if (report_) report_->enter(phase);
  });
  failure_reporter_.explain_by([this](ErrorRecord& fault) { hang_watch_.complete(fault); });
  data::on_lost_mapping([this](const ErrorRecord& fault) { give_up(fault); });
}

RankProcess::~RankProcess() {
  if (request_.on_thread_shortage) request_.on_thread_shortage->store(shortage_before_);
  data::on_lost_mapping({});
  ends_overdue_ = false;  // its hook uses members that are reset from here on
  end_heartbeat();
  failure_reporter_.explain_by({});
  bool ends_well = false;
  if (live_ && report_ && report_->writer()) {
    // A partial report is continued: with --fresh-process new ranks start for the next block.
    const reporting::Report& report = report_->writer()->report();
    live_->publish(report);
    ends_well = report.status == reporting::ReportStatus::kComplete;
    if (report.status != reporting::ReportStatus::kPartial)
      live_->end(std::string(name_of(report.status)));
  }
  report_.reset();
  watchdog_.clear_phase();
  if (context_) context_->error_store().leave(leave_limit_);
  if (ends_well && live_->pages())
    live_->pages()->wait_for_scrape(request_.settings.general.quiet,
                                    [] { return !distributed::received_signal(); });
}

ExitCode RankProcess::run(const std::function<ExitCode()>& body) noexcept {
  try {
    set_up_process(request_.settings);
    return body();
  } catch (...) {
    ends_together_ = false;
    auto record = record_of(std::current_exception(), error_store());
    if (record.exit_code == ExitCode::kOutOfMemory && fitting_) record.expected = *fitting_;
    Ending ending{std::move(record)};
    if (!says_stop(ending.record)) ending.status = reporting::ReportStatus::kFailed;
    if (const auto signal = distributed::received_signal()) ending = ending_of(*signal);
    return failure_reporter_.report(std::move(ending.record), ending.status);
  }
}

RankContext& RankProcess::rendezvous() {
  launching::require_descriptors_of_rank(request_.world.rank, request_.world.world_size,
                                         request_.rendezvous, request_.meshes);
  context_.emplace(request_, phase_tracker_, failure_reporter_);
  hang_watch_.join(*context_);
  return *context_;
}

void RankProcess::compare(const distributed::Facts& facts) {
  phase_tracker_.enter("preflight");
  // A peer may have just begun to read its data.
  const double limit_s = phase_tracker_.timeout_of("data") + phase_tracker_.timeout_of("preflight");
  watchdog_.set_phase("preflight", milliseconds_of(limit_s + kPreflightMargin_s));
  distributed::preflight(context_->store_pointer(), context_->world().world_size, facts,
                         context_->error_store(), milliseconds_of(limit_s));
  context_->connect();
  hang_watch_.meet();
  context_->watch_machine(
      open_telemetry(*context_, milliseconds_of(request_.settings.general.telemetry_every_s)));
  live_.emplace(*context_);
  failure_reporter_.know_ranks(live_->identities());
  refuse_bound_by_launcher(*context_, request_.given_cpus);
}

reporting::Tool RankProcess::tool() {
  auto tool = reporting::this_tool();
  tool.libraries =
      library_versions(context_->device().torch_device().is_cuda(), context_->backend_versions());
  return tool;
}

RunReport& RankProcess::open_report(RunReport::Opening opening) {
  if (request_.world.rank == 0 && opening.tool.version.empty()) opening.tool = tool();
  opening.device_uuid = context_->device().identity();
  report_.emplace(request_, std::move(opening), failure_reporter_,
                  [this](const reporting::Report& report) { live_->publish(report); });
  if (auto* writer = report_->writer())
    live_->open(request_.settings.general.output, writer->report(), request_.metrics);
  if (live_->pages() && !request_.settings.general.quiet) live_->pages()->print_address();
  return *report_;
}

distributed::Heartbeat::Hooks RankProcess::heartbeat_hooks() {
  auto hooks = live_->hooks();
  hooks.record = [this] {
    hang_watch_.beat();
    return live_->record();
  };
  hooks.on_lost = [this](const ErrorRecord& loss) { give_up(loss); };
  return hooks;
}

void RankProcess::begin_heartbeat() {
  const launching::World& world = context_->world();
  auto hooks = heartbeat_hooks();
  if (world.nodes == 1) hooks.on_lost = {};
  heartbeat_.emplace(world.rank, world.world_size, context_->error_store(), std::move(hooks));
}

void RankProcess::give_up(const ErrorRecord& fault) {
  const ExitCode code = failure_reporter_.report(fault);
  publish_end(reporting::ReportStatus::kFailed);
  distributed::end_process(abort_provider(), static_cast<int>(code));
}

void RankProcess::publish_end(reporting::ReportStatus status) noexcept {
  if (!live_) return;
  live_->end_at_once(std::string(name_of(status)));
  if (live_->pages()) live_->pages()->drop_target();
}

// The process ends with this fault's code even if another thread's fault was reported first.
void RankProcess::report_and_end(const ErrorRecord& fault) {
  failure_reporter_.report(fault);
  publish_end(reporting::ReportStatus::kFailed);
  distributed::end_process(abort_provider(), static_cast<int>(fault.exit_code));
}

distributed::StopAgreement::Options RankProcess::stop_options() {
  return {.on_overdue = [this](int signal) { end_overdue(signal); }};
}

void RankProcess::end_overdue(int signal) {
  Ending ending = ending_of(signal);
  const auto code = static_cast<int>(ending.record.exit_code);
  const auto status = ending.status;
  failure_reporter_.report(std::move(ending.record), status);
  publish_end(status);
  distributed::end_process(abort_provider(), code);
}

// The end is not posted as a fault, since every rank that lives has agreed on it, and nobody waits
// again for a rank that does not answer.
ExitCode RankProcess::end_interrupted(int signal, bool agreed, const std::string& kept) {
  ends_together_ = agreed;
  if (!agreed) leave_limit_ = kLeaveUnansweredLimit;
  Ending ending = ending_of(signal);
  if (!kept.empty() && ending.status == reporting::ReportStatus::kInterrupted)
    ending.record.hint = kept;
  return failure_reporter_.report(std::move(ending.record), ending.status,
                                  FailureReporter::Peers::kKnowAlready);
}

// A peer that was asked to stop as well has not failed.
RankProcess::Ending RankProcess::ending_of(int signal) {
  auto cause = posted_cause();
  if (cause && !says_stop(*cause)) {
    ends_together_ = false;
    return {*std::move(cause), reporting::ReportStatus::kFailed};
  }
  const auto* writer = report_ ? report_->writer() : nullptr;
  return {launching::interruption(signal, writer && !writer->report().points.empty())};
}

std::optional<ErrorRecord> RankProcess::posted_cause() {
  return context_ ? context_->error_store().own_end() : std::nullopt;
}

std::optional<ErrorRecord> RankProcess::cause_of_hang() {
  return context_ ? distributed::cause_of_hang(context_->error_store()) : std::nullopt;
}

ExitCode run_rank_process(const RunRequest& request,
                          const std::function<ExitCode(RankProcess& rank_process)>& body) noexcept {
  ExitCode code = ExitCode::kBug;
  const distributed::BackendProvider* abort_provider = nullptr;
  bool together = false;
  {
    RankProcess rank_process(request);
    code = rank_process.run([&] { return body(rank_process); });
    abort_provider = rank_process.abort_provider();
    together = rank_process.ends_together();
  }
  if ((code == ExitCode::kFail || code == ExitCode::kUnsure) && !request.error_file.empty())
    launching::write_verdict_mark(request.error_file);
  if (distributed::ends_are_pending() || !finished(abort_provider, together, code)) {
    std::cout << std::flush;
    distributed::end_process(abort_provider, static_cast<int>(code));
  }
  return code;
}

}  // namespace scalemark::process
