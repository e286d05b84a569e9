#include "engine/step/measurement/bucket_timer.h"

#include <gtest/gtest.h>

#include <memory>

namespace scalemark::measurement {
namespace {

// Each moment is one second after the one before.
class Counting final : public device::Timeline {
 public:
  void reserve(std::size_t) override { count_ = 0; }
  void record() override { ++count_; }
  std::vector<double> seconds() const override {
    std::vector<double> all;
    for (int i = 0; i < count_; ++i) all.push_back(i);
    return all;
  }

 private:
  int count_ = 0;
};

class CountingDevice final : public device::Device {
 public:
  c10::Device torch_device() const override { return c10::kCPU; }
  std::string name() const override { return "cpu"; }
  std::string identity() const override { return ""; }
  std::string arithmetic() const override { return ""; }
  void synchronize() override {}
  std::unique_ptr<device::Graph> new_graph() override { return nullptr; }
  std::unique_ptr<device::Timeline> new_timeline() override { return std::make_unique<Counting>(); }
  void reset_memory_peak() override {}
  std::uint64_t memory_peak_bytes() override { return 0; }
  std::optional<std::uint64_t> memory_reserved_bytes() override { return {}; }
  void limit_memory(std::optional<std::uint64_t>) override {}
  void release_cached_memory() override {}
  data::HostAllocator batch_allocator(bool) override { return {}; }
  std::unique_ptr<device::OuterProfiler> outer_profiler() override { return nullptr; }
};

using enum Moment;

// Two buckets that leave at once; the first is done before the last is ready, or later.
void overlapped_step(BucketTimer& timer, bool first_is_quick) {
  timer.mark(kStepBegin);                                    // 0
  const std::size_t first = timer.ready(100, "all_reduce");  // 1
  timer.sent(first);                                         // 2
  if (first_is_quick) timer.done(first);                     // 3, or not
  timer.mark(kLastBucketReady);                              // 4 or 3
  const std::size_t last = timer.ready(40, "all_reduce");    // 5 or 4
  timer.sent(last);                                          // 6 or 5
  if (!first_is_quick) timer.done(first);                    // 6
  timer.done(last);                                          // 7
  timer.mark(kStepEnd);
}

TEST(BucketTimer, ReportsWhatBackwardHid) {
  CountingDevice device;
  BucketTimer quick(device, 1, 2);
  overlapped_step(quick, true);
  const auto buckets = quick.steps().at(0).buckets;
  ASSERT_EQ(buckets.size(), 2u);
  EXPECT_EQ(buckets[0].bytes, 100);
  EXPECT_EQ(buckets[0].collective, "all_reduce");
  EXPECT_EQ(buckets[0].ready_s, 1);
  EXPECT_EQ(buckets[0].start_s, 2);
  EXPECT_EQ(buckets[0].end_s, 3);
  EXPECT_EQ(buckets[0].hidden_share, 1);
  EXPECT_EQ(buckets[1].ready_s, 5);
  EXPECT_EQ(buckets[1].end_s, 7);
  EXPECT_EQ(buckets[1].hidden_share, 0) << "nothing is computed after the last bucket";

  BucketTimer slow(device, 1, 2);
  overlapped_step(slow, false);
  // The exchange lasts from 2 to 6, the last bucket being ready at 3.
  EXPECT_DOUBLE_EQ(slow.steps().at(0).buckets.at(0).hidden_share, 0.25);
}

TEST(BucketTimer, AStepBeginsOnceWhateverItsMicroSteps) {
  CountingDevice device;
  BucketTimer timer(device, 2, 1);
  for (int step = 0; step < 2; ++step) {
    timer.mark(kStepBegin);
    timer.mark(kStepBegin);
    timer.mark(kLastBucketReady);
    const std::size_t bucket = timer.ready(8, "gather");
    timer.sent(bucket);
    timer.done(bucket);
    timer.mark(kStepEnd);
  }
  const auto steps = timer.steps();
  ASSERT_EQ(steps.size(), 2u);
  EXPECT_EQ(steps[1].buckets.at(0).ready_s, steps[0].buckets.at(0).ready_s);
}

TEST(BucketTimer, MediansAreOfEachBucketAndOfEqualStepsOnly) {
  const auto step = [](double end, double bytes) {
    return BucketStep{{{.bytes = bytes, .collective = "gather", .start_s = 1, .end_s = end}}};
  };
  EXPECT_EQ(median_of({step(5, 8), step(2, 8), step(3, 8)}).at(0).end_s, 3);
  EXPECT_TRUE(median_of({step(5, 8), step(2, 9)}).empty());
  EXPECT_TRUE(median_of({}).empty());
}

}  // namespace
}  // namespace scalemark::measurement
