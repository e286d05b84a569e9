#include "apps/scalemark/start_ranks.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include "apps/scalemark/commands.h"
#include "apps/scalemark/libraries.h"
#include "apps/scalemark/machine_probe.h"
#include "apps/scalemark/rank_command.h"
#include "apps/scalemark/stuck_rank.h"
#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/launch/detect.h"
#include "core/launch/resources.h"
#include "core/launch/variables.h"
#include "core/live/progress.h"
#include "core/plan/order.h"
#include "core/plan/plan.h"
#include "core/settings/layers.h"
#include "core/settings/option.h"
#include "core/settings/processes.h"
#include "core/settings/resolve.h"

namespace scalemark::cli {
namespace {

constexpr const char* kSameSession = "SCALEMARK_SAME_SESSION";

launching::Environment environment_of_ranks(const settings::Variables& variables) {
  launching::Environment environment = launching::snapshot_environment();
  environment.erase(kSameSession);
  for (const auto& [name, value] : variables) {
    if (value == settings::kUnset) {
      environment.erase(name);
    } else {
      environment[name] = value;
    }
  }
  return environment;
}

// Sets TMPDIR, since the libraries of the ranks, and mpirun, make files there as well.
void set_temporary_folder(const ResolvedCommand& resolved) {
  const bool has_socket = !resolved.detection.node->mpirun.empty();
  const auto place = launching::temporary_place(has_socket ? launching::kLongestSocketPath : 0);
  if (place.note.empty()) return;
  if (!resolved.settings.general.quiet) print_note(place.note);
  ::setenv("TMPDIR", place.path.c_str(), 1);
}

}  // namespace

launching::LaunchResult start_ranks(const Invocation& invocation, const ResolvedCommand& resolved,
                                    launching::SignalScope& signals, bool same_session) {
  std::vector<std::string> arguments{"scalemark"};
  arguments.insert(arguments.end(), invocation.arguments.begin(), invocation.arguments.end());
  set_temporary_folder(resolved);
  auto environment = environment_of_ranks(resolved.settings.launch.environment);
  environment[kStartDate] = resolved.date;
  if (same_session) environment[kSameSession] = "1";
  return launching::launch_local(
      {.plan = *resolved.detection.node,
       .arguments = std::move(arguments),
       .environment = std::move(environment),
       .meshes = resolved.meshes,
       .verbose = resolved.settings.general.verbose,
       .form = resolved.settings.general.log_format == settings::LogFormat::kJson ? live::json_lines
                                                                                  : nullptr},
      signals);
}

namespace {

// The words of the mpirun that starts the ranks on the hosts of the plan. They get the variables
// that Open MPI leaves behind.
std::vector<std::string> mpirun_words(const launching::MpiLibrary& library,
                                      const launching::NodePlan& plan,
                                      const launching::Environment& environment) {
  std::vector<std::string> words{find_mpirun(library, environment)};
  if (library.name == "openmpi") {
    words.insert(words.end(), {"--bind-to", "none", "-H", plan.hosts});
    for (const auto& [name, value] : environment) {
      if (!name.starts_with("SCALEMARK_") && !name.starts_with("MASTER_")) continue;
      words.insert(words.end(), {"-x", name});
    }
  } else {
    words.insert(words.end(), {"-hosts", plan.hosts});
  }
  words.insert(words.end(), {"-n", std::to_string(launching::world_size_of(plan)),
                             (library_folder() / "scalemark").string()});
  return words;
}

[[noreturn]] void become_mpirun(const Invocation& invocation, const ResolvedCommand& resolved) {
  const launching::NodePlan& plan = *resolved.detection.node;
  ::setenv("MASTER_ADDR", plan.rendezvous.host.c_str(), 1);
  ::setenv("MASTER_PORT", std::to_string(plan.rendezvous.port).c_str(), 1);
  const std::string& wanted = resolved.settings.launch.mpi_library;
  for (const auto& library : launching::kMpiLibraries) {
    auto words = mpirun_words(library, plan, launching::snapshot_environment());
    if (words.front().empty() || (wanted != "auto" && wanted != library.name)) continue;
    words.insert(words.end(), invocation.arguments.begin(), invocation.arguments.end());
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    ::execv(pointers.front(), pointers.data());
    throw system_error("cannot start " + words.front() + ": " + std::strerror(errno));
  }
  throw system_error("--hostfile: no mpirun on PATH",
                     "Open MPI's or MPICH's, which starts the ranks",
                     "start this command on each host, with --node-rank 0, 1, ...");
}

}  // namespace

ExitCode start_ranks(const Invocation& invocation, const ResolvedCommand& resolved) {
  if (!resolved.detection.node->hosts.empty()) become_mpirun(invocation, resolved);
  launching::SignalScope signals;
  const launching::LaunchResult result = start_ranks(invocation, resolved, signals);
  close_for_rank_0(resolved.settings.general.output, result, reporting::ExistingFolder::kContinue);
  if (result.exit_code <= static_cast<int>(ExitCode::kUnsure) && result.stdout_error != 0) {
    throw file_failure("write the result to", "stdout", result.stdout_error);
  }
  // ExitCode has no name for the 128+n of a signal.
  return static_cast<ExitCode>(result.exit_code);
}

bool continues_session() { return std::getenv(kSameSession) != nullptr; }

namespace {

using settings::Variables;

constexpr std::size_t kMostCommands = 8;

bool has(const Variables& environment) {
  return std::ranges::all_of(environment, [](const auto& entry) {
    const char* value = std::getenv(entry.first.c_str());
    return entry.second == settings::kUnset ? value == nullptr
                                            : value != nullptr && entry.second == value;
  });
}

// The node whose ranks this process starts; absent: it cannot start them.
std::optional<launching::NodePlan> node_to_start(const launching::Detection& detection) {
  if (detection.node) {
    if (detection.node->launcher != "local") return std::nullopt;
    return detection.node;
  }
  const launching::World& world = detection.world;
  if (world.launcher == "single") return launching::NodePlan{};
  if (world.launcher != "local") return std::nullopt;
  return launching::NodePlan{.nnodes = world.nodes,  // one rank on each
                             .node_rank = world.node,
                             .rendezvous = detection.rendezvous,
                             .detected_from = world.detected_from};
}

// The person typed these words before `scalemark`, as far as they can be known.
std::string launcher_words(const std::string& launcher, const Variables& environment) {
  if (launcher == "torch") return "torchrun ... --no-python ";
  if (launcher == "slurm") return "srun ... ";
  if (launcher == "flux") return "flux run ... ";
  if (launcher == "jsrun") return "jsrun ... ";
  if (launcher == "pmi" || launcher == "pals") return "mpiexec ... ";
  if (launcher != "openmpi") return {};
  std::string words = "mpirun ";
  for (const auto& [name, value] : environment) {
    if (value != settings::kUnset) words += "-x " + name + " ";
  }
  return words + "... ";
}

std::string assignments(const Variables& environment) {
  std::string without, with;
  for (const auto& [name, value] : environment) {
    if (value == settings::kUnset) {
      without += "-u " + name + " ";
    } else {
      with += name + "=" + shell_word(value) + " ";
    }
  }
  return without.empty() ? with : "env " + without + with;
}

std::string label(const Variables& environment) {
  std::string text;
  for (const auto& [name, value] : environment) {
    text += "-" + name + "-" + planning::plain_value(value);
  }
  return text;
}

// The words of the command without --env and --output, which follow for each environment.
std::string words_of(const Invocation& invocation) {
  std::string text = "scalemark";
  const auto& words = invocation.arguments;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string name = words[i].substr(0, words[i].find('='));
    const bool has_value = name.size() != words[i].size();
    const bool sets_variable =
        name == "--set" && !has_value && i + 1 < words.size() && words[i + 1].starts_with("env.");
    if (words[i].starts_with("--set=env.")) continue;
    if (name == "--env" || name == "--output" || sets_variable) {
      if (!has_value) ++i;
      continue;
    }
    text += " " + shell_word(words[i]);
  }
  return text;
}

void print_commands(const Invocation& invocation, const ResolvedCommand& resolved,
                    const std::vector<Variables>& environments) {
  const std::string& output = resolved.settings.general.output;
  const std::string launcher = resolved.detection.node ? resolved.detection.node->launcher
                                                       : resolved.detection.world.launcher;
  const auto shown = std::min(environments.size(), kMostCommands);
  std::string folders;
  print_note("--env: run instead, one after the other" +
             std::string(launcher == "kubernetes" ? ", the variables in the pods' env" : "") + ":");
  for (std::size_t i = 0; i < shown; ++i) {
    const std::string folder = shell_word(output + label(environments[i]));
    print_note("  " + assignments(environments[i]) + launcher_words(launcher, environments[i]) +
               words_of(invocation) + " --output " + folder);
    if (i < 2) folders += (i == 0 ? " --old " : " --new ") + folder;
  }
  if (shown < environments.size()) {
    print_note("  and so on: " + std::to_string(environments.size()) + " environments");
  }
  if (environments.size() > 1) print_note("  scalemark compare" + folders + " --same-session");
}

}  // namespace

