#include "engine/running/rank_life.h"

#include <iostream>
#include <utility>

#include "core/base/durations.h"
#include "core/base/version.h"
#include "core/launching/descriptors.h"
#include "core/launching/interruption.h"
#include "core/settings/settings_json.h"
#include "data/text/mapped_file.h"
#include "engine/distributed/group_end.h"
#include "engine/distributed/positions.h"
#include "engine/distributed/preflight.h"
#include "engine/running/failure.h"
#include "engine/running/process_setup.h"
#include "engine/running/versions.h"

namespace scalemark::running {
namespace {

// A signalled run has 10 s (docs/FAULTS.md); the rest is for the report.
constexpr unsigned kSignalBackstopSeconds = 9;
constexpr std::chrono::milliseconds kLeaveUnansweredLimit{1000};

// Preflight's own wait ends first: it knows who is missing.
constexpr double kPreflightMargin_s = 5;

void require_enough_descriptors(const launching::World& world) {
  const std::uint64_t limit = launching::raise_descriptor_limit();
  if (world.world_size == 1) return;
  launching::require_descriptors(launching::descriptors_of_rank(world.rank, world.world_size),
                                 limit, world.rank == 0 ? "rank 0" : "a rank", world.world_size);
}

}  // namespace

RankLife::RankLife(const RunRequest& request)
    : request_(request),
      progression_(request.settings.launch.timeout_s, request.settings.launch.phase_timeout_s),
      words_(request, progression_),
      interrupts_(kSignalBackstopSeconds),
      watchdog_([this](const ErrorRecord& fault) { speak_and_end(fault); },
                [this] { return cause_of_hang(); },
                {.on_stall = [this] { tell_position(); },
                 .who_is_missing = [this] { return who_is_missing(); }}),
      terminate_([this](const ErrorRecord& fault) { speak_and_end(fault); },
                 [this] { return posted_cause(); }) {
  progression_.on_enter([this](const std::string& phase, double timeout_s) {
    watchdog_.set_phase(phase, milliseconds_of(timeout_s));
    tell_position();
    if (report_) report_->enter(phase);
  });
  data::on_lost_mapping([this](const ErrorRecord& fault) { give_up(fault); });
}

RankLife::~RankLife() {
  data::on_lost_mapping({});
  words_.use_report(nullptr);
  words_.use_board(nullptr);
  watchdog_.clear_phase();
  if (session_) session_->board().leave(leave_limit_);
}

ExitCode RankLife::live(const std::function<ExitCode()>& body) noexcept {
  try {
    set_up_process(request_.settings);
    return body();
  } catch (...) {
    auto record = record_of(std::current_exception(), board());
    if (record.exit_code == ExitCode::kOutOfMemory && fitting_) record.expected = *fitting_;
    const auto signal = distributed::received_signal();
    if (signal) record = launching::interruption(*signal, report_.has_value());
    return words_.speak(std::move(record), signal ? reporting::ReportStatus::kInterrupted
                                                  : reporting::ReportStatus::kFailed);
  }
}

Session& RankLife::meet() {
  require_enough_descriptors(request_.world);
  session_.emplace(request_, progression_);
  words_.use_board(&session_->board());
  return *session_;
}

void RankLife::compare(const distributed::Facts& facts) {
  progression_.enter("preflight");
  // A peer may have just begun to read its data.
  const double limit_s = progression_.timeout_of("data") + progression_.timeout_of("preflight");
  watchdog_.set_phase("preflight", milliseconds_of(limit_s + kPreflightMargin_s));
  distributed::preflight(session_->store_pointer(), session_->world().world_size, facts,
                         session_->board(), milliseconds_of(limit_s));
  session_->connect();
}

RunReport& RankLife::open_report(RunReport::Opening opening) {
  report_.emplace(request_, *session_, std::move(opening));
  words_.use_report(report_->writer());
  return *report_;
}

void RankLife::give_up(const ErrorRecord& fault) {
  distributed::end_process(backend(), static_cast<int>(words_.speak(fault)));
}

// The fault is another thread's than the one that may have spoken first: it ends with its own code.
void RankLife::speak_and_end(const ErrorRecord& fault) {
  words_.speak(fault);
  distributed::end_process(backend(), static_cast<int>(fault.exit_code));
}

distributed::StopAgreement::Options RankLife::stop_options() {
  return {.on_overdue = [this](int signal) {
    words_.speak(launching::interruption(signal, report_.has_value()),
                 reporting::ReportStatus::kInterrupted);
    distributed::end_process(backend(), static_cast<int>(distributed::exit_code_of_signal(signal)));
  }};
}

// Not posted as a fault: every rank that lives has agreed on it, and one that does not answer is
// not waited for again.
ExitCode RankLife::end_interrupted(int signal, bool agreed) {
  words_.use_board(nullptr);
  if (!agreed) leave_limit_ = kLeaveUnansweredLimit;
  return words_.speak(launching::interruption(signal, report_.has_value()),
                      reporting::ReportStatus::kInterrupted);
}

std::optional<ErrorRecord> RankLife::posted_cause() {
  if (!session_) return std::nullopt;
  const auto cause = session_->board().find_cause(std::chrono::milliseconds(0));
  if (!cause.record) return std::nullopt;
  return distributed::caused_by(*cause.record, session_->world().rank);
}

std::optional<ErrorRecord> RankLife::cause_of_hang() {
  return session_ ? distributed::cause_of_hang(session_->board()) : std::nullopt;
}

void RankLife::tell_position() {
  if (!session_ || session_->world().world_size == 1) return;
  const auto group = session_->group_in_use();
  distributed::tell_position(session_->board().store(), session_->world().rank,
                             {.group = group.count ? group.count->group() : "",
                              .collectives = group.count ? group.count->begun() : 0,
                              .phase = progression_.phase(),
                              .step = progression_.step()});
}

std::string RankLife::who_is_missing() {
  if (!session_) return {};
  const auto group = session_->group_in_use();
  if (!group.count) return {};
  tell_position();
  const auto told = distributed::told_positions(session_->board().store(), group.members);
  return distributed::who_is_missing(told, group.members, group.count->group());
}

ExitCode lived_by(const RunRequest& request,
                  const std::function<ExitCode(RankLife& life)>& body) noexcept {
  ExitCode code = ExitCode::kBug;
  const distributed::BackendProvider* backend = nullptr;
  {
    RankLife life(request);
    code = life.live([&] { return body(life); });
    backend = life.backend();
  }
  if (distributed::ends_are_pending()) {
    std::cout << std::flush;
    distributed::end_process(backend, static_cast<int>(code));
  }
  return code;
}

distributed::Facts common_facts(const RunRequest& request) {
  distributed::Facts facts;
  for (const auto& [name, value] : settings::flat_settings(request.settings)) {
    if (!settings::may_differ_between_ranks(name)) facts["settings." + name] = value;
  }
  const Version program = program_version();
  facts["program.version"] = program.version;
  facts["program.commit"] = program.git_commit;
  facts["library.torch"] = loaded_torch_version();
  return facts;
}

}  // namespace scalemark::running
