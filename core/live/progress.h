// Shows how far a run is: a bar on a terminal, a line every few seconds elsewhere. The measured
// code only stores two numbers; a separate thread writes. Knows no ranks: a rank that should print
// nothing creates none.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

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

// Draws "window  [######......]  50 % 120/240  13.5 images/s  loss 5.123  9 s left", in at most
// `width` columns. Without a total there is no bar and no time left. Pure.
std::string progress_bar(const ProgressState& state, int width);

// Writes "window: step 120 of 240, 13.5 images/s, loss 5.123, 9 s left". Pure.
std::string progress_line(const ProgressState& state);

struct ProgressOptions {
  bool terminal = false;  // redraw one line instead of printing lines
  int width = 79;
  std::chrono::milliseconds every = std::chrono::seconds(5);  // 200 ms suits a terminal
  std::chrono::steady_clock::time_point (*now)() = std::chrono::steady_clock::now;
};

// Finds out whether `out` is a terminal, and how wide it is.
ProgressOptions progress_options_for(std::FILE* out);

// Writes to `out` (stderr) until destroyed. update() may be called from the timed region: two
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

}  // namespace scalemark::live
