#include "engine/running/train_run.h"

#include <chrono>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/reporting/earlier.h"
#include "core/settings/settings_json.h"
#include "core/settings/value.h"
#include "engine/distributed/stop_agreement.h"
#include "engine/running/checkpoints.h"
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
#include "engine/running/versions.h"
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

// What a later session must find as it is.
std::map<std::string, std::string> identity_of_training(const RunRequest& request, Session& session,
                                                        const std::vector<monitoring::Host>& hosts,
                                                        const std::string& data_identity) {
  auto tool = reporting::this_tool();
  tool.libraries = library_versions(session.device().torch_device().is_cuda());
  const auto same = reporting::sameness_of(tool, settings::flat_settings(request.settings), hosts);
  auto all = same.settings;
  all["program"] = same.program_version + " " + same.git_commit;
  for (const auto& [name, version] : same.libraries) all["library " + name] = version;
  for (std::size_t i = 0; i < same.machines.size(); ++i) {
    all["machine " + std::to_string(i)] = same.machines[i];
  }
  all["data_identity"] = data_identity;
  all["world_size"] = std::to_string(session.world().world_size);
  return all;
}

CheckpointOptions checkpoint_options(const RunRequest& request, Session& session,
                                     const std::vector<monitoring::Host>& hosts,
                                     const std::string& data_identity) {
  const auto& settings = request.settings;
  return {.folder = std::filesystem::path(settings.general.output) / "checkpoints",
          .every = settings::parse_steps_or_time(settings.checkpoints.every),
          .keep = settings.checkpoints.keep,
          .resume = settings.checkpoints.resume,
          .same = identity_of_training(request, session, hosts, data_identity),
          .note = {}};
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
  const auto hosts = survey_hosts(session);
  RunReport& report = life.open_report({.hosts = hosts});
  auto checkpoints = checkpoint_options(life.request(), session, hosts, opened.data.identity);
  checkpoints.note = [&](const std::string& text) { report.note(text); };

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
  GroupGuard guard(team, settings.parallel.backend, distributed::FaultBoard::kCauseLimit);
  RunWatch watch(agreement, life.watchdog(), life.progression(), console, guard);
  const PointOutcome outcome =
      guard.run([&] { return a_peer_has_failed(session.board()); },
                [&] {
                  return run_point(
                      team, settings, length, opened.workload, opened.data, watch,
                      [&](const auto& evaluation) {
                        console.show(evaluation);
                        report.add(evaluation);
                      },
                      std::move(checkpoints));
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
