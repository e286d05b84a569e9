#include "core/live/progress.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/base/number_words.h"
#include "core/base/terminal.h"

namespace scalemark::live {
namespace {

constexpr int kBarColumns = 20;

std::string rate(const ProgressState& state) {
  const std::int64_t done = state.done - state.found;
  if (done <= 0 || !(state.elapsed_s > 0)) return "";
  const double per_sec = static_cast<double>(done) * state.samples_per_step / state.elapsed_s;
  return readable(per_sec) + " " + state.sample_unit + "/s";
}

std::string time_left(const ProgressState& state) {
  const std::int64_t done = state.done - state.found;
  if (!state.total || done <= 0 || state.done > *state.total) return "";
  return age_text(state.elapsed_s / static_cast<double>(done) *
                  static_cast<double>(*state.total - state.done)) +
         " left";
}

std::string loss(const ProgressState& state) {
  return state.loss ? "loss " + significant(*state.loss, 4) : "";
}

void add(std::string& line, const char* separator, const std::string& part) {
  if (!part.empty()) line += separator + part;
}

std::string bar(const ProgressState& state) {
  const double share =
      *state.total > 0
          ? std::clamp(static_cast<double>(state.done) / static_cast<double>(*state.total), 0.0,
                       1.0)
          : 1.0;
  const int filled = static_cast<int>(share * kBarColumns);
  const std::string percents = std::to_string(static_cast<int>(100 * share));
  return "[" + std::string(filled, '#') + std::string(kBarColumns - filled, '.') + "] " +
         std::string(3 - percents.size(), ' ') + percents + " % " + std::to_string(state.done) +
         "/" + std::to_string(*state.total);
}

}  // namespace

std::string progress_bar(const ProgressState& state, int width) {
  std::string line = state.phase;
  add(line, "  ", state.total ? bar(state) : state.counted + " " + std::to_string(state.done));
  add(line, "  ", rate(state));
  add(line, "  ", loss(state));
  add(line, "  ", time_left(state));
  line.resize(std::min(line.size(), static_cast<std::size_t>(std::max(width, 0))));
  return line;
}

std::string progress_line(const ProgressState& state) {
  std::string line = state.phase + ": " + state.counted + " " + std::to_string(state.done);
  if (state.total) line += " of " + std::to_string(*state.total);
  add(line, ", ", rate(state));
  add(line, ", ", loss(state));
  add(line, ", ", time_left(state));
  return line;
}

ProgressOptions progress_options_for(std::FILE* out) {
  ProgressOptions options;
  const Terminal terminal = terminal_of(fileno(out));
  options.terminal = terminal.is_terminal;
  if (!options.terminal) return options;
  options.every = std::chrono::milliseconds(200);
  options.width = terminal.columns - 1;  // some terminals wrap when the last column is written
  return options;
}

Progress::Progress(std::FILE* out, ProgressOptions options, std::string sample_unit,
                   std::string counted)
    : out_(out), options_(options), loss_(std::numeric_limits<double>::quiet_NaN()) {
  state_.sample_unit = std::move(sample_unit);
  state_.counted = std::move(counted);
  writer_ = std::thread([this] { write_until_ended(); });
}

Progress::~Progress() {
  {
    const std::lock_guard lock(mutex_);
    end_ = true;
  }
  ended_.notify_all();
  writer_.join();
  const std::lock_guard lock(mutex_);
  clear();
}

void Progress::begin(std::string phase, std::optional<std::int64_t> total, double samples_per_step,
                     std::int64_t found) {
  const std::lock_guard lock(mutex_);
  state_.phase = std::move(phase);
  state_.found = found;
  state_.total = total;
  state_.samples_per_step = samples_per_step;
  began_ = options_.now();
  done_.store(found, std::memory_order_relaxed);
}

void Progress::print(const std::string& line) {
  const std::lock_guard lock(mutex_);
  const Terminal terminal{.is_terminal = drawn_, .columns = options_.width + 1};
  clear();
  std::fprintf(out_, "%s\n", folded(line, terminal).c_str());
  std::fflush(out_);
}

void Progress::write_until_ended() {
  std::unique_lock lock(mutex_);
  while (!ended_.wait_for(lock, options_.every, [this] { return end_; })) {
    draw();
  }
}

void Progress::write_now() {
  const std::lock_guard lock(mutex_);
  draw();
}

void Progress::draw() {
  if (state_.phase.empty()) return;
  state_.done = done_.load(std::memory_order_relaxed);
  const double loss = loss_.load(std::memory_order_relaxed);
  state_.loss = std::isnan(loss) ? std::nullopt : std::optional(loss);
  state_.elapsed_s = std::chrono::duration<double>(options_.now() - began_).count();
  if (options_.terminal) {
    std::fprintf(out_, "\r\033[K%s", progress_bar(state_, options_.width).c_str());
    drawn_ = true;
  } else {
    std::fprintf(out_, "%s\n", progress_line(state_).c_str());
  }
  std::fflush(out_);
}

void Progress::clear() {
  if (std::exchange(drawn_, false)) std::fprintf(out_, "\r\033[K");
  std::fflush(out_);
}

}  // namespace scalemark::live
