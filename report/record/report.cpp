#include "report/record/report.h"

#include <algorithm>
#include <ctime>
#include <utility>

#include "core/base/plugin.h"
#include "core/base/text.h"

namespace scalemark::reporting {

Tool this_tool() {
  const Version version = program_version();
  return {.version = version.version,
          .git_commit = version.git_commit,
          .git_dirty = version.git_dirty,
          .build_type = version.build_type,
          .compiler = version.compiler};
}

bool measures_collectives(const Report& report) {
  return report.points.empty() && (!report.collectives.empty() || !report.links.empty());
}

std::string launcher_prefix(const Invocation& invocation, int ranks, std::size_t nodes) {
  const std::string& launcher = invocation.launcher;
  // This option makes the command a mpirun, whose ranks see the launcher.
  if (option_value(invocation.command_line, "--hostfile") && launcher == "openmpi") return "";
  const auto words = shell_words(invocation.launcher_command);
  if (!words.empty()) return shell_line(words) + " ";
  const std::string all = std::to_string(ranks);
  if (ranks == 1) return "";
  if (launcher == "torch" && nodes == 1)
    return "torchrun --nproc-per-node " + all + " --no-python ";
  if (launcher == "slurm")
    return "srun --nodes " + std::to_string(std::max<std::size_t>(nodes, 1)) + " --ntasks " + all +
           " ";
  // Which hosts these start on is nowhere in the variables of their ranks.
  if (nodes > 1 && launcher == "openmpi") return "mpirun -n " + all + " ... ";
  if (nodes > 1 && launcher == "pmi") return "mpiexec -n " + all + " ... ";
  constexpr std::pair<std::string_view, const char*> kByNumber[] = {{"openmpi", "mpirun -n "},
                                                                    {"pmi", "mpiexec -n "},
                                                                    {"pals", "mpiexec -n "},
                                                                    {"flux", "flux run -n "},
                                                                    {"jsrun", "jsrun -n "}};
  for (const auto& [name, by_number] : kByNumber)
    if (launcher == name) return by_number + all + " ";
  return "";
}

std::string repeat_command(const Report& report) {
  const auto words = shell_words(report.invocation.command_line);
  if (words.empty() || words.front() != "scalemark") return "";
  std::string command = shell_line(words);
  for (const char* option : {"--output", "--resume", "--tensorboard"}) {
    command = without_option(std::move(command), option, /*has_value=*/true);
  }
  int ranks = 1;
  for (const PointRecord& point : report.points) ranks = std::max(ranks, point.world_size);
  for (const CollectiveRecord& one : report.collectives) ranks = std::max(ranks, one.world_size);
  return launcher_prefix(report.invocation, ranks, report.environment.hosts.size()) +
         without_option(std::move(command), "--overwrite", /*has_value=*/false);
}

std::string link_end(const std::string& name, std::optional<int> rank, const std::string& device) {
  if (!rank) return name;
  const std::string text = name + " rank " + std::to_string(*rank);
  return device.empty() || device == "cpu" ? text : text + " (" + device + ")";
}

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm utc = {};
  gmtime_r(&now, &utc);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text;
}

}  // namespace scalemark::reporting
