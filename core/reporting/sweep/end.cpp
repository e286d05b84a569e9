#include "core/reporting/sweep/end.h"

#include "core/base/text.h"
#include "core/reporting/record/finding_kinds.h"

namespace scalemark::reporting {
namespace {

std::string runs_that(int n, const char* ended) { return counted(n, "run") + " " + ended; }

}  // namespace

RunEnd end_of_sweep(const Report& report, const planning::Plan& plan,
                    const planning::SweepSchedule& schedule) {
  for (const Finding& finding : report.findings) {
    if (finding.code == finding_kinds::wrong_bits.code) {
      return {ExitCode::kSilentCorruption, finding.text};
    }
  }
  int ok = 0, oom = 0, failed = 0;
  for (const PointRecord& point : report.points) {
    ok += point.status == PointStatus::kOk;
    oom += point.status == PointStatus::kOom;
    failed += point.status == PointStatus::kFailed;
  }
  if (ok == 0 && oom > 0 && failed == 0) {
    return {ExitCode::kOutOfMemory,
            "nothing fitted into memory: " + runs_that(oom, "out of memory")};
  }
  if (failed > 0) {
    return {ExitCode::kUnsure, "incomplete: " + runs_that(failed, "failed") +
                                   (oom > 0 ? " and " + runs_that(oom, "out of memory") : "")};
  }
  if (oom > 0 && !plan.sweep.allow_oom) {
    return {ExitCode::kUnsure, "incomplete: " + runs_that(oom, "out of memory") +
                                   " (--allow-oom takes that as an answer)"};
  }
  const auto missing = schedule.never_ran().size();
  if (schedule.out_of_time() && missing > 0) {
    return {ExitCode::kUnsure, "incomplete: " + std::to_string(missing) + " of " +
                                   std::to_string(planning::block(plan, 0).size()) +
                                   " points did not fit into the time; --resume runs them"};
  }
  if (const std::string why = schedule.why_unconverged(); !why.empty()) {
    return {ExitCode::kUnsure, "unconverged: " + why};
  }
  return {};
}

}  // namespace scalemark::reporting
