#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "core/machine/process_reading.h"
#include "core/machine/telemetry/sampler.h"

namespace scalemark::monitoring {
namespace {

using std::chrono::milliseconds;

SourceName gauge() { return {.source = "clock", .device = "d"}; }
SourceName counter() { return {.source = "bytes", .device = "d", .kind = SourceKind::kCounter}; }

TEST(Readings, OfAGaugeAreItsValues) {
  Readings readings(gauge());
  EXPECT_FALSE(readings.summary());
  readings.begin_stretch();
  for (const auto& [at, value] : {std::pair{0.0, 4.0}, {1.0, 1.0}, {2.0, 7.0}}) {
    readings.add(at, value);
  }
  readings.add(3, std::nullopt);  // could not be read
  const auto summary = readings.summary().value();
  EXPECT_EQ(summary.n, 3);
  EXPECT_EQ(summary.mean, 4);
  EXPECT_EQ(summary.min, 1);
  EXPECT_EQ(summary.max, 7);
  EXPECT_EQ(summary.first, 4);
  EXPECT_EQ(summary.last, 7);
  EXPECT_FALSE(summary.total);
  EXPECT_EQ(summary.observed_s, 2);
}

// The mean is over the time, not over the intervals.
TEST(Readings, OfACounterAreItsGrowthPerSecond) {
  Readings readings(counter());
  readings.begin_stretch();
  readings.add(10, 1000);
  EXPECT_FALSE(readings.summary());
  readings.add(11, 1100);
  readings.add(14, 1100);
  const auto summary = readings.summary().value();
  EXPECT_EQ(summary.n, 2);
  EXPECT_EQ(summary.total, 100);
  EXPECT_EQ(summary.observed_s, 4);
  EXPECT_EQ(summary.mean, 25);
  EXPECT_EQ(summary.max, 100);
  EXPECT_EQ(summary.min, 0);
}

TEST(Readings, CountNothingBetweenStretchesAndOnlyGrowth) {
  Readings readings(counter());
  readings.begin_stretch();
  readings.add(0, 0);
  readings.add(1, 10);
  readings.begin_stretch();  // an evaluation lies between
  readings.add(100, 5000);
  readings.add(101, 5030);
  readings.add(102, 7);  // reset
  readings.add(103, 27);
  EXPECT_EQ(readings.summary()->total, 60);
  EXPECT_EQ(readings.summary()->observed_s, 3);
}

// A tick of 10 ms in an interval of 2 ms is no load of 5 CPUs.
TEST(Readings, AShortLastIntervalIsNoBurst) {
  Readings readings(counter(), /*least_interval_s=*/0.05);
  readings.begin_stretch();
  readings.add(0, 0);
  readings.add(0.1, 0.1);
  readings.add(0.102, 0.11);
  EXPECT_EQ(readings.summary()->n, 1);
  EXPECT_DOUBLE_EQ(readings.summary()->max, 1);
  EXPECT_DOUBLE_EQ(readings.summary()->total.value(), 0.11);
}

// Counts how often it is read, and uses CPU time for each reading.
class Costly final : public Probe {
 public:
  Costly(std::atomic<int>& reads, double cpu_s, bool only_at_ends = false)
      : Probe({gauge()}), reads_(reads), cpu_s_(cpu_s), only_at_ends_(only_at_ends) {}
  void read(std::span<std::optional<double>> values) override {
    const double begun_s = thread_cpu_s();
    while (thread_cpu_s() - begun_s < cpu_s_) {
    }
    values[0] = ++reads_;
  }
  bool only_at_ends() const override { return only_at_ends_; }

