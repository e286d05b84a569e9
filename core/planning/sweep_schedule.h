// What a sweep does next: trials of a batch search, then runs block by block, retries, and when it
// has measured enough. Pure: time arrives as a number, results through record_outcome(). Rank 0
// holds one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/planning/batch_finder.h"
#include "core/planning/duration_model.h"
#include "core/planning/plan.h"
#include "core/planning/task.h"

namespace scalemark::planning {

// A run that an earlier session has finished, whatever its status.
struct EarlierRun {
  std::string id, group;
  std::optional<double> samples_per_sec;  // when ok
  std::int64_t batch_size = 0;            // as it ran: answers a batch search
};

enum class Ending { kOk, kOom, kFailed };

class SweepSchedule {
 public:
  // Throws bug() for a plan without a point that can run. Earlier runs of points that this plan
  // does not run (--resume-anyway with fewer points) are ignored. `plan` must outlive the schedule.
  SweepSchedule(const Plan& plan, const std::vector<EarlierRun>& earlier);

  // Absent when the sweep is over. `elapsed_s`: since this session began. Where there is a
  // deadline, the task is cut to its part of what is left.
  std::optional<Task> next(double elapsed_s);

  // Records how the task from next() ended. True when that is final; false: next() returns it
  // again. `samples_per_sec` of a run that is ok.
  bool record_outcome(const Task& task, Ending ending, std::optional<double> samples_per_sec);

  // Records how long a run took that ended ok: later durations are predicted from it.
  void took(const Task& task, const RunTimes& times) { durations_.note(task, times); }

  // Time until all planned blocks are done, once a block has begun; absent when unknown
  // (--until-ci).
  std::optional<double> remaining_s(double elapsed_s) const;

  // Points that could run and have no run, in this session or before.
  std::vector<std::size_t> never_ran() const;
  bool out_of_time() const { return out_of_time_; }
  // Runs done in this session and before, and the same with the runs left, which grow with each
  // block that --until-ci or --burn-in adds.
  std::size_t runs_done() const { return done_.size(); }
  std::size_t runs_known() const;

  // Whether the last settled task completed its block.
  bool block_is_complete() const { return queue_.empty() && !retry_; }

  // Why the repetitions of each point that has runs ended, by group: "repetitions", all that were
  // planned; "until-ci" | "unconverged", --until-ci was reached, or not within the time; "time",
  // the time of --burn-in was used; "max-time", the time was over before all that were planned.
  // `unfinished` where runs are still due: "running", or "interrupted" when none will follow.
  std::map<std::string, std::string> stop_reasons(const std::string& unfinished = "running") const;
  // --until-ci was asked for and not reached.
  bool unconverged() const;

 private:
  std::optional<Task> next_task(double elapsed_s);
  void open_block(double elapsed_s);
  bool wants_block(double elapsed_s);
  bool was_done_before(int block_number) const;
  bool known_well_enough() const;
  std::string stop_reason(std::size_t point, int runs, const std::string& unfinished) const;
  std::optional<Task> next_trial();
  Task task_of(const PlannedRun& run) const;
  std::int64_t batch_of(std::size_t point) const;
  std::vector<Task> tasks_left() const;
  std::optional<TimeCut> fitting_cut(const Task& task, double left_s) const;
  bool ends_in_time(const Task& task, double left_s) const;
  void pass_over(const Task& task);

  const Plan& plan_;
  DurationModel durations_;
  std::set<std::string> done_;                        // ids
  std::map<std::size_t, int> ran_;                    // runs by point, whatever their status
  std::map<std::size_t, std::vector<double>> rates_;  // by point
  std::vector<BatchFinder> finders_;
  std::vector<std::optional<std::int64_t>> found_;  // by search
  std::vector<Task> queue_;                         // the rest of the current block, last first
  std::optional<Task> retry_;
  std::set<Ending> endings_;
  int next_block_ = 0;
  double block_began_s_ = 0, longest_block_s_ = 0;
  bool out_of_time_ = false, over_ = false;
};

}  // namespace scalemark::planning
