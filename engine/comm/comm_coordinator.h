// Rank 0 of `comm`: says which batch comes next, takes part in it, and writes the rows.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "engine/comm/comm_member.h"
#include "engine/comm/comm_report.h"
#include "engine/comm/comm_run.h"
#include "engine/process/machines.h"
#include "engine/process/task_loop.h"

namespace scalemark::communicating {

class CommCoordinator : public process::TaskLeader {
 public:
  CommCoordinator(process::TaskLoop& loop, const CommRequest& request, CommMember& member,
                  CommReport& report);

  void begin() override;
  std::optional<std::string> next() override;
  std::optional<distributed::Stop> run(const distributed::WorkMessage& message) override;
  ExitCode close() override;
  void show() override;
  std::string close_stopped() override;
  void show_stopped() override;

 private:
  void publish();
  void say(const reporting::CollectiveRecord& row, bool again) const;
  // Returns whether the run is to be measured again.
  bool record(const planning::CollectivePoint& point, const std::string& started,
              const CollectiveOutcome& outcome);

  process::TaskLoop& loop_;
  const CommRequest& request_;
  const planning::CollectivePlan& plan_;
  CommMember& member_;
  CommReport& report_;
  process::HealthCollector health_;
  bool needs_pairs_;
  int block_ = 0;
  std::vector<planning::CollectiveBatch> batches_;  // the batches of block_
  std::size_t batch_ = 0;                           // the next one in batches_
  int runs_in_block_ = 0;
  int attempts_ = 0;        // attempts of the run in progress
  int futile_repeats_ = 0;  // runs in a row whose last attempt was disturbed, too
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  std::string why_;  // the reason for an exit code other than 0
};

}  // namespace scalemark::communicating
