#include "engine/running/train_run.h"

#include <chrono>
#include <string>

#include "engine/distributed/stop_agreement.h"
#include "engine/running/data_phase.h"
#include "engine/running/group_guard.h"
#include "engine/running/memory_advice.h"
#include "engine/running/point.h"
#include "engine/running/point_identity.h"
#include "engine/running/rank_life.h"
#include "engine/running/run_console.h"
#include "engine/running/run_watch.h"
#include "engine/running/survey.h"
#include "engine/running/team.h"
#include "engine/running/workload_data.h"

namespace scalemark::running {
namespace {

// Of a run that was asked to end: it has 10 s for everything.
constexpr std::chrono::milliseconds kStoppedLimit{2000};

bool a_peer_has_failed(distributed::FaultBoard& board) {
  return board.find_cause(std::chrono::milliseconds(0)).record.has_value();
}

struct Opened {
  const catalogue::Workload& workload;
  WorkloadData data;
};

Opened open(RankLife& life, Session& session) {
  const auto& settings = life.request().settings;
  Opened opened{workload_named(settings.what.workload), {}};
  DataPhase phase(life, session);
  opened.data = open_data(settings, opened.workload, phase);
  phase.finish();
  life.note_what_fits(
      what_fits(settings, opened.workload, opened.data.shape, available_memory(settings, session)));
  return opened;
}

ExitCode train_as(RankLife& life) {
  const auto& settings = life.request().settings;
  Session& session = life.meet();
  session.device().limit_memory(memory_limit(settings, session));
  const Opened opened = open(life, session);
  auto facts = common_facts(life.request());
  facts["data.identity"] = opened.data.identity;
  life.compare(facts);
  if (settings.parallel.backend == "nccl") session.refuse_shared_gpus();
  RunReport& report = life.open_report({.hosts = survey_hosts(session)});

  Team team(session, "point", everybody(session.world()), settings.parallel.backend,
            distributed::FaultBoard::kCauseLimit);
  const planning::RunLength length = run_length_of(settings);
  auto identity =
      point_identity(settings, length, team.world(), opened.workload, opened.data.shape);
  identity.data_identity = opened.data.identity;
  identity.started = reporting::utc_now();
  RunConsole console(life.request(), opened.workload.sample_unit, samples_per_batch(settings));
  distributed::StopAgreement agreement(session.board().store(), "train", session.world().rank,
                                       session.world().world_size, life.stop_options());
  GroupGuard guard(team, distributed::FaultBoard::kCauseLimit);
  RunWatch watch(agreement, life.watchdog(), life.progression(), console, guard);
  const PointOutcome outcome =
      guard.run([&] { return a_peer_has_failed(session.board()); },
                [&] {
                  return run_point(team, settings, length, opened.workload, opened.data, watch,
                                   [&](const auto& evaluation) {
                                     console.show(evaluation);
                                     report.add(evaluation);
                                   });
                });
  console.finish();
  if (outcome.stopped) {
    if (agreement.stop()->agreed) team.finish(kStoppedLimit);
    return life.end_interrupted(agreement.stop()->signal, agreement.stop()->agreed);
  }

  team.control().barrier();
  team.finish();
  team.close();
  if (report.writer() != nullptr) report.add_row(report.assembled(std::move(identity), outcome), 1);
  if (outcome.not_saved) std::rethrow_exception(outcome.not_saved);
  report.close(reporting::ReportStatus::kComplete, ExitCode::kPass);
  if (report.writer() != nullptr) console.show(report.writer()->report());
  return ExitCode::kPass;
}

}  // namespace

ExitCode train(const RunRequest& request) noexcept {
  return lived_by(request, [](RankLife& life) { return train_as(life); });
}

}  // namespace scalemark::running
