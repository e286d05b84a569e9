// A plan as --dry-run prints it: in about eight lines, or with --details all of it, in one form for
// train, sweep and comm.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "apps/scalemark/setting_text.h"
#include "core/base/text.h"
#include "report/say/table/text_table.h"

namespace scalemark::cli {

class RankCommand;
struct ResolvedCommand;

struct ShownPlan {
  std::string what;                        // the work: "resnet50, 64 px, ..."
  std::vector<reporting::Column> columns;  // a row for each point, or for those of one list
  std::vector<std::string> lines;          // the total, and what else there is to know
  std::vector<SettingRow> settings;        // all; those that nobody chose are details
};
std::string set_plan(ShownPlan plan, bool details);

// Writes "128 ranks of 16 machines, 8 on each (no GPU is here: planned for 8 on each machine)"
std::string ranks_in_words(const ResolvedCommand& base);

// Writes "about 12 min in all, which may be wrong by a factor of 3."
std::string about_in_all(double seconds);

// Writes "6 points (2 more skipped) x 5 blocks = 30 runs on 2 ranks of one machine; about ...".
template <class Points>
std::string total_in_words(const ResolvedCommand& base, const Points& points, int blocks,
                           double seconds) {
  const auto skipped =
      std::ranges::count_if(points, [](const auto& point) { return point.skipped.has_value(); });
  const auto able = std::ssize(points) - skipped;
  return counted(able, "point") +
         (skipped > 0 ? " (" + std::to_string(skipped) + " more skipped)" : "") + " x " +
         counted(blocks, "block") + " = " + counted(able * blocks, "run") + " on " +
         ranks_in_words(base) + "; " + about_in_all(seconds);
}

// A plan of many hours may be a slip of the pen: at a terminal the person is asked, and without one
// it is refused. Under another launcher it runs: whoever wrote that script said how long it may
// take.
void refuse_unasked_hours(const RankCommand& command, const ResolvedCommand& base);

// Says what a rank has beside what the table's column "memory" estimates for one, and how many of
// the points that can run may not fit.
std::vector<std::string> memory_lines(std::optional<std::uint64_t> available,
                                      const std::vector<std::uint64_t>& needed);

}  // namespace scalemark::cli
