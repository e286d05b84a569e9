#include "engine/train/train_run.h"

#include <chrono>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/wire.h"
#include "core/catalogue/backends.h"
#include "core/plan/estimates.h"
#include "core/settings/processes.h"
#include "core/settings/settings_json.h"
#include "core/settings/value.h"
#include "engine/comm/links/pairs_run.h"
#include "engine/distributed/stop_agreement.h"
#include "engine/process/data_phase.h"
#include "engine/process/machines.h"
#include "engine/process/rank_group.h"
#include "engine/process/rank_process.h"
#include "engine/process/run_console.h"
#include "engine/process/run_report.h"
#include "engine/process/versions.h"
#include "engine/train/checkpoints.h"
#include "engine/train/memory_advice.h"
#include "engine/train/other_ranks.h"
#include "engine/train/point.h"
#include "engine/train/results/over_ranks.h"
#include "engine/train/run_watch.h"
#include "engine/train/trace/trace_run.h"
#include "engine/train/workload_data.h"
#include "report/judge/point/telemetry.h"
#include "report/judge/sweep/summary.h"
#include "report/keep/earlier.h"
#include "report/record/point_identity.h"
#include "workloads/weights/weights_file.h"

namespace scalemark::running {
namespace {

using distributed::all_ranks;

// A run that was asked to end has 10 s in all.
constexpr std::chrono::milliseconds kStoppedLimit{2000};

struct Opened {
  const catalogue::Workload& workload;
  WorkloadData data;
};

Opened open(const settings::Settings& settings, process::RankProcess& rank_process,
            process::RankContext& context) {
  Opened opened{workload_named(settings.task.workload), {}};
  process::DataPhase phase(rank_process, context);
  opened.data = open_data(settings, opened.workload, phase);
  phase.finish();
  rank_process.note_what_fits(what_fits(settings, opened.workload, opened.data.shape,
                                        settings::world_size_of(settings),
                                        available_memory(settings, context)));
  return opened;
}

// Whether this rank writes or reads the description of a checkpoint.
bool has_checkpoints(const settings::Settings& settings, const process::RankContext& context) {
  return context.world().rank == 0 &&
         (settings.checkpoints.resume || settings::parse_steps_or_time(settings.checkpoints.every));
}

// Returns what must be unchanged in a later session.
std::map<std::string, std::string> identity_of_training(const settings::Settings& settings,
                                                        process::RankContext& context,
                                                        const std::vector<monitoring::Host>& hosts,
                                                        const std::string& data_identity) {
  auto tool = reporting::this_tool();
  tool.libraries = process::library_versions(context.device().torch_device().is_cuda());
  const auto same = reporting::sameness_of(tool, settings::flat_settings(settings), hosts);
  auto all = same.settings;
  all["program"] = same.program_version + " " + same.git_commit;
  for (const auto& [name, version] : same.libraries) all["library " + name] = version;
  for (std::size_t i = 0; i < same.machines.size(); ++i) {
    all["machine " + std::to_string(i)] = same.machines[i];
  }
  // Inputs are identified by their content, however their paths are spelled; for text this covers
  // the vocabulary.
  if (settings.task.data != "synthetic") {
    all.erase("data");
    all.erase("vocab");
  }
  all["data_identity"] = data_identity;
  const std::string& weights = settings.recipe.init_from;
  if (!weights.empty() && has_checkpoints(settings, context)) {
    std::string& identity = all["init_from"] = describe_file(weights).xxh3_128;
    for (const auto& shard : workloads::open_weights(weights).shards) {
      if (shard != weights) identity += " " + describe_file(shard).xxh3_128;
    }
  }
  all["world_size"] = std::to_string(context.world().world_size);
  return all;
}

std::filesystem::path checkpoints_of(const settings::Settings& settings) {
  return std::filesystem::path(settings.general.output) / "checkpoints";
}

CheckpointOptions checkpoint_options(const settings::Settings& settings,
                                     process::RankContext& context,
                                     const std::vector<monitoring::Host>& hosts,
                                     const std::string& data_identity,
                                     std::function<void(const std::string&)> note) {
  return {.folder = checkpoints_of(settings),
          .every = settings::parse_steps_or_time(settings.checkpoints.every),
          .keep = settings.checkpoints.keep,
          .resume = settings.checkpoints.resume,
          .same = identity_of_training(settings, context, hosts, data_identity),
          .note = std::move(note)};
}

// A training that cannot go on is refused before the report of its last session is replaced.
void refuse_resume(const settings::Settings& settings, process::RankContext& context,
                   const std::vector<monitoring::Host>& hosts, const std::string& data_identity) {
  if (!settings.checkpoints.resume || context.world().rank != 0) return;
  auto options = checkpoint_options(settings, context, hosts, data_identity,
                                    [](const std::string&) { /* restore() notes it. */ });
  auto before = std::numeric_limits<std::int64_t>::max();
  while (const auto found = checkpoint_to_resume(options, before, context.world().world_size)) {
    if (has_its_files(*found)) return;
    before = found->manifest.step;
  }
}

// Returns the folder of the earlier session for --resume, on rank 0.
std::optional<reporting::OutputFolder> continued_folder(const settings::Settings& settings,
                                                        process::RankContext& context) {
  if (!settings.checkpoints.resume || context.world().rank != 0) return std::nullopt;
  return reporting::OutputFolder(settings.general.output, reporting::ExistingFolder::kContinue);
}

// Collective. Returns the settings with the batch and the rate of a training that goes on with
// another number of ranks than it began with.
settings::Settings on_these_ranks(settings::Settings settings, process::RankContext& context,
                                  process::RunReport& report) {
  if (!settings.checkpoints.resume) return settings;
  Sameness before;
  if (context.world().rank == 0) {
    const auto newest =
        newest_checkpoint(checkpoints_of(settings), std::numeric_limits<std::int64_t>::max(),
                          [](const std::string&) { /* restore() notes it. */ });
    if (newest) before = newest->manifest.same;
  }
  const auto said =
      set_sizes(from_wire<Sameness>(context.control().broadcast(to_wire(before))), settings);
  if (!said.empty()) report.note("--resume: " + said);
  return settings;
}

// Only the rank that writes the report calls this.
void add_point(process::RunReport& report, reporting::PointRecord identity,
               const PointOutcome& outcome) {
  identity.evaluation = outcome.evaluations;
  identity.resumed = outcome.resumed;
  auto telemetry = reporting::telemetry_of(identity.id, reporting::readings_of(outcome.ranks));
  identity.raw_steps = outcome.raw_steps_file;
  report.add_row(report.assembled(std::move(identity), outcome.ranks, outcome.series), 1,
                 std::move(telemetry));
  report.writer()->amend([](reporting::Report& page) {
    page.devices = reporting::devices_of(page.points, page.environment.hosts);
  });
}

reporting::PointRecord identity_of(const settings::Settings& settings,
                                   const planning::RunLength& length, int nodes,
                                   const Opened& opened) {
  auto identity =
      reporting::point_identity(settings, length, {settings::world_size_of(settings), nodes},
                                opened.workload, opened.data.shape);
  identity.data_identity = opened.data.identity;
  identity.replaced_bytes = opened.data.replaced_bytes;
  identity.files_left_out = opened.data.left_out;
  identity.started = reporting::utc_now();
  return identity;
}

void compare(const Opened& opened, process::RankProcess& rank_process) {
  auto facts = process::common_facts(rank_process.request());
  facts["data.identity"] = opened.data.identity;
  rank_process.compare(facts);
}

// The last heartbeat may be older than the end. From here on ranks leave: none of them is lost.
void finish_together(process::RankGroup& ranks, process::RankProcess& rank_process) {
  process::LiveStatus& live = rank_process.live();
  for (const auto& record : ranks.control().gather(live.record())) live.take(record);
  ranks.control().barrier();
  rank_process.end_heartbeat();
  ranks.finish();
  ranks.close();
}

ExitCode train_as(const settings::Settings& asked, process::RankProcess& rank_process) {
  process::RankContext& context = rank_process.rendezvous();
  context.device().limit_memory(memory_limit(asked, context));
  const Opened opened = open(asked, rank_process, context);
  compare(opened, rank_process);
  if (catalogue::needs_one_rank_per_gpu(asked.parallel.backend)) context.refuse_shared_gpus();
  const auto hosts = process::survey_hosts(context);
  refuse_resume(asked, context, hosts, opened.data.identity);
  process::RunReport& report =
      rank_process.open_report({.hosts = hosts, .folder = continued_folder(asked, context)});
  rank_process.begin_heartbeat();
  for (const std::string& note : opened.data.notes) report.note(note);
  auto checkpoints = checkpoint_options(asked, context, hosts, opened.data.identity,
                                        [&report](const std::string& text) { report.note(text); });
  const settings::Settings settings = on_these_ranks(asked, context, report);
  communicating::report_host_ring(context, settings.parallel.backend, report,
                                  [&] { rank_process.watchdog().heartbeat(0); });
  process::RankGroup rank_group(context, "point", all_ranks(context.world().world_size),
                                settings.parallel.backend, distributed::ErrorStore::kCauseLimit);
  const planning::RunLength length = planning::run_length_of(settings);
  auto identity = identity_of(settings, length, rank_group.world().nodes, opened);
  process::RunConsole console(rank_process.request(), settings, opened.workload.sample_unit);
  console.begin_run(identity);
  distributed::StopAgreement agreement(context.error_store().store(), "train", context.world().rank,
                                       context.world().world_size, rank_process.stop_options());
  process::GroupGuard guard(rank_group, distributed::ErrorStore::kCauseLimit);
  rank_process.live().publish(process::LiveStatus::now_of(
      settings, settings::world_size_of(settings), opened.workload.sample_unit));
  RunWatch watch(agreement, rank_process.watchdog(), rank_process.phase_tracker(), console, guard,
                 rank_process.live().vitals(),
                 process::open_event_log(rank_process, rank_group, settings, identity.id));
  PointOutcome outcome;
  const auto report_epoch = [&](const reporting::Evaluation& evaluation) {
    console.show(evaluation);
    report.add(evaluation, opened.workload.sample_unit);
    rank_process.live().publish(evaluation);
  };
  guard.run([&] { return context.error_store().has_cause(); },
            [&] {
              outcome = run_point(
                  {rank_group, settings, length, opened.workload, opened.data, watch}, report_epoch,
                  std::move(checkpoints), trace_folder(settings, identity.id));
              save_raw_steps(rank_group.control(), {settings.general.output, identity.id}, outcome,
                             [&] { rank_process.watchdog().heartbeat(0); });
            });
  console.finish();
  const auto stop = agreement.stop();
  if (outcome.stopped) {
    rank_process.end_heartbeat();
    if (stop->agreed) rank_group.finish(kStoppedLimit);
    return rank_process.end_interrupted(stop->signal, stop->agreed, outcome.kept);
  }
  finish_together(rank_group, rank_process);
  if (report.writer() != nullptr) add_point(report, std::move(identity), outcome);
  if (outcome.not_saved) throw Error(*outcome.not_saved);
  if (stop) return rank_process.end_interrupted(stop->signal, stop->agreed);
  const auto end = report.close(reporting::ReportStatus::kComplete, {});
  if (report.writer() != nullptr) console.show(report.writer()->report(), end.why);
  return end.exit_code;
}

}  // namespace

ExitCode train(const TrainRequest& request) noexcept {
  return process::run_rank_process(request.run, [&](process::RankProcess& rank_process) {
    return train_as(request.settings, rank_process);
  });
}

}  // namespace scalemark::running
