#include "core/live/progress.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <string>
#include <thread>

namespace scalemark::live {
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
  EXPECT_NE(progress_line(s).find("30:00 left"), std::string::npos) << progress_line(s);
  s.elapsed_s = 6000;
  EXPECT_NE(progress_line(s).find("5:00:00 left"), std::string::npos) << progress_line(s);
}

// This clock stands still until a test sets it: no test waits for a real one.
std::chrono::steady_clock::time_point set_time;
std::chrono::steady_clock::time_point clock_as_set() { return set_time; }

// Returns the lines that are written 2 s after the beginning; the interval of the writing thread is
// never over.
std::string written(ProgressOptions options) {
  options.every = std::chrono::hours(1);
  options.now = clock_as_set;
  std::FILE* out = std::tmpfile();
  {
    Progress progress(out, options, "images");
    progress.write_now();  // nothing yet: no phase has begun
    progress.begin("window", 100, 16);
    progress.update_loss(2.5);
    progress.update(40);
    set_time += std::chrono::seconds(2);
    progress.write_now();
    progress.print("a line");
  }
  std::string text(static_cast<std::size_t>(std::ftell(out)), ' ');
  std::rewind(out);
  EXPECT_EQ(std::fread(text.data(), 1, text.size(), out), text.size());
  std::fclose(out);
  return text;
}

TEST(Progress, WritesLinesToAFileAndABarToATerminal) {
  EXPECT_EQ(written({.terminal = false}),
            "window: step 40 of 100, 320.0 images/s, loss 2.5, 3.0 s left\na line\n");
  EXPECT_EQ(
      written({.terminal = true}),
      "\r\033[Kwindow  [########............]  40 % 40/100  320.0 images/s  loss 2.5  3.0 s le"
      "\r\033[Ka line\n");
}

TEST(Progress, WritesByItselfAtItsInterval) {
  std::FILE* out = std::tmpfile();
  {
    Progress progress(out, {.every = std::chrono::milliseconds(1), .now = clock_as_set}, "images");
    progress.begin("window", 100, 16);
    while (std::ftell(out) == 0) std::this_thread::yield();  // its deadline is ctest's
  }
  std::fclose(out);
}

TEST(Progress, EndsAtOnceWhenItsIntervalIsLong) {
  const auto begin = std::chrono::steady_clock::now();
  { Progress progress(stderr, {.every = std::chrono::hours(1)}, "images"); }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
}

}  // namespace
}  // namespace scalemark::live
