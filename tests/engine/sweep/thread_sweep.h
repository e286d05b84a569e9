// Whole sweeps with ranks that are threads: coordinator, schedule, verdicts and report are the
// program's own; a made-up training says what each task gives on each rank.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/plan/plan.h"
#include "core/plan/sweep_schedule.h"
#include "engine/sweep/sweep_messages.h"
#include "report/record/report.h"
#include "tests/engine/process/thread_ranks.h"

namespace scalemark::testing {

// Called on each member of a task, while it trains. What it throws is the member's failure.
using Training = std::function<sweeping::RankResult(int rank, const planning::Task& task)>;

// Every task goes well.
inline sweeping::RankResult trains_well(int /*rank*/, const planning::Task& /*task*/) { return {}; }

// The nodes of three ranks on one machine, for planning::plan().
inline const std::vector<int> kThreeOnOneNode{0, 0, 0};

// Over all ranks and starts: what SweepMember asks of the training apart from the tasks.
struct SweepCounts {
  std::atomic<int> dropped{0}, given_back{0};
};

// A sweep in a folder of its own, which may be started again.
class ThreadSweep {
 public:
  static constexpr int kRanks = 3;

  // `plan`: of up to three ranks. It has no fingerprint.
  explicit ThreadSweep(planning::Plan plan);
  ~ThreadSweep();
  ThreadSweep(const ThreadSweep&) = delete;
  ThreadSweep& operator=(const ThreadSweep&) = delete;

  planning::Plan& plan() { return plan_; }
  const std::filesystem::path& folder() const { return folder_; }
  // Whether an epoch of the data holds a batch of this size; all do.
  std::function<bool(std::int64_t batch_size)> data_holds = [](std::int64_t) { return true; };

  SweepCounts counts;

  void run(ThreadRanks& ranks, const Training& training);
  // --resume with other ranks, to a good end.
  void resume(const Training& training);
  // Reads it from the folder.
  reporting::Report report() const;
  void write(const reporting::Report& report) const;

 private:
  ExitCode run_rank(ThreadRanks& all, process::RankLink& ranks, const Training& training);

  planning::Plan plan_;
  std::filesystem::path folder_;
};

}  // namespace scalemark::testing
