#include "core/reporting/sweep/end.h"

#include "core/reporting/record/finding_kinds.h"

namespace scalemark::reporting {
RunEnd end_of_sweep(const Report& report, const planning::Plan& plan,
                    const planning::SweepSchedule& schedule) {
  for (const Finding& finding : report.findings) {
    if (finding.code == finding_kinds::wrong_bits.code) {
      return {ExitCode::kSilentCorruption, finding.text};
    }
  }
  const RunCounts runs = counts_of(report);
  RunEnd end = end_of_runs(runs);
  const bool is_oom_alone = end.exit_code == ExitCode::kUnsure && runs.failed == 0;
  if (is_oom_alone) end.why += " (--allow-oom takes that as an answer)";
  if (end.exit_code != ExitCode::kPass && !(is_oom_alone && plan.sweep.allow_oom)) return end;
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