 private:
  std::atomic<int>& reads_;
  double cpu_s_;
  bool only_at_ends_;
};

std::vector<std::unique_ptr<Probe>> one(std::unique_ptr<Probe> probe) {
  std::vector<std::unique_ptr<Probe>> probes;
  probes.push_back(std::move(probe));
  return probes;
}

SourceSummary summary_of(const Sampler& sampler, const std::string& source) {
  for (const auto& summary : sampler.summaries()) {
    if (summary.source == source) return summary;
  }
  ADD_FAILURE() << "no source " << source;
  return {};
}

void wait_for_reads(const std::atomic<int>& reads, int more) {
  const int before = reads;
  while (reads < before + more) std::this_thread::sleep_for(milliseconds(1));
}

TEST(Sampler, CountsWhatItReadsBetweenBeginAndEnd) {
  std::atomic<int> reads = 0;
  Sampler sampler(one(std::make_unique<Costly>(reads, 0)), milliseconds(5));
  wait_for_reads(reads, 3);
  EXPECT_TRUE(sampler.summaries().empty());
  sampler.begin();
  wait_for_reads(reads, 5);
  sampler.end();
  const auto summary = summary_of(sampler, "clock");
  EXPECT_GE(summary.n, 5);
  EXPECT_GE(summary.first, 4);
  EXPECT_EQ(summary.last, summary.first + static_cast<double>(summary.n) - 1);
  wait_for_reads(reads, 3);
  EXPECT_EQ(summary_of(sampler, "clock").n, summary.n);
}

TEST(Sampler, HasTheNewestValuesAtAnyTime) {
  std::atomic<int> reads = 0;
  Sampler sampler(one(std::make_unique<Costly>(reads, 0)), milliseconds(2));
  wait_for_reads(reads, 3);
  const auto newest = sampler.latest();
  ASSERT_EQ(newest.size(), 1u);
  EXPECT_EQ(newest[0].name.source, "clock");
  EXPECT_GE(newest[0].value, 2);
  EXPECT_GT(sampler.cpu_s(), 0);
}

TEST(Sampler, ReadsSharedProbesWhereItIsAskedTo) {
  std::atomic<int> own = 0, shared = 0;
  Sampler sampler(one(std::make_unique<Costly>(own, 0)), milliseconds(2),
                  one(std::make_unique<Costly>(shared, 0)));
  wait_for_reads(own, 3);
  sampler.begin();
  sampler.end();
  EXPECT_EQ(shared, 0);
  sampler.read_shared(true);
  wait_for_reads(shared, 3);
  EXPECT_EQ(sampler.latest().size(), 2u);
  sampler.read_shared(false);
  wait_for_reads(own, 3);
  EXPECT_EQ(sampler.latest().size(), 1u);
}

TEST(Sampler, AWindowShorterThanAPeriodHasItsEnds) {
  std::atomic<int> reads = 0;
  Sampler sampler(one(std::make_unique<Costly>(reads, 0)));
  for (int stretch = 1; stretch <= 3; ++stretch) {
    sampler.begin();
    sampler.end();
    EXPECT_EQ(summary_of(sampler, "clock").n, 2 * stretch);
  }
}

TEST(Sampler, WhatIsSlowIsReadAtTheEndsOnly) {
  std::atomic<int> often = 0, at_ends = 0;
  auto probes = one(std::make_unique<Costly>(often, 0));
  probes.push_back(std::make_unique<Costly>(at_ends, 0, /*only_at_ends=*/true));
  Sampler sampler(std::move(probes), milliseconds(2));
  sampler.begin();
  while (often < 10) std::this_thread::sleep_for(milliseconds(1));
  sampler.end();
  EXPECT_EQ(at_ends, 2);
}

// 5 ms of CPU time for a reading: 0.5 % of a core allow one a second, whatever the period says.
TEST(Sampler, ReadsLessOftenWhereReadingCostsMore) {
  std::atomic<int> reads = 0;
  Sampler sampler(one(std::make_unique<Costly>(reads, 5e-3)), milliseconds(10));
  sampler.begin();
  std::this_thread::sleep_for(milliseconds(500));
  sampler.end();
  EXPECT_LE(reads, 4);  // at its start, at both ends, and once more
}

TEST(Sampler, ReportsItsOwnCost) {
  std::atomic<int> reads = 0;
  Sampler sampler(one(std::make_unique<Costly>(reads, 2e-3)));
  sampler.begin();
  std::this_thread::sleep_for(milliseconds(20));
  sampler.end();
  EXPECT_GE(summary_of(sampler, kSamplerCost).total.value(), 2e-3);  // the two readings enclose it
}

// A measurement that threw has ended nothing: who begins the next one does.
TEST(Sampler, EndingTwiceIsEndingOnce) {
  std::atomic<int> reads = 0;
  Sampler sampler(one(std::make_unique<Costly>(reads, 0)), milliseconds(1));
  sampler.end();
  sampler.begin();
  wait_for_reads(reads, 3);
  sampler.end();
  sampler.end();
  sampler.clear();
  EXPECT_TRUE(sampler.summaries().empty());
  sampler.begin();
  sampler.end();
  EXPECT_EQ(summary_of(sampler, "clock").n, 2);
}

TEST(Sampler, CanBeLeftWithinAStretch) {
  std::atomic<int> reads = 0;
  Sampler sampler(one(std::make_unique<Costly>(reads, 0)), milliseconds(1));
  sampler.begin();
}

TEST(ProcessCpu, IsTheTimeOfAllThreads) {
  std::atomic<int> reads = 0;
  auto probes = one(process_cpu_probe());
  probes.push_back(std::make_unique<Costly>(reads, 0));
  Sampler sampler(std::move(probes));
  sampler.begin();
  wait_for_reads(reads, 2);  // the first may be one that began before the stretch
  std::thread([] {
    const double begun_s = thread_cpu_s();
    while (thread_cpu_s() - begun_s < 0.02) {
    }
  }).join();
  sampler.end();
  EXPECT_GE(summary_of(sampler, kProcessCpus).total.value(), 0.02);
}

}  // namespace
}  // namespace scalemark::monitoring
