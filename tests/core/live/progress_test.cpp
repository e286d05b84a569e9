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

TEST(Progress, TheBarSaysHowFarAndHowLong) {
  EXPECT_EQ(progress_bar(state(), 100),
            "window  [#####...............]  25 % 60/240  160.0 images/s  loss 5.123  0:18 left");
}

TEST(Progress, SaysNothingItDoesNotKnow) {
  ProgressState s = state();
  s.total.reset();
  s.loss.reset();
  EXPECT_EQ(progress_bar(s, 100), "window  step 60  160.0 images/s");
  s = state();
  s.done = 0;
  EXPECT_EQ(progress_bar(s, 100), "window  [....................]   0 % 0/240  loss 5.123");
}

TEST(Progress, NeverWiderThanTheTerminal) {
  EXPECT_EQ(progress_bar(state(), 20).size(), 20u);
  EXPECT_EQ(progress_bar(state(), 72),
            "window  [##........]  25 % 60/240  160.0 images/s  loss 5.123  0:18 left");
  EXPECT_EQ(progress_bar(state(), 71),
            "window  [##........]  25 % 60/240  160.0 images/s  0:18 left");
  EXPECT_EQ(progress_bar(state(), 59), "window  [##........]  25 % 60/240  160.0 images/s");
  ProgressState s = state();
  s.done = 500;  // more than was expected
  EXPECT_EQ(progress_bar(s, 100).find("window  [####################] 100 % 500/240"), 0u);
}

TEST(Progress, TimeLeftHasOneForm) {
  EXPECT_EQ(left_text(0.4), "0:00 left");
  EXPECT_EQ(left_text(94.7), "1:35 left");
  EXPECT_EQ(left_text(160), "2:40 left");
  EXPECT_EQ(left_text(18000), "5:00:00 left");
}

// Whoever writes to stderr: this program, a rank behind its prefix, a library.
TEST(RunEvents, MakeObjectsOfAllOtherLines) {
  EXPECT_EQ(
      json_lines("scalemark: a note\n\n[12] {\"event\":\"end\"}\n[1] scalemark: error E_IO (exit "
                 "70): \"x\".\n{}\n[W1 warns] {\n"),
      "{\"event\":\"note\",\"text\":\"scalemark: a note\"}\n"
      "{\"event\":\"end\"}\n"
      "{\"event\":\"error\",\"text\":\"[1] scalemark: error E_IO (exit 70): \\\"x\\\".\"}\n"
      "{}\n"
      "{\"event\":\"note\",\"text\":\"[W1 warns] {\"}\n");
}

// Any reader of JSON lines finds what the sentence says, and no field that is not known.
TEST(RunEvents, AreOneObjectEach) {
  EXPECT_EQ(to_json({.event = "note", .text = "a \"note\"\n"}),
            R"({"event":"note","text":"a \"note\"\n"})");
  EXPECT_EQ(to_json({.event = "run",
                     .text = "[2/9] 2 ranks",
                     .run = "p/r0",
                     .status = "ok",
                     .unit = "images",
                     .samples_per_sec = 48.5,
                     .seconds_left = 12.0,
                     .runs_done = 2,
                     .runs_planned = 9}),
            R"({"event":"run","text":"[2/9] 2 ranks","run":"p/r0","status":"ok",)"
            R"("samples_per_sec":48.5,"unit":"images","runs_done":2,"runs_planned":9,)"
            R"("seconds_left":12.0})");
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

TEST(Progress, DrawsABarThatALineReplaces) {
  EXPECT_EQ(written({}),
            "\r\033[Kwindow  [####......]  40 % 40/100  320.0 images/s  loss 2.5  0:03 left"
            "\r\033[Ka line\n");
}

TEST(Progress, IsForTerminalsOnly) {
  std::FILE* out = std::tmpfile();
  EXPECT_FALSE(progress_options_for(out));
  std::fclose(out);
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
