#include "apps/scalemark/rank_command.h"

#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "apps/scalemark/commands.h"
#include "apps/scalemark/file_checks.h"
#include "apps/scalemark/intercepted_calls.h"
#include "apps/scalemark/libraries.h"
#include "apps/scalemark/machine_probe.h"
#include "apps/scalemark/metrics_options.h"
#include "apps/scalemark/outputs.h"
#include "apps/scalemark/plan_text.h"
#include "apps/scalemark/sources.h"
#include "apps/scalemark/start_ranks.h"
#include "claims/judge/claims.h"
#include "core/base/error.h"
#include "core/base/number_words.h"
#include "core/base/terminal.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/catalogue/backends.h"
#include "core/launch/describe.h"
#include "core/launch/meeting_point.h"
#include "core/launch/resources.h"
#include "core/live/progress.h"
#include "core/machine/survey.h"
#include "core/machine/topology.h"
#include "core/plan/estimates.h"
#include "core/settings/machine.h"
#include "core/settings/processes.h"
#include "core/settings/reader.h"
#include "core/settings/resolve.h"
#include "report/record/runs.h"

namespace scalemark::cli {
namespace {

using Problems = std::vector<settings::Problem>;

// Fills in the places of --bind, or adds its problem with these ranks.
void place_ranks(const settings::Machine& machine, ResolvedCommand& base, Problems& problems) {
  const settings::Settings& settings = base.settings;
  if (const auto problem = settings::impossible_binding(settings, machine, base.ranks))
    add_problems(problems, {*problem});
  if (!problems.empty()) return;
  base.places = settings::place_ranks(machine, settings.parallel.bind, settings.parallel.device,
                                      base.ranks.local_world_size)
                    .places;
}

// Throws where there are problems; several are listed on stderr first, one line each.
void refuse(const Problems& problems, const launching::Detection& detection) {
  if (problems.size() + detection.problems.size() > 1) {
    for (const auto& problem : problems) print_note("refused: " + settings::to_line(problem));
    for (const ErrorRecord& record : detection.problems)
      print_note("refused: " + record.what + "; " + record.expected);
  }
  settings::refuse_if_invalid(problems);
  launching::refuse_if_invalid(detection);
}

// Makes the digest of --run-token's file part of the rendezvous. A rank that the built-in launcher
// has started got the digest from there. Throws as read_run_token() does.
void use_run_token(const settings::RawSettings& raw, launching::Detection& detection) {
  const std::string file = value_at(raw, "run_token").text;
  if (file.empty() || !detection.error_file.empty()) return;
  if (!detection.node) refuse_shared("--run-token", file, detection);
  const launching::RunToken token = launching::read_run_token(file);
  detection.rendezvous.secret = token.secret;
  if (detection.node) detection.node->rendezvous.secret = token.secret;
  if (!token.note.empty()) detection.notes.push_back(token.note);
}

// Prints notes in one process only: rank 0, or the built-in launcher instead of the rank 0 that it
// starts. Prints none with --quiet.
void print_notes(const ResolvedCommand& base, const std::vector<std::string>& notes) {
  const bool by_us = !base.detection.error_file.empty();
  if (base.settings.general.quiet || base.detection.world.rank != 0 || by_us) return;
  if (!base.about.empty() && !base.settings.general.dry_run) print_note(base.about);
  for (const std::string& note : notes) print_note(note);
}

void resolve(const Invocation& invocation, RankCommand& command) {
  settings::Layers layers = read_layers(invocation);
  ProbedMachine probed = probe_machine();
  probe_topology(layers.raw, probed.machine);
  settings::Surroundings around{.machine = probed.machine,
                                .ranks = std::nullopt,
                                .place = probe_place(value_at(layers.raw, "run_id").text)};
  ResolvedCommand& base = command.base();
  base.date = around.place.date;
  base.about = layers.about;
  base.yes = settings::is_on(layers.raw, "yes");
  base.details = settings::is_on(layers.raw, "details");
  scale_down(invocation.command, probed.machine, layers, base);
  Problems& problems = layers.problems;
  base.assumed = assume_gpus(layers.raw, probed.machine);
  around.machine = probed.machine;
  RankCommand::RankOptions rank_options = command.read(layers.raw, probed.machine, problems);
  if (take_nodes_of_pod(rank_options, around, layers.raw))
    rank_options = command.read(layers.raw, probed.machine, problems);
  add_problems(problems, variables_of_launchers(layers.raw));
  base.metrics = metrics_address(layers.raw, problems);
  std::vector<std::string>& notes = layers.notes;
  std::vector<std::string> on_plan;
  if (find_ranks(rank_options, around, base, problems)) {
    around.ranks = base.ranks;
    std::ranges::copy(command.resolve(around, problems),
                      std::back_inserter(rank_options.all ? notes : on_plan));
    if (const auto problem =
            planning::unknown_rank_in_memory_limit(base.settings, base.ranks.world_size)) {
      add_problems(problems, {*problem});
    }
    place_ranks(probed.machine, base, problems);
  }
  refuse(problems, base.detection);
  use_run_token(layers.raw, base.detection);
  prepare_metrics(layers.raw, base, notes);
  command.complete();

  std::ranges::copy(base.detection.notes, std::back_inserter(notes));
  std::ranges::copy(on_plan, std::back_inserter(notes));
  if (probed.gpus_without_cuda_plugin > 0) {
    notes.push_back(std::to_string(probed.gpus_without_cuda_plugin) +
                    " GPUs are visible, but this program was built without its CUDA plugin");
  }
  const settings::GeneralSettings& general = base.settings.general;
  // The built-in launcher forms the lines of its ranks.
  const bool is_child = !base.detection.error_file.empty();
  if (general.log_format == settings::LogFormat::kJson && !general.dry_run && !is_child)
    form_errors(live::json_lines);
  print_notes(base, notes);
}

// Binds this process, a rank, as --bind asks. Call it before the engine is loaded: libraries start
// threads, and libgomp counts CPUs. Throws as launching::bind_process() does.
void bind_rank(ResolvedCommand& base) {
  if (base.places.empty()) return;
  base.given_cpus = monitoring::allowed_cpus();
  const auto local_rank = static_cast<std::size_t>(base.detection.world.local_rank);
  launching::bind_process(base.places.at(local_rank));
}

// A plan may be for another machine, so this only tells. Scaled down, a run makes its images.
void note_missing(const RankCommand& command, const ResolvedCommand& base) {
  if (base.settings.general.quiet || !base.scaled_down.empty()) return;
  try {
    command.refuse_missing();
  } catch (const Error& error) {
    print_note(error.record().what + ": a run here would be refused (66)");
  }
}

// A rank of the built-in launcher has none: its command is the person's.
std::string launcher_command(const Invocation& invocation, const launching::Detection& detection) {
  const bool ours = !detection.error_file.empty() || detection.world.rank != 0;
  return ours ? "" : shell_line(launching::launcher_words(detection.world, invocation.arguments));
}

process::RunRequest rank_request(const Invocation& invocation, const ResolvedCommand& base) {
  const launching::Detection& detection = base.detection;
  return {.settings = process::process_settings(base.settings),
          .world = detection.world,
          .rendezvous = detection.rendezvous,
          .command_line = invocation.command_line,
          .launcher_command = launcher_command(invocation, detection),
          .library_folder = library_folder().string(),
          .mpi_library = base.mpi_library,
          .error_file = detection.error_file,
          .meshes = base.meshes,
          .given_cpus = base.given_cpus,
          .terminal = detection.terminal.value_or(isatty(STDERR_FILENO) == 1),
          .output = detection.output.value_or(terminal_of(STDOUT_FILENO)),
          .about = base.about,
          .scaled_down = base.scaled_down,
          .metrics = base.metrics,
          .published = claims::nearest_published,
          .on_thread_shortage = &on_thread_shortage()};
}

}  // namespace

bool RankCommand::starts_ranks() { return base().detection.node.has_value(); }

ExitCode RankCommand::start(const Invocation& invocation) {
  return start_ranks(invocation, base());
}

ExitCode run_rank_command(const Invocation& invocation, RankCommand& command) {
  if (!invocation.positionals.empty()) {
    refuse_stray_time(invocation);
    const bool has_switches = invocation.command != settings::kComm;
    exactly(invocation, 0,
            has_switches ? "nothing but options (a switch takes its value as --overlap=off)"
                         : "nothing but options");
  }
  resolve(invocation, command);
  ResolvedCommand& base = command.base();
  resolve_environment(invocation, base, command.environments(), command.restarts_ranks());
  refuse_shared_configs(invocation, base.detection);
  const settings::GeneralSettings& general = base.settings.general;
  const reporting::FailOn checked(general.fail_on);
  if (general.dry_run) {
    const bool json = general.log_format == settings::LogFormat::kJson;
    // People read the plan once, where a launcher has started many of us.
    if (!json && !holds_rank_0(base.detection) && !command.starts_ranks()) return ExitCode::kPass;
    note_missing(command, base);
    if (json && !base.assumed.empty()) print_note(base.assumed);
    if (json) return print_data(command.plan_text(json));
    return print_result((base.about.empty() ? "" : base.about + "\n\n") + command.plan_text(json));
  }
  if (base.details)
    throw usage("--details without --dry-run", "it belongs to the plan that --dry-run prints");
  refuse_lost_working_folder();
  make_missing_images(base);
  command.refuse_missing();
  command.refuse_files(Inputs(invocation));
  refuse_unasked_hours(command, base);
  const TorchFolder torch = find_torch(general.torch);
  // The folder is checked before anything is launched or loaded; the engine's rank 0 makes it.
  if (holds_rank_0(base.detection))
    reporting::refuse_used_folder(general.output, command.existing_folder(),
                                  invocation.command == settings::kSweep);
  const auto backends = command.backends();
  resolve_mpi(base, backends);
  base.meshes += std::ranges::any_of(backends, catalogue::makes_full_mesh);
  const auto held = lock_folders(command);
  if (command.starts_ranks()) return command.start(invocation);
  command.prepare();
  bind_rank(base);
  base.settings.general.torch = torch.path.string();
  const api::EngineApi& engine =
      load_engine(torch, {.device = std::string(name_of(base.settings.parallel.device)),
                          .is_first = base.detection.world.local_rank == 0});
  return command.run(engine, rank_request(invocation, base));
}

void fill_in_ranks(settings::RawSettings& common, int wanted) {
  if (common.contains("nproc_per_node")) return;
  const int nodes = settings::nodes_in(common);
  const int each = std::min((wanted + nodes - 1) / nodes, settings::kMostRanksOfNode);
  common["nproc_per_node"] = {std::to_string(each), "default"};
}

void add_problems(Problems& all, const Problems& more) {
  for (const settings::Problem& problem : more) {
    const auto is_same = [&](const settings::Problem& known) {
      return settings::to_line(known) == settings::to_line(problem);
    };
    if (std::ranges::none_of(all, is_same)) all.push_back(problem);
  }
}

std::vector<int> node_of_rank(const settings::RankCount& ranks) {
  std::vector<int> nodes;
  for (int rank = 0; rank < ranks.world_size; ++rank) {
    nodes.push_back(rank / std::max(1, ranks.local_world_size));
  }
  return nodes;
}

}  // namespace scalemark::cli
