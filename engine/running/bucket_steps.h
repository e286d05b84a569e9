// A few steps after the window in which every gradient bucket is timed. They are kept apart from
// it, so that what is measured there carries no observer.
#pragma once

#include <cstddef>
#include <vector>

#include "engine/measurement/bucket_timer.h"
#include "engine/running/window.h"

namespace scalemark::running {

struct BucketCourse {
  std::vector<reporting::BucketRecord> buckets;  // medians; empty without any
  bool stopped = false;                          // an agreed stop came in between
};

// Collective. `most_buckets`: of a step.
BucketCourse time_buckets(const StepContext& context, std::size_t most_buckets);

}  // namespace scalemark::running
