// The schedule decides what a sweep does next: trials of a batch search, then runs block by block,
// retries, and when it has measured enough. Pure: time arrives as a number, results through
// record_outcome(). Rank 0 holds one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/plan/enough.h"
#include "core/plan/plan.h"
#include "core/plan/task.h"

namespace scalemark::planning {

// A run that an earlier session has finished, whatever its status.
struct EarlierRun {
  std::string id, group;
  std::optional<double> samples_per_sec;  // only a run that is ok has one
  std::int64_t batch_size = 0;            // the size that ran, which answers a batch search
  int block = 0, session = 0;
};

enum class Ending { kOk, kOom, kFailed };

class SweepSchedule {
 public:
  // Throws bug() for a plan without a point that can run. Earlier runs of points that this plan
  // does not run (--resume-anyway with fewer points) are ignored. `plan` must outlive the schedule.
  SweepSchedule(const Plan& plan, const std::vector<EarlierRun>& earlier);

  // Returns nullopt when the sweep is over. `elapsed_s`: since this session began. Where there is a
  // deadline, the task is cut to its part of what is left.
  std::optional<Task> next(double elapsed_s);

  // Records how the task from next() ended, and the rate of a run that is ok, which --tune needs.
  // True when that is final; false: next() returns it again.
  bool record_outcome(const Task& task, Ending ending, std::optional<double> samples_per_sec = {});

  // How well each point is known after the last block, for --until-ci. Call it before next()
  // opens another one, and when a session begins with runs of an earlier one.
  void note_precision(Precisions points) { precisions_ = std::move(points); }
  // Returns what --until-ci still needs; absent when it was not asked for or is reached, and where
  // runs come from several sessions: more runs say nothing of how those differ.
  std::optional<Outlook> outlook() const;

  // Whether a run that is ok, but whose window something disturbed, is measured again, as far as
  // --retries and the time allow; next() then returns it. After three repeated runs in a row that
  // were disturbed as well none is repeated until one is not disturbed: what is always there does
  // not go away. False: the measurement counts, and is recorded.
  bool repeats_disturbed_run(const Task& task, double elapsed_s);

  // Records how long a run took that ended ok: later durations are predicted from it.
  void record_duration(const Task& task, const RunTimes& times) { durations_.note(task, times); }

  // Time until all planned blocks are done, once a block has begun, or those that --until-ci still
  // needs by its outlook; absent when unknown.
  std::optional<double> remaining_s(double elapsed_s) const;

  // Points that could run and have no run, in this session or before.
  std::vector<std::size_t> never_ran() const;
  bool out_of_time() const { return out_of_time_; }
  // Runs done in this session and before, and the same with the runs left, which grow with each
  // block that --until-ci or --burn-in adds.
  std::size_t runs_done() const { return done_.size(); }
  std::size_t runs_known() const;

  // Whether the last recorded task completed its block.
  bool block_is_complete() const { return queue_.empty() && !retry_; }
  // Whether the block that has begun has runs that are done and others that are not.
  bool block_is_cut() const;

  // Why the repetitions of each point that has runs ended, by group: "repetitions", all that were
  // planned; "until-ci" | "unconverged", --until-ci was reached, or not within the time; "time",
  // the time of --burn-in was used; "max-time", the time was over before all that were planned;
  // "dropped", --tune needs no more of a value that is slower; "tuned", it has its answer.
  // `unfinished` where runs are still due: "running", or "interrupted" when none will follow.
  std::map<std::string, std::string> stop_reasons(const std::string& unfinished = "running") const;
  // Why --until-ci ends without being reached, for a person; empty when it does not.
  std::string why_unconverged() const;

 private:
  std::optional<Task> next_task(double elapsed_s);
  void open_block(double elapsed_s);
  bool wants_block(double elapsed_s);
  bool was_done_before(int block_number) const;
  bool runs_here(const PlannedRun& run) const;
  std::vector<PlannedRun> runs_of(int block_number) const;
  bool is_known(std::size_t point) const;
  bool has_several_sessions() const;
  bool wants_more_precision();
  double block_s(double window_s) const;
  std::string stop_reason(std::size_t point, int runs, const std::string& unfinished) const;
  std::optional<Task> next_trial();
  Task task_of(const PlannedRun& run) const;
  std::int64_t batch_of(std::size_t point) const;
  std::vector<Task> tasks_left() const;
  std::optional<TimeCut> fitting_cut(const Task& task, double left_s) const;
  bool ends_in_time(const Task& task, double left_s) const;
  void pass_over(const Task& task);
  void try_again(const Task& task);
  bool has_time_to_repeat(const Task& task, double elapsed_s) const;

  const Plan& plan_;
  DurationModel durations_;
  Tuner tuner_;
  std::set<std::string> done_;      // ids
  std::map<std::size_t, int> ran_;  // runs by point, whatever their status
  std::set<std::size_t> measured_;  // points with a run that is ok
  Precisions precisions_;
  std::vector<BatchFinder> finders_;
  std::vector<std::optional<std::int64_t>> found_;  // by search
  std::vector<Task> queue_;                         // the rest of the current block, last first
  std::optional<Task> retry_;
  std::string disturbed_;   // id of the last run that stayed disturbed
  int futile_repeats_ = 0;  // runs in a row
  std::set<Ending> endings_;
  std::set<std::size_t> dropped_;  // points that --tune needs no more
  int next_block_ = 0;
  double block_began_s_ = 0, longest_block_s_ = 0;
  int blocks_of_session_ = 0;  // counts blocks that had something to run
  bool out_of_time_ = false, sessions_rule_ = false, over_ = false, tuned_ = false;
};

}  // namespace scalemark::planning
