#include <algorithm>

#include "core/reporting/collectives/collectives.h"

namespace scalemark::reporting {
namespace {

struct Counts {
  int ok = 0, oom = 0, failed = 0, skipped = 0, wrong = 0;
};

Counts count(const std::vector<CollectiveRecord>& runs) {
  Counts counts;
  for (const CollectiveRecord& run : runs) {
    counts.ok += run.status == PointStatus::kOk;
    counts.oom += run.status == PointStatus::kOom;
    counts.failed += run.status == PointStatus::kFailed;
    counts.skipped += run.status == PointStatus::kSkipped;
    counts.wrong += run.wrong.value_or(0) > 0;
  }
  return counts;
}

std::string runs_text(int n, const char* what) {
  return std::to_string(n) + " run" + (n == 1 ? " " : "s ") + what;
}

// Names the ranks of the first run with wrong elements.
std::string where_wrong(const std::vector<CollectiveRecord>& runs) {
  const auto first =
      std::ranges::find_if(runs, [](const auto& run) { return run.wrong.value_or(0) > 0; });
  return first->id + ": " + first->reason;
}

}  // namespace

RunEnd end_of_collectives(const Report& report) {
  const Counts counts = count(report.collectives);
  if (counts.wrong > 0) {
    return {ExitCode::kSilentCorruption,
            runs_text(counts.wrong, "with wrong elements; ") + where_wrong(report.collectives)};
  }
  if (counts.ok == 0 && counts.oom > 0 && counts.failed == 0) {
    return {ExitCode::kOutOfMemory,
            "nothing fitted into memory: " + runs_text(counts.oom, "out of memory")};
  }
  if (counts.failed + counts.oom > 0) {
    return {ExitCode::kUnsure,
            "incomplete: " + runs_text(counts.failed, "failed") +
                (counts.oom > 0 ? " and " + runs_text(counts.oom, "out of memory") : "")};
  }
  if (counts.ok == 0 && counts.skipped > 0) {
    return {ExitCode::kConfiguration,
            "nothing that was asked for can run here: " + report.collectives.front().reason};
  }
  return {};
}

}  // namespace scalemark::reporting
