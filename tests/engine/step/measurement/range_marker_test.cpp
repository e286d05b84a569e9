#include "engine/step/measurement/range_marker.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace scalemark::measurement {
namespace {

using enum Moment;

// Writes the ranges that a profiler would show as text: "step 7(data() forward())".
struct Written final : device::Ranges {
  std::string text;
  void begin_step(std::int64_t step) override { open("step " + std::to_string(step)); }
  void begin(const char* name) override { open(name); }
  void end() override { text += ')'; }

 private:
  void open(const std::string& name) {
    if (!text.empty() && text.back() != '(') text += ' ';
    text += name + '(';
  }
};

struct Kept final : StepMarker {
  std::vector<Moment> moments;
  std::string buckets;
  void mark(Moment moment) override { moments.push_back(moment); }
  void bucket_leaves(std::size_t i) override { buckets += '<' + std::to_string(i); }
  void bucket_has_left() override { buckets += '>'; }
};

void run_micro_step(StepMarker& marker, std::size_t buckets) {
  for (const Moment moment : {kStepBegin, kBatchReady, kOnDevice, kForwardBegin, kForwardEnd}) {
    marker.mark(moment);
  }
  for (std::size_t i = 0; i < buckets; ++i) {
    if (i + 1 == buckets) marker.mark(kLastBucketReady);
    const BucketLeaving leaving(marker, i);
  }
  marker.mark(kBackwardEnd);
}

TEST(RangeMarker, OneRangePerPhaseWithinItsStep) {
  Written written;
  Kept kept;
  RangeMarker marker(kept, written, 1, 7);
  run_micro_step(marker, 2);
  marker.mark(kStepEnd);
  run_micro_step(marker, 0);
  marker.mark(kUpdateEnd);
  marker.mark(kStepEnd);
  marker.mark(kWindowEnd);
  EXPECT_EQ(written.text,
            "step 7(data() buffers() forward() backward(bucket 0() bucket 1()) optimizer()) "
            "step 8(data() buffers() forward() backward() optimizer() parameters())");
}

TEST(RangeMarker, AnAccumulatedStepIsOneStepWithOneUpdate) {
  Written written;
  Kept kept;
  RangeMarker marker(kept, written, 2, 0);
  run_micro_step(marker, 0);
  run_micro_step(marker, 1);
  marker.mark(kStepEnd);
  EXPECT_EQ(written.text,
            "step 0(data() buffers() forward() backward() "
            "data() buffers() forward() backward(bucket 0()) optimizer())");
}

TEST(RangeMarker, PassesOnWhatItHears) {
  Written written;
  Kept kept, alone;
  RangeMarker marker(kept, written, 1, 0);
  for (StepMarker* heard : {static_cast<StepMarker*>(&marker), static_cast<StepMarker*>(&alone)}) {
    run_micro_step(*heard, 3);
    heard->mark(kStepEnd);
    heard->mark(kWindowEnd);
  }
  EXPECT_EQ(kept.moments, alone.moments);
  EXPECT_EQ(kept.buckets, "<0><1><2>");
}

TEST(RangeMarker, AStepThatRunsAsAWholeIsOneRange) {
  Written written;
  Kept kept;
  RangeMarker marker(kept, written, 0, 7);
  for (const Moment moment : {kStepBegin, kStepBegin, kWindowEnd}) marker.mark(moment);
  EXPECT_EQ(written.text, "step 7() step 8()");
  EXPECT_EQ(kept.moments.size(), 3U);
}

}  // namespace
}  // namespace scalemark::measurement
