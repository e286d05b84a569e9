#include "engine/running/bucket_steps.h"

#include <memory>

#include "core/planning/estimates.h"

namespace scalemark::running {

BucketCourse time_buckets(const StepContext& context, std::size_t most_buckets) {
  if (context.step.strategy().communication().bucket_bytes.empty()) return {};
  const auto timer = std::make_shared<measurement::BucketTimer>(
      context.device, planning::kBucketSteps, most_buckets);
  context.watch.begin("buckets", planning::kBucketSteps, context.micro_steps);
  context.watch.count(context.step);
  context.device.synchronize();
  context.control.barrier();
  context.step.strategy().observe_buckets(timer);
  BucketCourse course;
  for (std::int64_t i = 0; i < planning::kBucketSteps && !course.stopped; ++i) {
    course.stopped = !run_watched(context, *timer);
  }
  context.step.strategy().observe_buckets(nullptr);
  context.device.synchronize();
  if (!course.stopped) course.buckets = median_of(timer->steps());
  return course;
}

}  // namespace scalemark::running