std::vector<settings::Problem> variables_of_launchers(const settings::RawSettings& raw) {
  std::vector<settings::Problem> problems;
  for (const auto& [key, value] : raw) {
    if (!settings::is_variable_key(key) ||
        !launching::is_launcher_variable(settings::variable_in(key))) {
      continue;
    }
    problems.push_back({key, value.text, "belongs to the launcher of the ranks", value.origin,
                        "say how many ranks there are, and where, by the options of launching"});
  }
  return problems;
}

void resolve_environment(const Invocation& invocation, ResolvedCommand& resolved,
                         const std::vector<Variables>& environments, bool restarts) {
  if (environments.size() == 1 && environments.front().empty()) {
    if (!restarts || !resolved.detection.error_file.empty()) return;
    const auto node = node_to_start(resolved.detection);
    if (node && node->nnodes == 1) resolved.detection.node = node;
    return;
  }
  if (!resolved.detection.error_file.empty()) {  // a rank of the built-in launcher
    own_environment(environments);
    return;
  }
  auto node = node_to_start(resolved.detection);
  if (node && (node->nnodes == 1 || environments.size() == 1)) {
    resolved.detection.node = std::move(node);
    return;
  }
  if (holds_rank_0(resolved.detection)) print_commands(invocation, resolved, environments);
  throw configuration(
      "--env: these ranks belong to another launcher or to several nodes",
      "libraries read variables once, so that ranks must be started with them, which only the "
      "built-in launcher on one node does",
      "one launch for each value, with the variable in front and its own --output, and `scalemark "
      "compare` (rank 0 prints the commands)");
}

