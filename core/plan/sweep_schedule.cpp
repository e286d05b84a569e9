#include "core/plan/sweep_schedule.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/catalogue/workload.h"
#include "core/plan/estimates.h"
#include "core/plan/order.h"

namespace scalemark::planning {
namespace {

constexpr int kThisSession = -1;  // earlier ones count from 0

constexpr int kMostFutileRepeats = 3;  // runs in a row

std::optional<std::size_t> point_that_runs(const Plan& plan, const std::string& group) {
  const auto found = std::ranges::find(plan.points, group, &PlannedPoint::group);
  if (found == plan.points.end() || found->skipped) return std::nullopt;
  return static_cast<std::size_t>(found - plan.points.begin());
}

// The length of a run whose window lasts at least so long; 0: as it is.
RunLength with_window(RunLength length, double window_s) {
  if (window_s <= 0) return length;
  length.iters.reset();
  length.most_window_s.reset();
  length.least_window_s = std::max(length.least_window_s, window_s / kWindowMargin);
  return length;
}

std::vector<BatchFinder> finders_of(const Plan& plan) {
  std::vector<BatchFinder> finders;
  for (const BatchSearch& search : plan.searches) {
    const auto& task = plan.points[search.point].settings.task;
    const auto* workload = catalogue::find_workload(task.workload);
    const catalogue::ModelShape shape{.image_size = task.image_size};
    finders.emplace_back(workload ? catalogue::least_batch(*workload, shape) : 1);
  }
  return finders;
}

}  // namespace

SweepSchedule::SweepSchedule(const Plan& plan, const std::vector<EarlierRun>& earlier)
    : plan_(plan),
      durations_(plan),
      tuner_(plan),
      finders_(finders_of(plan)),
      found_(plan.searches.size()) {
  if (block(plan, 0).empty()) throw bug("a plan without a run");
  for (const EarlierRun& run : earlier) {
    const auto point = point_that_runs(plan, run.group);
    if (!point || !done_.insert(run.id).second) continue;
    ++ran_[*point];
    if (run.samples_per_sec) {
      measured_.insert(*point);
      tuner_.add(*point, run.block, run.session, *run.samples_per_sec);
    }
    if (const auto search = plan.points[*point].batch_search; search && run.batch_size > 0) {
      found_[*search] = run.batch_size;
    }
  }
}

std::optional<Task> SweepSchedule::next(double elapsed_s) {
  if (over_) return std::nullopt;
  while (auto task = next_task(elapsed_s)) {
    if (!plan_.stop.deadline_s) return task;
    const double left_s = *plan_.stop.deadline_s - elapsed_s;
    if (task->kind == Task::Kind::kRun) task->cut = fitting_cut(*task, left_s);
    if (ends_in_time(*task, left_s)) return task;
    pass_over(*task);
    if (over_) break;
  }
  return std::nullopt;
}

// Leaves out a task that does not fit and continues with its block: a smaller point may fit.
void SweepSchedule::pass_over(const Task& task) {
  out_of_time_ = true;
  retry_.reset();
  if (task.kind == Task::Kind::kRun) queue_.pop_back();
  over_ = task.kind == Task::Kind::kTrial || queue_.empty();
}

std::optional<Task> SweepSchedule::next_task(double elapsed_s) {
  if (auto trial = next_trial()) return trial;
  if (retry_) return retry_;
  while (queue_.empty()) {
    if (next_block_ > 0) {
      longest_block_s_ = std::max(longest_block_s_, elapsed_s - block_began_s_);
    }
    if (!wants_block(elapsed_s)) {
      over_ = true;
      return std::nullopt;
    }
    open_block(elapsed_s);
  }
  return queue_.back();
}

std::optional<Task> SweepSchedule::next_trial() {
  for (std::size_t search = 0; search < finders_.size(); ++search) {
    if (found_[search]) continue;
    const auto batch = finders_[search].next();
    if (!batch) {
      // Not even the least batch fits: the point's own run says so, as a row.
      found_[search] = std::max(finders_[search].least(), finders_[search].largest());
      continue;
    }
    Task trial{.kind = Task::Kind::kTrial, .search = search, .batch_size = *batch};
    trial.run.point = plan_.searches[search].point;
    trial.run.id = plan_.searches[search].id + "/b" + std::to_string(*batch);
    return trial;
  }
  return std::nullopt;
}

// The first run begins whatever the estimate says, since its duration corrects the estimate.
bool SweepSchedule::ends_in_time(const Task& task, double left_s) const {
  return endings_.empty() || durations_.run_s(task, length_of(plan_, task)) <= left_s;
}

// Every remaining run gives up the same share of its time above the least.
std::optional<TimeCut> SweepSchedule::fitting_cut(const Task& task, double left_s) const {
  double planned_s = 0, least_s = 0;
  for (const Task& other : tasks_left()) {
    const PlannedPoint& point = plan_.points[other.run.point];
    planned_s += durations_.run_s(other, point.length);
    least_s += durations_.run_s(other, cut_short(point, {}));
  }
  if (planned_s <= left_s) return std::nullopt;
  const double share =
      least_s < planned_s ? std::clamp((left_s - least_s) / (planned_s - least_s), 0.0, 1.0) : 0;
  const RunLength& length = plan_.points[task.run.point].length;
  const double step_s = durations_.step_s(task);
  return TimeCut{.warmup_s = share * estimated_warmup_s(length, step_s),
                 .window_s = share * estimated_window_s(length, step_s)};
}

// Tasks left of the block that has begun and of the planned blocks, those of other ranks too.
std::vector<Task> SweepSchedule::tasks_left() const {
  std::vector<Task> left = queue_;
  if (tuned_) return left;
  for (int k = std::max(0, next_block_ - 1); k < plan_.stop.least_blocks; ++k) {
    for (const PlannedRun& run : runs_of(k)) {
      const bool queued = k < next_block_ && runs_here(run);
      if (!queued && !done_.contains(run.id)) left.push_back(task_of(run));
    }
  }
  return left;
}

// False: it runs in another environment than that of this process.
bool SweepSchedule::runs_here(const PlannedRun& run) const {
  return !plan_.launch || plan_.launch->environment == environment_of(plan_.points[run.point]);
}

std::optional<double> SweepSchedule::remaining_s(double elapsed_s) const {
  if (plan_.stop.fill_time) return std::max(0.0, *plan_.stop.max_time_s - elapsed_s);
  double sum = 0;
  for (const Task& task : tasks_left()) sum += durations_.run_s(task, length_of(plan_, task));
  if (plan_.stop.until_ci) {
    const auto ahead = outlook();
    if (!ahead || !ahead->repetitions) return std::nullopt;
    const int known = std::max(next_block_, plan_.stop.least_blocks);
    sum += std::max(0.0, static_cast<double>(*ahead->repetitions) - known) * block_s(0);
  }
  if (plan_.stop.max_time_s) sum = std::min(sum, *plan_.stop.max_time_s - elapsed_s);
  return std::max(0.0, sum);
}

std::vector<std::size_t> SweepSchedule::never_ran() const {
  std::vector<std::size_t> missing;
  for (const PlannedRun& run : block(plan_, 0)) missing.push_back(run.point);
  std::erase_if(missing, [&](std::size_t point) { return ran_.contains(point); });
  return missing;
}

bool SweepSchedule::wants_block(double elapsed_s) {
  const StopRule& stop = plan_.stop;
  if (out_of_time_) return false;
  tuned_ = tuner_.decided_before(next_block_);
  if (tuned_) return false;
  const bool has_least_blocks = next_block_ >= stop.least_blocks;
  if (has_least_blocks && !stop.fill_time && !wants_more_precision()) return false;
  const bool too_late = stop.max_time_s && elapsed_s + longest_block_s_ > *stop.max_time_s;
  if (too_late && next_block_ > 0 && !was_done_before(next_block_)) {
    out_of_time_ = !has_least_blocks || stop.until_ci.has_value();
    return false;
  }
  return true;
}

bool SweepSchedule::block_is_cut() const {
  return next_block_ > 0 && !block_is_complete() &&
         std::ranges::any_of(runs_of(next_block_ - 1),
                             [&](const PlannedRun& run) { return done_.contains(run.id); });
}

bool SweepSchedule::was_done_before(int block_number) const {
  return std::ranges::all_of(runs_of(block_number),
                             [&](const PlannedRun& run) { return done_.contains(run.id); });
}

bool SweepSchedule::is_known(std::size_t point) const {
  const auto known = precisions_.find(plan_.points[point].group);
  return known != precisions_.end() && is_reached(known->second, *plan_.stop.until_ci);
}

// With --fresh-process each block is a session: more blocks are more sessions.
bool SweepSchedule::has_several_sessions() const {
  return !plan_.sweep.fresh_process && std::ranges::any_of(precisions_, [](const auto& point) {
    return point.second.sessions > 1;
  });
}

// Points that never were measured do not keep the sweep going. Nor do runs of one session show how
// several differ: once the session has had its block, another one would change nothing.
bool SweepSchedule::wants_more_precision() {
  if (!plan_.stop.until_ci) return false;
  if (std::ranges::all_of(measured_, [&](std::size_t point) { return is_known(point); })) {
    return false;
  }
  sessions_rule_ = has_several_sessions() && blocks_of_session_ > 0;
  return !sessions_rule_;
}

double SweepSchedule::block_s(double window_s) const {
  double sum = 0;
  for (const PlannedRun& run : block(plan_, 0)) {
    if (!measured_.contains(run.point)) continue;
    const Task task = task_of(run);
    sum += durations_.run_s(task, with_window(length_of(plan_, task), window_s));
  }
  return sum;
}

std::optional<Outlook> SweepSchedule::outlook() const {
  if (!plan_.stop.until_ci || has_several_sessions()) return std::nullopt;
  return outlook_of(precisions_, *plan_.stop.until_ci,
                    [&](double window_s) { return block_s(window_s); });
}

void SweepSchedule::open_block(double elapsed_s) {
  block_began_s_ = elapsed_s;
  dropped_ = tuner_.dropped_before(next_block_);
  for (const PlannedRun& run : runs_of(next_block_++)) {
    if (!done_.contains(run.id) && runs_here(run)) queue_.push_back(task_of(run));
  }
  std::ranges::reverse(queue_);
  blocks_of_session_ += !queue_.empty();
}

// Leaves out the points of a block that --tune no longer needs.
std::vector<PlannedRun> SweepSchedule::runs_of(int block_number) const {
  std::vector<PlannedRun> runs = block(plan_, block_number);
  std::erase_if(runs, [&](const PlannedRun& run) { return dropped_.contains(run.point); });
  return runs;
}

Task SweepSchedule::task_of(const PlannedRun& run) const {
  return {.kind = Task::Kind::kRun, .run = run, .batch_size = batch_of(run.point)};
}

std::int64_t SweepSchedule::batch_of(std::size_t point) const {
  const auto search = plan_.points[point].batch_search;
  return search ? found_[*search].value() : 0;
}

void SweepSchedule::try_again(const Task& task) {
  retry_ = task;
  ++retry_->attempt;
}

// Leaves room to spare, so that the repetition costs no planned run its time.
bool SweepSchedule::has_time_to_repeat(const Task& task, double elapsed_s) const {
  constexpr double kRoom = 1.1, kRoom_s = 1;
  const auto within = [&](double needed_s, const std::optional<double>& limit_s) {
    return !limit_s || elapsed_s + kRoom * needed_s + kRoom_s < *limit_s;
  };
  double planned_s = 0;  // the tasks that are left begin with this one
  for (const Task& other : tasks_left())
    planned_s += durations_.run_s(other, length_of(plan_, other));
  return within(planned_s, plan_.stop.deadline_s) &&
         within(durations_.run_s(task, length_of(plan_, task)), plan_.stop.max_time_s);
}

bool SweepSchedule::repeats_disturbed_run(const Task& task, double elapsed_s) {
  const bool again = task.kind == Task::Kind::kRun && task.attempt < plan_.sweep.retries &&
                     futile_repeats_ < kMostFutileRepeats && has_time_to_repeat(task, elapsed_s);
  if (again) {
    try_again(task);
    return true;
  }
  disturbed_ = task.run.id;
  if (task.attempt > 0) ++futile_repeats_;
  return false;
}
bool SweepSchedule::record_outcome(const Task& task, Ending ending,
                                   std::optional<double> samples_per_sec) {
  if (task.kind == Task::Kind::kTrial) {
    finders_[task.search].tried(ending == Ending::kOk);
    return true;
  }
  if (queue_.empty() || queue_.back().run.id != task.run.id)
    throw bug("record_outcome() was called for a task that next() did not return");
  retry_.reset();
  if (ending == Ending::kFailed && task.attempt < plan_.sweep.retries) {
    try_again(task);
    return false;
  }
  if (ending == Ending::kOk && disturbed_ != task.run.id) futile_repeats_ = 0;
  queue_.pop_back();
  done_.insert(task.run.id);
  ++ran_[task.run.point];
  endings_.insert(ending);
  if (ending == Ending::kOk) {
    measured_.insert(task.run.point);
    if (samples_per_sec) tuner_.add(task.run.point, task.run.block, kThisSession, *samples_per_sec);
  }
  return true;
}

std::size_t SweepSchedule::runs_known() const {
  if (over_ && tuned_) return done_.size();
  const auto left = static_cast<std::size_t>(std::max(0, plan_.stop.least_blocks - next_block_));
  if (!dropped_.empty()) return done_.size() + queue_.size() + left * runs_of(next_block_).size();
  const auto blocks = static_cast<std::size_t>(std::max(next_block_, plan_.stop.least_blocks));
  return std::max(done_.size(), blocks * block(plan_, 0).size());
}

std::map<std::string, std::string> SweepSchedule::stop_reasons(
    const std::string& unfinished) const {
  std::map<std::string, std::string> reasons;
  for (const auto& [point, runs] : ran_) {
    reasons[plan_.points[point].group] = stop_reason(point, runs, unfinished);
  }
  return reasons;
}

std::string SweepSchedule::stop_reason(std::size_t point, int runs,
                                       const std::string& unfinished) const {
  const StopRule& stop = plan_.stop;
  const bool enough = runs >= stop.least_blocks;
  if (dropped_.contains(point) && !enough) return "dropped";
  if (over_ && tuned_ && !enough) return "tuned";
  const bool until_sure = stop.until_ci && measured_.contains(point);
  if (!over_ && (!enough || stop.fill_time || until_sure)) return unfinished;
  if (stop.fill_time) return "time";
  if (until_sure) return is_known(point) ? "until-ci" : "unconverged";
  return enough ? "repetitions" : "max-time";
}

std::string SweepSchedule::why_unconverged() const {
  if (!plan_.stop.until_ci || !(out_of_time_ || sessions_rule_)) return {};
  if (!sessions_rule_) {
    const auto ahead = outlook();
    return "--until-ci was not reached within --max-time" + (ahead ? ": " + to_text(*ahead) : "");
  }
  const bool two = std::ranges::all_of(
      precisions_, [](const auto& point) { return point.second.sessions <= 2; });
  return two ? "runs of two sessions give no interval of throughput, however many they are; "
               "--resume begins a third session"
             : "--until-ci was not reached, and more runs of this session do not tell how sessions "
               "differ; --resume begins another one";
}

}  // namespace scalemark::planning
