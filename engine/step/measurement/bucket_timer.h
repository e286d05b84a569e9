// Times of steps outside windows, where no phases are wanted: of whole steps, or of each gradient
// bucket.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/device/device.h"
#include "engine/step/measurement/step_timer.h"
#include "report/record/records.h"

namespace scalemark::measurement {

// Records one moment per step, or per group of steps, on the device's timeline. Knows nothing of
// the use of these times.
class StepClock final : public StepMarker {
 public:
  // Times the next `steps` steps, and marks the first of every `steps_per_mark`.
  StepClock(device::Device& device, std::int64_t steps, std::int64_t steps_per_mark);

  void mark(Moment moment) override;

  // Returns the mean seconds per step of each whole group, in order; call it after mark(kWindowEnd)
  // and a synchronise of the device.
  std::vector<double> step_s() const;

 private:
  std::unique_ptr<device::Timeline> timeline_;
  std::int64_t steps_per_mark_;
  std::int64_t begun_ = 0;       // steps
  bool in_micro_steps_ = false;  // the next kStepBegin is a micro-step's
};

// The observations of one step.
struct BucketStep {
  std::vector<reporting::BucketRecord> buckets;
};

// Returns the medians over the steps. Empty where steps differ in their buckets.
std::vector<reporting::BucketRecord> median_of(const std::vector<BucketStep>& steps);

// Records when each gradient bucket of a step was ready, sent and done, beside the step's own
// moments. It is marker and observer of buckets at once, for a few steps that are not measured
// otherwise.
class BucketTimer final : public StepMarker, public BucketObserver {
 public:
  // Takes at most `steps` steps with at most `buckets` buckets each.
  BucketTimer(device::Device& device, std::int64_t steps, std::size_t buckets);

  void mark(Moment moment) override;
  std::size_t ready(std::int64_t bytes, std::string_view collective) override;
  void sent(std::size_t number) override;
  void done(std::size_t number) override;

  // Waits at most 10 s for buckets whose end was not reported yet (a collective's waiters may be
  // woken before that); steps with such buckets are left out. The device must have been
  // synchronised.
  std::vector<BucketStep> steps();

 private:
  static constexpr std::size_t kUnknown = static_cast<std::size_t>(-1);
  struct Bucket {
    std::int64_t bytes = 0;
    std::string collective;
    std::size_t ready = kUnknown, start = kUnknown, end = kUnknown;  // places on the timeline
  };
  struct Step {
    std::size_t begin = kUnknown, last_ready = kUnknown;
    std::size_t first_bucket = 0;  // index of the step's first bucket in buckets_
  };

  std::size_t place();
  bool complete(std::size_t step) const;
  std::span<const Bucket> buckets_of(std::size_t step) const;
  BucketStep times_of(std::size_t step, const std::vector<double>& seconds) const;

  std::mutex mutex_;
  std::condition_variable done_;
  std::unique_ptr<device::Timeline> timeline_;
  std::size_t places_ = 0;
  std::vector<Step> steps_;
  std::vector<Bucket> buckets_;
  bool in_step_ = false;
};

}  // namespace scalemark::measurement
