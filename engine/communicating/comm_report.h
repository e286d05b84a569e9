// The report of `comm` on rank 0: one row per run, what follows from them after each block. On the
// other ranks it holds nothing.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/planning/collectives/collective_plan.h"
#include "core/reporting/collectives/collectives.h"
#include "engine/communicating/data_path.h"
#include "engine/communicating/links/pairs_run.h"
#include "engine/communicating/measure.h"
#include "engine/process/run_report.h"

namespace scalemark::communicating {

class CommReport {
 public:
  CommReport(const planning::CollectivePlan& plan, KnownMachines machines,
             process::RunReport& run_report)
      : plan_(plan), machines_(std::move(machines)), run_report_(run_report) {}

  // Rank 0 only, all of them. A run as a row, with what disturbed it.
  reporting::CollectiveRecord row_of(const planning::CollectivePoint& point, int repetition,
                                     const std::string& started,
                                     const CollectiveOutcome& outcome) const;
  void add(reporting::CollectiveRecord row, const CollectiveOutcome& outcome);
  void add(const MeasuredPairs& measured);
  void add_skipped_points();
  // A finding where the memory's bandwidth was measured while others used the machines.
  void tell_disturbed_bound();
  void set_health(const std::vector<reporting::HealthRecord>& rows) {
    run_report_.set_health(rows, /*session=*/0);
  }
  void summarise();
  // Also writes report.md and report.html. Throws io_error() (74).
  reporting::RunEnd close();
  void render_what_is_there() noexcept { run_report_.render_what_is_there(); }
  reporting::Report report() const { return run_report_.writer()->report(); }

 private:
  reporting::CollectiveRecord identity_of(const planning::CollectivePoint& point, int repetition,
                                          const std::string& started) const;

  const planning::CollectivePlan& plan_;
  KnownMachines machines_;
  process::RunReport& run_report_;
};

}  // namespace scalemark::communicating
