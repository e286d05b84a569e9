#include "engine/process/event_log.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/data/text/temporary_folder.h"

namespace scalemark::process {
namespace {

namespace fs = std::filesystem;

// How often a file names a tag: once per event.
std::size_t events_of(const fs::path& file, const std::string& tag) {
  const std::string bytes = data::read_file(file);
  std::size_t count = 0;
  for (auto at = bytes.find(tag); at != std::string::npos; at = bytes.find(tag, at + 1)) ++count;
  return count;
}

class EventLogTest : public ::testing::Test {
 protected:
  void run_loop(EventLog& log, const std::string& name, std::int64_t first, std::int64_t steps,
                bool knows_losses = true) {
    log.begin_loop(name, steps);
    for (std::int64_t i = 0; i < steps; ++i) {
      const std::int64_t now = Vitals::Clock::now().time_since_epoch().count();
      log.step_done(first + i, now, knows_losses ? std::optional(0.5) : std::nullopt, 0.1);
    }
  }

  data::TemporaryFolder folder_;
  fs::path file_ = folder_.path() / "events";
  monitoring::Sampler machine_{{}};
  Vitals vitals_;
};

TEST_F(EventLogTest, WritesEachStepOfAWindowAndNoneOfAWarmUp) {
  {
    EventLog log(file_, machine_, vitals_);
    run_loop(log, "warm-up", 0, 7);
    run_loop(log, "window", 7, 100);
    run_loop(log, "buckets", 107, 5);
  }
  EXPECT_EQ(events_of(file_, "Summary/loss_rank0"), 100);
  EXPECT_EQ(events_of(file_, "schedule/learning_rate"), 100);
  EXPECT_EQ(events_of(file_, "machine/dropped_events"), 1);
  EXPECT_EQ(events_of(file_, "brain.Event:2"), 1);
}

TEST_F(EventLogTest, WritesTenThousandStepsWhollyAndOfMoreEveryKth) {
  {
    EventLog log(file_, machine_, vitals_);
    run_loop(log, "window", 0, tensorboard::kMostEvents);
  }
  EXPECT_EQ(events_of(file_, "Summary/loss_rank0"), tensorboard::kMostEvents);
  const fs::path other = folder_.path() / "more";
  {
    EventLog log(other, machine_, vitals_);
    run_loop(log, "window", 0, tensorboard::kMostEvents + 1);
  }
  EXPECT_EQ(events_of(other, "Summary/loss_rank0"), tensorboard::kMostEvents / 2 + 1);
}

TEST_F(EventLogTest, SpacesTheStepsOfAPlannedTrainingOverItsStretches) {
  {
    EventLog log(file_, machine_, vitals_);
    log.plan(30'000);
    for (int stretch = 0; stretch < 300; ++stretch) run_loop(log, "epoch 1/1", 100 * stretch, 100);
  }
  EXPECT_EQ(events_of(file_, "Summary/loss_rank0"), tensorboard::kMostEvents);
}

TEST_F(EventLogTest, GetsLossesAfterTheLoopWhereTheDeviceKeepsThem) {
  {
    EventLog log(file_, machine_, vitals_);
    run_loop(log, "window", 0, 50, /*knows_losses=*/false);
    log.add_losses(0, std::vector<double>(50, 0.25));
    run_loop(log, "window", 50, 50);
    log.add_losses(50, std::vector<double>(50, 0.25));  // known already
  }
  EXPECT_EQ(events_of(file_, "Summary/loss_rank0"), 100);
}

TEST_F(EventLogTest, SpacesStepsOfStretchesThatAreShorterThanTheDistance) {
  for (const bool knows_losses : {true, false}) {
    const fs::path file = folder_.path() / (knows_losses ? "known" : "later");
    {
      EventLog log(file, machine_, vitals_);
      log.plan(1'000'000);  // each hundredth
      for (int stretch = 0; stretch < 100; ++stretch) {
        run_loop(log, "epoch 1/1", 10 * stretch, 10, knows_losses);
        log.add_losses(10 * stretch, std::vector<double>(10, 0.25));
      }
    }
    EXPECT_EQ(events_of(file, "Summary/loss_rank0"), 10);
    EXPECT_EQ(events_of(file, "schedule/learning_rate"), 10);
  }
}

TEST_F(EventLogTest, AppendsToTheNewestFileOfItsFolder) {
  const fs::path newer = folder_.path() / tensorboard::event_file_name(2e9);
  const fs::path older = folder_.path() / tensorboard::event_file_name(1e9);
  for (const fs::path& file : {newer, older}) std::ofstream(file) << "before ";
  tensorboard::Events more;
  more.scalar("result/loss", 1, 1, 1);
  append_events(folder_.path() / tensorboard::event_file_name(1.5e9), std::move(more));
  EXPECT_EQ(events_of(newer, "result/loss"), 1);
  EXPECT_EQ(data::read_file(older), "before ");
}

TEST_F(EventLogTest, ContinuesInTheFileOfItsProcess) {
  { EventLog log(file_, machine_, vitals_); }
  tensorboard::Events more;
  more.scalar("result/loss", 1, 1, 1);
  append_events(file_, std::move(more));
  EXPECT_EQ(events_of(file_, "brain.Event:2"), 1);
  EXPECT_EQ(events_of(file_, "result/loss"), 1);
  EXPECT_EQ(event_file("a", "g/r0"), event_file("a", "g/r0"));
}

}  // namespace
}  // namespace scalemark::process
