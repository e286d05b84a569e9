#include "core/planning/sweep_schedule.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/planning/estimates.h"
#include "core/statistics/stop_rule.h"

namespace scalemark::planning {
namespace {

std::optional<std::size_t> point_that_runs(const Plan& plan, const std::string& group) {
  const auto found = std::ranges::find(plan.points, group, &PlannedPoint::group);
  if (found == plan.points.end() || found->skipped) return std::nullopt;
  return static_cast<std::size_t>(found - plan.points.begin());
}

}  // namespace

SweepSchedule::SweepSchedule(const Plan& plan, const std::vector<EarlierRun>& earlier)
    : plan_(plan), durations_(plan), finders_(plan.searches.size()), found_(plan.searches.size()) {
  if (block(plan, 0).empty()) throw bug("a plan without a run");
  for (const EarlierRun& run : earlier) {
    const auto point = point_that_runs(plan, run.group);
    if (!point || !done_.insert(run.id).second) continue;
    ++ran_[*point];
    if (run.samples_per_sec) rates_[*point].push_back(*run.samples_per_sec);
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

// Leaves out a task that does not fit and goes on with its block: a smaller point may fit.
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
      // Not even one sample fits: the point's own run says so, as a row.
      found_[search] = std::max<std::int64_t>(1, finders_[search].largest());
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

// Tasks left of the block that has begun and of the planned blocks.
std::vector<Task> SweepSchedule::tasks_left() const {
  std::vector<Task> left = queue_;
  for (int k = next_block_; k < plan_.stop.least_blocks; ++k) {
    for (const PlannedRun& run : block(plan_, k)) {
      if (!done_.contains(run.id)) left.push_back(task_of(run));
    }
  }
  return left;
}

std::optional<double> SweepSchedule::remaining_s(double elapsed_s) const {
  if (plan_.stop.fill_time) return std::max(0.0, *plan_.stop.max_time_s - elapsed_s);
  if (plan_.stop.until_ci) return std::nullopt;
  double sum = 0;
  for (const Task& task : tasks_left()) sum += durations_.run_s(task, length_of(plan_, task));
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
  const bool bought = next_block_ >= stop.least_blocks;
  if (bought && !stop.fill_time && (!stop.until_ci || known_well_enough())) return false;
  const bool too_late = stop.max_time_s && elapsed_s + longest_block_s_ > *stop.max_time_s;
  if (too_late && next_block_ > 0 && !was_done_before(next_block_)) {
    out_of_time_ = !bought || stop.until_ci.has_value();
    return false;
  }
  return true;
}

bool SweepSchedule::was_done_before(int block_number) const {
  return std::ranges::all_of(block(plan_, block_number),
                             [&](const PlannedRun& run) { return done_.contains(run.id); });
}

bool SweepSchedule::known_well_enough() const {
  std::vector<std::vector<double>> rates;
  for (const auto& [point, values] : rates_) rates.push_back(values);
  return statistics::all_known_well_enough(rates, *plan_.stop.until_ci);
}

void SweepSchedule::open_block(double elapsed_s) {
  block_began_s_ = elapsed_s;
  const auto runs = block(plan_, next_block_++);
  for (const PlannedRun& run : runs) {
    if (!done_.contains(run.id)) queue_.push_back(task_of(run));
  }
  std::ranges::reverse(queue_);
}

Task SweepSchedule::task_of(const PlannedRun& run) const {
  return {.kind = Task::Kind::kRun, .run = run, .batch_size = batch_of(run.point)};
}

std::int64_t SweepSchedule::batch_of(std::size_t point) const {
  const auto search = plan_.points[point].batch_search;
  return search ? found_[*search].value() : 0;
}

bool SweepSchedule::record_outcome(const Task& task, Ending ending,
                                   std::optional<double> samples_per_sec) {
  if (task.kind == Task::Kind::kTrial) {
    finders_[task.search].tried(ending == Ending::kOk);
    return true;
  }
  if (queue_.empty() || queue_.back().run.id != task.run.id) throw bug("settled a task not given");
  retry_.reset();
  if (ending == Ending::kFailed && task.attempt < plan_.sweep.retries) {
    retry_ = task;
    ++retry_->attempt;
    return false;
  }
  queue_.pop_back();
  done_.insert(task.run.id);
  ++ran_[task.run.point];
  endings_.insert(ending);
  if (ending == Ending::kOk && samples_per_sec) rates_[task.run.point].push_back(*samples_per_sec);
  return true;
}

std::size_t SweepSchedule::runs_known() const {
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
  const auto rates = rates_.find(point);
  const bool until_sure = stop.until_ci && rates != rates_.end();
  if (!over_ && (!enough || stop.fill_time || until_sure)) return unfinished;
  if (stop.fill_time) return "time";
  if (until_sure) {
    return statistics::known_well_enough(rates->second, *stop.until_ci) ? "until-ci"
                                                                        : "unconverged";
  }
  return enough ? "repetitions" : "max-time";
}

bool SweepSchedule::unconverged() const { return out_of_time_ && plan_.stop.until_ci.has_value(); }

}  // namespace scalemark::planning
