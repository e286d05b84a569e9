#include <algorithm>

#include "core/base/text.h"
#include "core/reporting/collectives/collectives.h"

namespace scalemark::reporting {
RunEnd end_of_collectives(const Report& report) {
  const auto is_wrong = [](const CollectiveRecord& run) { return run.wrong.value_or(0) > 0; };
  const auto first = std::ranges::find_if(report.collectives, is_wrong);
  if (first != report.collectives.end()) {
    const auto wrong = std::ranges::count_if(report.collectives, is_wrong);
    return {ExitCode::kSilentCorruption,
            counted(wrong, "run") + " with wrong elements; " + first->id + ": " + first->reason};
  }
  const RunCounts runs = counts_of(report);
  if (RunEnd end = end_of_runs(runs); end.exit_code != ExitCode::kPass) return end;
  if (runs.ok == 0 && runs.skipped > 0) {
    return {ExitCode::kConfiguration,
            "nothing that was asked for can run here: " + report.collectives.front().reason};
  }
  return {};
}

}  // namespace scalemark::reporting
