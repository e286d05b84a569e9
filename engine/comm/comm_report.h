// The report of `comm` on rank 0: one row per run, with the bandwidth to expect of the way that its
// data takes, and what follows from the rows after each block. On the other ranks it holds nothing.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/collectives/bandwidth.h"
#include "core/machine/host.h"
#include "core/plan/collectives/collective_plan.h"
#include "engine/comm/links/pairs_run.h"
#include "engine/comm/links/parts_run.h"
#include "engine/comm/measure.h"
#include "engine/process/rank_context.h"
#include "engine/process/run_report.h"
#include "report/judge/collectives/collectives.h"

namespace scalemark::communicating {

struct KnownMachines {
  std::vector<monitoring::Host> hosts;
  std::vector<int> node_of_rank;
  std::optional<double> memory_GBps;  // measure_memory()
  std::string memory_disturbed = {};  // names what used the machines meanwhile; empty: nothing
};

// Collective over the session: all ranks copy at the same time between buffers larger than caches.
// It takes about 0.3 s, or as long as it takes to know whether others use the machines
// (least_watched_s()), and three times as long where they do. memory_GBps is that of the slowest
// node: the sum over its ranks, read and written bytes added, in 1e9 bytes per second. It is the
// same on all ranks, as rank 0 judges it by its `machines.hosts`.
void measure_memory(process::RankContext& context, KnownMachines& machines);

// --- The way that a collective's data takes decides which bandwidth to expect of it.

// Whether the data of a collective passes the hosts' memory.
bool passes_memory(const collectives::DataPath& path);

// Takes the slowest host and GPU, and of each host all network ports that the backend uses.
collectives::DataPath data_path(const planning::CollectivePoint& point, settings::DeviceKind device,
                                const KnownMachines& machines);

class CommReport {
 public:
  CommReport(const planning::CollectivePlan& plan, KnownMachines machines,
             process::RunReport& run_report)
      : plan_(plan), machines_(std::move(machines)), run_report_(run_report) {}

  // All members are called on rank 0 only. row_of() returns a run as a row, with what disturbed it.
  reporting::CollectiveRecord row_of(const planning::CollectivePoint& point, int repetition,
                                     const std::string& started,
                                     const CollectiveOutcome& outcome) const;
  void add(reporting::CollectiveRecord row, const CollectiveOutcome& outcome);
  void add(const MeasuredPairs& measured);
  // The links that were added before tell what is expected of a part.
  void add(const MeasuredPart& part);
  const MeasuredLinks& links() const { return links_; }
  void add_skipped_points();
  // Adds a finding where the memory's bandwidth was measured while others used the machines.
  void note_disturbed_bound();
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
  MeasuredLinks links_ = {};
};

}  // namespace scalemark::communicating
