#include "core/reporting/output/progress.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <string>
#include <thread>

namespace scalemark::reporting {
namespace {

ProgressState state() {
  return {.phase = "window",
          .done = 60,
          .total = 240,
          .elapsed_s = 6,
          .samples_per_step = 16,
          .sample_unit = "images",
          .loss = 5.1234};
}

TEST(Progress, BarAndLineSayHowFarAndHowLong) {
  EXPECT_EQ(progress_bar(state(), 100),
            "window  [#####...............]  25 % 60/240  160.0 images/s  loss 5.123  18 s left");
  EXPECT_EQ(progress_line(state()),
            "window: step 60 of 240, 160.0 images/s, loss 5.123, 18 s left");
}

TEST(Progress, SaysNothingItDoesNotKnow) {
  ProgressState s = state();
  s.total.reset();
  s.loss.reset();
  EXPECT_EQ(progress_line(s), "window: step 60, 160.0 images/s");
  EXPECT_EQ(progress_bar(s, 100), "window  step 60  160.0 images/s");
  s = state();
  s.done = 0;
  EXPECT_EQ(progress_line(s), "window: step 0 of 240, loss 5.123");
}

TEST(Progress, NeverWiderThanTheTerminal) {
  EXPECT_EQ(progress_bar(state(), 20).size(), 20u);
  ProgressState s = state();
  s.done = 500;  // more than was expected
  EXPECT_EQ(progress_bar(s, 100).find("window  [####################] 100 % 500/240"), 0u);
}

TEST(Progress, LongTimesInMinutesAndHours) {
  ProgressState s = state();
  s.elapsed_s = 600;  // 1,800 s left
  EXPECT_NE(progress_line(s).find("30 min 00 s left"), std::string::npos) << progress_line(s);
  s.elapsed_s = 6000;
  EXPECT_NE(progress_line(s).find("5 h 00 min left"), std::string::npos) << progress_line(s);
}

// What the writing thread leaves in a file.
std::string written(ProgressOptions options) {
  std::FILE* out = std::tmpfile();
  {
    options.every = std::chrono::milliseconds(10);
    Progress progress(out, options, "images");
    progress.begin("window", 100, 16);
    progress.update_loss(2.5);
    progress.update(40);
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    progress.print("a line");
  }
  std::string text(static_cast<std::size_t>(std::ftell(out)), ' ');
  std::rewind(out);
  EXPECT_EQ(std::fread(text.data(), 1, text.size(), out), text.size());
  std::fclose(out);
  return text;
}

TEST(Progress, WritesLinesToAFileAndABarToATerminal) {
  const auto lines = written({.terminal = false});
  EXPECT_NE(lines.find("window: step 40 of 100"), std::string::npos) << lines;
  EXPECT_EQ(lines.find('\r'), std::string::npos);
  const auto bars = written({.terminal = true});
  EXPECT_NE(bars.find("\r\033[Kwindow  [########............]"), std::string::npos) << bars;
  EXPECT_NE(bars.find("\r\033[Ka line\n"), std::string::npos) << bars;
}

TEST(Progress, EndsAtOnceWhenItsIntervalIsLong) {
  const auto begin = std::chrono::steady_clock::now();
  { Progress progress(stderr, {.every = std::chrono::hours(1)}, "images"); }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
}

}  // namespace
}  // namespace scalemark::reporting
