#include "apps/scalemark/failed_launch.h"

#include <algorithm>
#include <utility>

#include "core/planning/order.h"
#include "core/reporting/identity/point_identity.h"
#include "core/reporting/record/report.h"

namespace scalemark::cli {

bool ends_the_sweep(ExitCode code) {
  return code == ExitCode::kUsage || code == ExitCode::kCannotCreateOutput ||
         code == ExitCode::kIo || code == ExitCode::kPreempted || code == ExitCode::kInterrupted;
}

std::string end_of_ranks(const launching::LaunchResult& result) {
  const auto cause = launching::find_cause(result.outcomes);
  if (!cause) return "its ranks ended with exit code " + std::to_string(result.exit_code);
  const auto outcome =
      std::ranges::find(result.outcomes, cause->rank, &launching::RankOutcome::rank);
  const std::string rank = "rank " + std::to_string(cause->rank);
  if (outcome->error) {
    const ErrorRecord& error = outcome->error->record;
    return rank + ": " + error.what + (error.expected.empty() ? "" : "; " + error.expected);
  }
  if (outcome->signal != 0)
    return rank + " was killed by signal " + std::to_string(outcome->signal);
  return rank + " ended with exit code " + std::to_string(outcome->exit_code);
}

std::vector<reporting::PointRecord> failed_runs(const planning::Plan& plan,
                                                const settings::Variables& environment, int block,
                                                const std::vector<planning::EarlierRun>& earlier,
                                                const std::string& reason) {
  planning::Plan of_ranks = plan;
  of_ranks.launch = {.environment = environment};
  planning::SweepSchedule schedule(of_ranks, earlier);
  std::vector<reporting::PointRecord> rows;
  for (auto task = schedule.next(0); task && task->run.block == block; task = schedule.next(0)) {
    if (!schedule.record_outcome(*task, planning::Ending::kFailed)) continue;  // not tried again
    auto row = reporting::point_identity(plan.points[task->run.point]);
    row.id = task->run.id;
    row.repetition = task->run.repetition;
    row.block = task->run.block;
    row.order = task->run.order;
    row.members = planning::members_of(plan, task->run);
    row.started = reporting::utc_now();
    row.status = reporting::PointStatus::kFailed;
    row.reason = planning::to_text(environment) + ": " + reason;
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace scalemark::cli
