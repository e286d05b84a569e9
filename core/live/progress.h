// Shows how far a run is: a bar on a terminal, and lines that say what began or ended, also as
// JSON. The measured code only stores two numbers; a separate thread draws. Knows no ranks: a rank
// that should print nothing creates none.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "core/base/field.h"

namespace scalemark::live {

struct ProgressState {
  std::string phase;                  // "warm-up" | "window" | "epoch 3/10"
  std::int64_t done = 0;              // steps
  std::int64_t found = 0;             // steps that were done when the phase began
  std::optional<std::int64_t> total;  // unset where time decides the end
  double elapsed_s = 0;               // since the phase began
  double samples_per_step = 0;        // all ranks together
  std::string sample_unit = "samples";
  std::string counted = "step";  // names what `done` counts
  std::optional<double> loss;
};

// Draws "window  [######......]  50 % 120/240  13.5 images/s  loss 5.123  0:09 left", in at most
// `width` columns. Without a total there is no bar and no time left. Pure.
std::string progress_bar(const ProgressState& state, int width);

// Writes "2:40 left", the one form of a time that a run still takes.
std::string left_text(double seconds);

struct ProgressOptions {
  int width = 79;
  std::chrono::milliseconds every = std::chrono::milliseconds(200);
  std::chrono::steady_clock::time_point (*now)() = std::chrono::steady_clock::now;
};

// Finds out how wide the terminal of `out` is. Returns nothing where `out` is none: a file or a
// pipe is told what began and ended, and nothing of the way.
std::optional<ProgressOptions> progress_options_for(std::FILE* out);

// Draws on `out` (stderr) until destroyed. update() may be called from the timed region: two
// relaxed stores, no lock, no system call.
class Progress {
 public:
  Progress(std::FILE* out, ProgressOptions options, std::string sample_unit,
           std::string counted = "step");
  ~Progress();  // clears the bar
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // `found`: how much of the total an earlier call has done.
  void begin(std::string phase, std::optional<std::int64_t> total, double samples_per_step,
             std::int64_t found = 0);
  void update(std::int64_t done) { done_.store(done, std::memory_order_relaxed); }
  void update_loss(double loss) { loss_.store(loss, std::memory_order_relaxed); }

  // Writes the current state at once.
  void write_now();

  // Prints a line of text that the bar must not overwrite.
  void print(const std::string& line);

 private:
  void write_until_ended();
  void draw();   // needs mutex_; draws nothing before the first begin()
  void clear();  // needs mutex_

  std::FILE* out_;
  ProgressOptions options_;
  std::atomic<std::int64_t> done_{0};
  std::atomic<double> loss_;  // NaN: none yet
  std::mutex mutex_;
  std::condition_variable ended_;
  bool end_ = false;
  bool drawn_ = false;
  ProgressState state_;
  std::chrono::steady_clock::time_point began_;
  std::thread writer_;  // last, so that all members above exist when it starts
};

// A run says this of itself on stderr: `text` for people, all of it with --log-format json.
struct RunEvent {
  std::string event, text = {};
  std::string run = {}, status = {}, unit = {}, disturbed = {}, output = {};
  std::optional<double> samples_per_sec = {}, seconds_left = {};
  std::optional<std::int64_t> runs_done = {}, runs_planned = {};
};
template <class A>
constexpr void fields(A& a, typename A::template Field<RunEvent>& e) {
  a.record("event", "A line of --log-format json: something began or ended");
  a("event", e.event, {"begin | run | repeat | epoch | note | error | end"});
  a("text", e.text, {"what people are told"});
  a.text("run", e.run, {"the id of points[]"});
  a.text("status", e.status, {"ok | oom | failed | skipped"});
  a("samples_per_sec", e.samples_per_sec, {"all ranks together"});
  a.text("unit", e.unit, {"the samples: images, sequences, ..."});
  a.text("disturbed", e.disturbed, {"what disturbed the run"});
  a("runs_done", e.runs_done, {"this one included"});
  a("runs_planned", e.runs_planned, {"of the whole sweep"});
  a("seconds_left", e.seconds_left, {"by the estimate"});
  a.text("output", e.output, {"folder of the report"});
}

// Writes the event as one JSON object on one line, without a line end.
std::string to_json(const RunEvent& event);
// Makes each line of `text` a JSON object that is none: a note, or an error. It takes "[rank] "
// off.
std::string json_lines(std::string_view text);

}  // namespace scalemark::live
