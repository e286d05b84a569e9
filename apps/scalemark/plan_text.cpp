#include "apps/scalemark/plan_text.h"

#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <utility>

#include "apps/scalemark/rank_command.h"
#include "core/base/error.h"
#include "core/base/number_words.h"
#include "core/machine/survey.h"
#include "core/settings/layers.h"

namespace scalemark::cli {
namespace {

// Whether the setting differs from what it is by itself, and says what is measured.
bool is_chosen(const SettingRow& row) {
  return !settings::is_unasked(row.origin) && row.name != "dry_run" && row.name != "log_format";
}

// Writes a line for each origin, in the order in which they come up.
std::string chosen_lines(const std::vector<SettingRow>& rows) {
  std::vector<std::pair<std::string, std::string>> by_origin;
  for (const SettingRow& row : rows) {
    if (!is_chosen(row)) continue;
    const auto found =
        std::ranges::find(by_origin, row.origin, &std::pair<std::string, std::string>::first);
    std::string& line =
        found == by_origin.end() ? by_origin.emplace_back(row.origin, "").second : found->second;
    line += (line.empty() ? "" : "; ") + row.name + " " + row.value;
  }
  std::string text;
  for (const auto& [origin, line] : by_origin) text += "Set by " + origin + ": " + line + ".\n";
  return text;
}

}  // namespace

std::string set_plan(ShownPlan plan, bool details) {
  const std::size_t rows = plan.columns.empty() ? 0 : plan.columns.front().cells.size();
  const std::size_t shown = details ? rows : std::min<std::size_t>(rows, 8);
  reporting::Section table{"", std::move(plan.columns), {}};
  for (reporting::Column& column : table.columns) column.cells.resize(shown);
  if (shown < rows) table.lines.push_back("and " + counted(rows - shown, "more row"));
  std::string text = plan.what + "\n\n";
  if (rows > 0) text += reporting::section_text(table, terminal_of(STDOUT_FILENO)) + "\n";
  for (const std::string& line : plan.lines) text += line + "\n";
  if (details) return text + setting_lines(plan.settings);
  return text + chosen_lines(plan.settings) + "--details shows more, and all " +
         counted(std::ssize(plan.settings), "setting") + ".\n";
}

std::string ranks_in_words(const ResolvedCommand& base) {
  const launching::Detection& found = base.detection;
  const int nodes = found.node ? found.node->nnodes : found.world.nodes;
  std::string text = counted(base.ranks.world_size, "rank") + " of " +
                     (nodes < 2 ? "one machine" : counted(nodes, "machine"));
  if (nodes > 1 && base.ranks.local_world_size * nodes == base.ranks.world_size)
    text += ", " + std::to_string(base.ranks.local_world_size) + " on each";
  if (!base.assumed.empty()) return text + " (" + base.assumed + ")";
  const auto& parallel = base.settings.parallel;
  const int threads = base.ranks.local_world_size * parallel.threads;
  const int cores = monitoring::usable_cores();
  if (nodes < 2 && parallel.device == settings::DeviceKind::kCpu && threads > cores)
    text += " (" + counted(threads, "thread") + " on " + counted(cores, "core") +
            ": they slow each other down)";
  return text;
}

std::string about_in_all(double seconds) {
  return "about " + rough_duration(seconds) + " in all, which may be wrong by a factor of 3.";
}

std::vector<std::string> memory_lines(std::optional<std::uint64_t> available,
                                      const std::vector<std::uint64_t>& needed) {
  if (!available) return {};
  std::vector<std::string> lines{"Memory is an estimate for one rank; each has " +
                                 size_text(*available) + " or more."};
  const auto beyond =
      std::ranges::count_if(needed, [&](std::uint64_t bytes) { return bytes > *available; });
  if (beyond > 0) {
    lines.push_back("! " + counted(beyond, "point") +
                    " may not fit into that, and would end as out of memory: --scale-down, or "
                    "smaller batches, images or sequences.");
  }
  return lines;
}

void refuse_unasked_hours(const RankCommand& command, const ResolvedCommand& base) {
  constexpr double kLongest = 3 * 3600;
  const auto seconds = command.unlimited_s();
  const std::string& launcher = base.detection.world.launcher;
  const bool ours = base.detection.node || launcher == "single";
  if (!ours || !seconds || *seconds <= kLongest || base.yes) return;
  const std::string time = rough_duration(*seconds);
  if (isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1) {
    std::cerr << "This takes about " << time
              << " by the estimate; --scale-down makes it minutes. Go on? [y/N] " << std::flush;
    std::string answer;
    std::getline(std::cin, answer);
    if (answer.starts_with('y') || answer.starts_with('Y')) return;
  }
  throw configuration("the plan takes about " + time + " by the estimate",
                      "up to 3 hours begin without a question", command.shorter_hint());
}

}  // namespace scalemark::cli