const Variables& own_environment(const std::vector<Variables>& environments) {
  const auto found = std::ranges::find_if(environments, has);
  if (found == environments.end()) throw bug("a rank without the variables of --env");
  return *found;
}

namespace {

using Problems = std::vector<settings::Problem>;

settings::RankCount ranks_of(const launching::Detection& detection) {
  if (detection.node) {
    const launching::NodePlan& plan = *detection.node;
    return {.world_size = launching::world_size_of(plan), .local_world_size = plan.nproc_per_node};
  }
  return {.world_size = detection.world.world_size,
          .local_world_size = detection.world.local_world_size};
}

// Whether it makes sense to look for a launcher although there are problems.
bool launch_options_are_good(const Problems& problems) {
  return std::ranges::none_of(problems, [](const settings::Problem& problem) {
    const settings::Option* option = settings::find_option(problem.option);
    return option && option->group == settings::OptionGroup::kLaunch;
  });
}

launching::Detection detect(settings::Settings settings, const settings::Machine& machine) {
  settings.launch = settings::launch_of(settings);
  launching::Request request = launching::make_request(settings);
  // A plan may be for a machine with GPUs although this one has none.
  request.auto_nproc_per_node =
      std::max(request.auto_nproc_per_node, static_cast<int>(machine.gpus.size()));
  return launching::detect(request);
}

}  // namespace

bool take_nodes_of_pod(const RankCommand::RankOptions& rank_options,
                       const settings::Surroundings& around, settings::RawSettings& raw) {
  const settings::Resolution first = settings::resolve(rank_options.values, around);
  if (!launch_options_are_good(first.problems)) return false;
  const auto nodes = launching::nodes_of_pod(detect(first.settings, around.machine));
  if (!nodes || *nodes == first.settings.launch.nnodes) return false;
  raw["nnodes"] = {std::to_string(*nodes), "environment"};
  return true;
}

bool find_ranks(const RankCommand::RankOptions& rank_options, const settings::Surroundings& around,
                ResolvedCommand& base, Problems& problems) {
  const settings::Resolution first = settings::resolve(rank_options.values, around);
  base.settings = first.settings;
  const bool asks_launchers = launch_options_are_good(first.problems);
  if (asks_launchers) {
    base.detection = detect(first.settings, around.machine);
    if (base.detection.problems.empty()) {
      base.ranks = ranks_of(base.detection);
      return true;
    }
  }
  if (rank_options.all || !asks_launchers) add_problems(problems, first.problems);
  return false;
}

}  // namespace scalemark::cli
