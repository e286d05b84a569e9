#include "apps/scalemark/rank_environment.h"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>

#include "apps/scalemark/commands.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/launching/environment.h"
#include "core/planning/order.h"
#include "core/planning/plan.h"
#include "core/settings/layers.h"

namespace scalemark::cli {
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

// Absent: this process cannot start the ranks.
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
  if (launcher == "pmi") return "mpiexec ... ";
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

void settle_environment(const Invocation& invocation, ResolvedCommand& resolved,
                        const std::vector<Variables>& environments, bool restarts) {
  if (environments.size() == 1 && environments.front().empty()) {
    if (!restarts || !resolved.detection.error_file.empty()) return;
    const auto node = node_to_start(resolved.detection);
    if (node && node->nnodes == 1) resolved.detection.node = node;
    return;
  }
  if (!resolved.detection.error_file.empty()) {  // a rank of ours
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

}  // namespace scalemark::cli
