// Counters of errors over a session (--checks health): each rank reads those of its GPU, the first
// rank of a machine also the machine's, and rank 0 makes rows of the looks.
// core/monitoring/health.h reads; core/reporting/record/health.h says what rows tell.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/monitoring/health.h"
#include "core/reporting/record/health.h"
#include "engine/process/rank_context.h"
#include "engine/process/task_loop.h"

namespace scalemark::process {

// One rank's part. Xid errors are noted from its first look on, as long as this object lives.
class HealthWatch {
 public:
  explicit HealthWatch(RankContext& context) : context_(context) {}

  // Returns the look as bytes, for HealthLooks. Opens NVML: not within a timed region.
  std::string look();

 private:
  RankContext& context_;
  bool looked_ = false;
  std::unique_ptr<monitoring::GpuHealth> gpu_;  // null on a CPU, or without driver
};

// Rank 0's part.
class HealthLooks {
 public:
  using Rows = std::vector<reporting::HealthRecord>;
  // `wanted`: false: look() does nothing. `task`: the other ranks answer it with a look; `read`:
  // this rank's own. `keep` gets the rows so far; it knows the session.
  struct Options {
    bool wanted = false;
    std::string task;
    std::function<std::string()> read;
    std::function<void(const Rows&)> keep;
  };
  HealthLooks(TaskLoop& loop, Options options) : loop_(loop), options_(std::move(options)) {}

  // Asks all ranks: call it at the begin of a session, and at its end. A rank that does not answer
  // is left out: the next task meets it.
  void look();

 private:
  TaskLoop& loop_;
  Options options_;
  Rows rows_;
  std::optional<distributed::Clock::time_point> first_;
};

}  // namespace scalemark::process
