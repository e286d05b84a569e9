#include "engine/step/measurement/bucket_timer.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "core/statistics/summary.h"

namespace scalemark::measurement {

StepClock::StepClock(device::Device& device, std::int64_t steps, std::int64_t steps_per_mark)
    : timeline_(device.new_timeline()), steps_per_mark_(steps_per_mark) {
  timeline_->reserve(static_cast<std::size_t>(steps / steps_per_mark + 2));
}

void StepClock::mark(Moment moment) {
  const bool is_begin = moment == Moment::kStepBegin && !in_micro_steps_;
  const bool is_end = moment == Moment::kWindowEnd;
  if ((is_begin || is_end) && begun_ % steps_per_mark_ == 0) timeline_->record();
  if (is_begin) ++begun_;
  in_micro_steps_ = moment == Moment::kBackwardEnd;
}

std::vector<double> StepClock::step_s() const {
  const auto moments = timeline_->seconds();
  std::vector<double> steps;
  for (std::size_t i = 1; i < moments.size(); ++i) {
    steps.push_back((moments[i] - moments[i - 1]) / static_cast<double>(steps_per_mark_));
  }
  return steps;
}

namespace {

using reporting::BucketRecord;

constexpr std::chrono::seconds kLongestWait{10};

double median_over(const std::vector<BucketStep>& steps, std::size_t bucket,
                   double BucketRecord::*value) {
  std::vector<double> values;
  for (const BucketStep& step : steps) values.push_back(step.buckets[bucket].*value);
  return statistics::median(values);
}

bool same_buckets(const BucketStep& a, const BucketStep& b) {
  return std::ranges::equal(a.buckets, b.buckets, [](const auto& x, const auto& y) {
    return x.bytes == y.bytes && x.collective == y.collective;
  });
}

}  // namespace

std::vector<BucketRecord> median_of(const std::vector<BucketStep>& steps) {
  if (steps.empty()) return {};
  for (const BucketStep& step : steps) {
    if (!same_buckets(step, steps.front())) return {};
  }
  std::vector<BucketRecord> course = steps.front().buckets;
  for (std::size_t b = 0; b < course.size(); ++b) {
    for (const auto value : {&BucketRecord::ready_s, &BucketRecord::start_s, &BucketRecord::end_s,
                             &BucketRecord::hidden_share}) {
      course[b].*value = median_over(steps, b, value);
    }
  }
  return course;
}

BucketTimer::BucketTimer(device::Device& device, std::int64_t steps, std::size_t buckets)
    : timeline_(device.new_timeline()) {
  timeline_->reserve(static_cast<std::size_t>(steps) * (3 * buckets + 2));
  steps_.reserve(static_cast<std::size_t>(steps));
}

std::size_t BucketTimer::place() {
  timeline_->record();
  return places_++;
}

void BucketTimer::mark(Moment moment) {
  const std::lock_guard lock(mutex_);
  if (moment == Moment::kStepBegin && !std::exchange(in_step_, true)) {
    steps_.push_back({.begin = place(), .first_bucket = buckets_.size()});
  }
  if (moment == Moment::kLastBucketReady) steps_.back().last_ready = place();
  if (moment == Moment::kStepEnd) in_step_ = false;
}

std::size_t BucketTimer::ready(std::int64_t bytes, std::string_view collective) {
  const std::lock_guard lock(mutex_);
  buckets_.push_back({.bytes = bytes, .collective = std::string(collective), .ready = place()});
  return buckets_.size() - 1;
}

void BucketTimer::sent(std::size_t number) {
  const std::lock_guard lock(mutex_);
  buckets_.at(number).start = place();
}

void BucketTimer::done(std::size_t number) {
  const std::lock_guard lock(mutex_);
  buckets_.at(number).end = place();
  done_.notify_all();
}

std::span<const BucketTimer::Bucket> BucketTimer::buckets_of(std::size_t step) const {
  const std::size_t end =
      step + 1 < steps_.size() ? steps_[step + 1].first_bucket : buckets_.size();
  return std::span(buckets_).subspan(steps_[step].first_bucket, end - steps_[step].first_bucket);
}

bool BucketTimer::complete(std::size_t step) const {
  return steps_[step].last_ready != kUnknown &&
         std::ranges::all_of(buckets_of(step), [](const Bucket& bucket) {
           return bucket.start != kUnknown && bucket.end != kUnknown;
         });
}

BucketStep BucketTimer::times_of(std::size_t step, const std::vector<double>& seconds) const {
  BucketStep result;
  const double begin = seconds[steps_[step].begin], last_ready = seconds[steps_[step].last_ready];
  for (const Bucket& bucket : buckets_of(step)) {
    const double start = seconds[bucket.start], end = seconds[bucket.end];
    const double hidden = std::clamp(last_ready, start, std::max(start, end)) - start;
    result.buckets.push_back({.bytes = static_cast<double>(bucket.bytes),
                              .collective = bucket.collective,
                              .ready_s = seconds[bucket.ready] - begin,
                              .start_s = start - begin,
                              .end_s = end - begin,
                              .hidden_share = end > start ? hidden / (end - start) : 1});
  }
  return result;
}

std::vector<BucketStep> BucketTimer::steps() {
  std::unique_lock lock(mutex_);
  done_.wait_for(lock, kLongestWait, [this] {
    return std::ranges::all_of(buckets_,
                               [](const Bucket& bucket) { return bucket.end != kUnknown; });
  });
  std::vector<BucketStep> result;
  if (places_ == 0) return result;
  const std::vector<double> seconds = timeline_->seconds();
  for (std::size_t step = 0; step < steps_.size(); ++step) {
    if (complete(step)) result.push_back(times_of(step, seconds));
  }
  return result;
}

}  // namespace scalemark::measurement
