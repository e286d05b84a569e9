#include "apps/scalemark/sources.h"

#include <algorithm>
#include <string>

#include "apps/scalemark/commands.h"
#include "apps/scalemark/libraries.h"
#include "apps/scalemark/machine_probe.h"
#include "core/base/error.h"
#include "core/base/file_kind.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/launch/variables.h"
#include "core/plan/listed_configs.h"
#include "core/settings/config_file.h"

namespace scalemark::cli {

void refuse_shared(const std::string& named, const std::string& path,
                   const launching::Detection& detection) {
  if (detection.node || detection.world.world_size > 1) refuse_read_once(named, path);
}

void refuse_shared_configs(const Invocation& invocation, const launching::Detection& detection) {
  for (const std::string& path : invocation.config_paths) {
    refuse_shared("--config", path, detection);
  }
}

settings::Layers read_layers(const Invocation& invocation) {
  settings::Sources sources = invocation.sources;
  std::vector<std::string> notes;
  sources.environment = launching::snapshot_environment();
  // Ranks of a launcher must not wait for a pipe that one of them has emptied.
  if (!invocation.config_paths.empty()) {
    const auto found = launching::detect({.environment = sources.environment});
    if (found.problems.empty() && !found.node) refuse_shared_configs(invocation, found);
  }
  for (const std::string& path : invocation.config_paths) {
    sources.config_files.push_back(settings::read_config(path, notes));
  }
  settings::Layers layers = settings::merge_layers(sources, invocation.command);
  layers.notes.insert(layers.notes.begin(), notes.begin(), notes.end());
  return layers;
}

settings::ToolValues read_tool_values(const Invocation& invocation) {
  const settings::Layers layers = read_layers(invocation);
  print_notes(layers.notes);
  std::vector<std::string> lines;
  try {
    return settings::ToolValues(layers, invocation.command, lines);
  } catch (const Error&) {
    if (lines.size() > 1) {
      for (const std::string& line : lines) print_note("refused: " + line);
    }
    throw;
  }
}

int threads_of(const settings::ToolValues& values) {
  return static_cast<int>(std::max<std::int64_t>(1, values.count("workers").value_or(0)));
}

std::string at_most_one(const Invocation& invocation) {
  const auto& words = invocation.positionals;
  if (words.size() > 1) throw usage("'" + words[1] + "' is one name too many");
  return words.empty() ? "" : words.front();
}

const std::vector<std::string>& exactly(const Invocation& invocation, std::size_t count,
                                        const std::string& what) {
  const auto& words = invocation.positionals;
  // An unset variable leaves an empty word.
  const bool any_empty = std::ranges::any_of(words, &std::string::empty);
  if (words.size() == count && !any_empty) return words;
  std::string given;
  for (const std::string& word : words) {
    given += (given.empty() ? "'" : " '") + word + "'";
  }
  throw usage(given.empty() ? "no arguments are given" : "the arguments are " + given,
              what + " is expected");
}

namespace {

// A job script begins with the program of a tarball; here it is the one that runs, with the torch
// that a wheel's start has found for it.
std::string with_this_program(std::string text) {
  constexpr std::string_view kOfTarball = "program=${PROGRAM:-./scalemark}\n";
  const auto at = text.find(kOfTarball);
  if (at == text.npos) return text;
  std::string line =
      "program=${PROGRAM:-" + shell_word((library_folder() / "scalemark").string()) + "}\n";
  const auto environment = launching::snapshot_environment();
  if (const std::string torch = value_at(environment, "SCALEMARK_TORCH"); !torch.empty())
    line += "export SCALEMARK_TORCH=${SCALEMARK_TORCH:-" + shell_word(torch) + "}\n";
  return text.replace(at, kOfTarball.size(), line);
}

}  // namespace

ExitCode configs_command(const Invocation& invocation) {
  read_tool_values(invocation);
  if (invocation.positionals.size() > 1) {
    throw usage("more than one name is given", "the name of one configuration, or none");
  }
  if (!invocation.positionals.empty()) {
    const std::string& name = invocation.positionals.front();
    const auto script = std::ranges::find_if(settings::job_scripts(), [&](const auto& file) {
      return name == file.name || name.starts_with(std::string(file.name) + ".");  // its ending
    });
    if (script != settings::job_scripts().end())
      return print_data(with_this_program(std::string(script->text)));
    return print_data(std::string(settings::builtin_config(name)));
  }
  const planning::Surveyed here{.machine = probe_machine().machine, .memory = memory_there()};
  std::string text;
  for (const planning::ListedConfig& config : planning::listed_configs(here)) {
    text +=
        config.name + " (" + config.command + ", " + config.takes + ")\n  " + config.about + "\n";
  }
  text +=
      "\nscalemark sweep --config NAME --scale-down   in minutes: shows the method, not the number\n"
      "scalemark configs launching/slurm > job.sbatch   a file for another program: those of "
      "launching/ start a run, acceptance/ accept nodes, monitoring/ watch:\n ";
  for (const NamedText& file : settings::job_scripts()) text.append(" ").append(file.name);
  text += "\nscalemark accept FOLDER --rules smoke   rules of acceptance, printed by the names:\n ";
  for (const NamedText& rules : settings::acceptance_rules()) text.append(" ").append(rules.name);
  return print_result(text + "\n");
}

}  // namespace scalemark::cli
