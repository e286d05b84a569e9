// Rank 0 of `comm`: says which batch comes next, takes part in it, and writes the rows.
#pragma once

#include <optional>

#include "engine/communicating/comm_command.h"
#include "engine/communicating/comm_member.h"
#include "engine/communicating/comm_report.h"
#include "engine/distributed/work_queue.h"

namespace scalemark::communicating {

class CommCoordinator {
 public:
  CommCoordinator(process::RankProcess& rank_process, process::RankContext& context,
                  const CommRequest& request, distributed::WorkQueue& queue, CommMember& member,
                  CommReport& report);

  ExitCode run();

 private:
  std::optional<int> run_block(int block);
  void record(int repetition, const planning::CollectivePoint& point, const std::string& started,
              const CollectiveOutcome& outcome);
  std::optional<int> requested_signal() const;
  void say(const std::string& line) const;
  ExitCode stop(int signal);
  ExitCode finish();

  process::RankProcess& rank_process_;
  process::RankContext& context_;
  const CommRequest& request_;
  const planning::CollectivePlan& plan_;
  distributed::WorkQueue& queue_;
  CommMember& member_;
  CommReport& report_;
  int runs_in_block_ = 0;
};

}  // namespace scalemark::communicating
