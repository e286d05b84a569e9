#include "core/live/progress.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/base/number_words.h"
#include "core/base/record_json.h"
#include "core/base/terminal.h"

namespace scalemark::live {
namespace {

constexpr int kBarColumns = 20, kShortBarColumns = 10, kShortBelow = 90;

std::string rate(const ProgressState& state) {
  const std::int64_t done = state.done - state.found;
  if (done <= 0 || !(state.elapsed_s > 0)) return "";
  const double per_sec = static_cast<double>(done) * state.samples_per_step / state.elapsed_s;
  return readable(per_sec) + " " + state.sample_unit + "/s";
}

std::string time_left(const ProgressState& state) {
  const std::int64_t done = state.done - state.found;
  if (!state.total || done <= 0 || state.done > *state.total) return "";
  return left_text(state.elapsed_s / static_cast<double>(done) *
                   static_cast<double>(*state.total - state.done));
}

std::string loss(const ProgressState& state) {
  return state.loss ? "loss " + significant(*state.loss, 4) : "";
}

// A part that does not fit is left out, rather than cut within a number.
void add(std::string& line, const std::string& part, int width) {
  if (!part.empty() && std::ssize(line) + 2 + std::ssize(part) <= width) line += "  " + part;
}

std::string bar(const ProgressState& state, int columns) {
  const double share =
      *state.total > 0
          ? std::clamp(static_cast<double>(state.done) / static_cast<double>(*state.total), 0.0,
                       1.0)
          : 1.0;
  const int filled = static_cast<int>(share * columns);
  const std::string percents = std::to_string(static_cast<int>(100 * share));
  return "[" + std::string(filled, '#') + std::string(columns - filled, '.') + "] " +
         std::string(3 - percents.size(), ' ') + percents + " % " + std::to_string(state.done) +
         "/" + std::to_string(*state.total);
}

}  // namespace

std::string progress_bar(const ProgressState& state, int width) {
  const int columns = width < kShortBelow ? kShortBarColumns : kBarColumns;
  std::string line = state.phase + "  ";
  line += state.total ? bar(state, columns) : state.counted + " " + std::to_string(state.done);
  add(line, rate(state), width);
  const std::string left = time_left(state);  // matters more than the loss
  add(line, loss(state), width - (left.empty() ? 0 : 2 + static_cast<int>(left.size())));
  add(line, left, width);
  line.resize(std::min(line.size(), static_cast<std::size_t>(std::max(width, 0))));
  return line;
}

std::string left_text(double seconds) { return clock_text(seconds + 0.5) + " left"; }

std::optional<ProgressOptions> progress_options_for(std::FILE* out) {
  const Terminal terminal = terminal_of(fileno(out));
  if (!terminal.is_terminal) return std::nullopt;
  // Some terminals wrap when the last column is written.
  return ProgressOptions{.width = terminal.columns - 1};
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
  clear();
  const Terminal terminal{.is_terminal = true, .columns = options_.width + 1};
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
  std::fprintf(out_, "\r\033[K%s", progress_bar(state_, options_.width).c_str());
  drawn_ = true;
  std::fflush(out_);
}

void Progress::clear() {
  if (std::exchange(drawn_, false)) std::fprintf(out_, "\r\033[K");
  std::fflush(out_);
}

std::string to_json(const RunEvent& event) { return dumped(as_json(event, "event")); }

std::string json_lines(std::string_view text) {
  std::string all;
  while (!text.empty()) {
    const std::size_t size = std::min(text.find('\n'), text.size());
    std::string line(text.substr(0, size));
    text.remove_prefix(std::min(size + 1, text.size()));
    const std::size_t digits = line.find_first_not_of("0123456789", 1);
    const bool is_prefixed = line.starts_with('[') && digits > 1 &&
                             line.compare(std::min(digits, line.size()), 3, "] {") == 0;
    if (is_prefixed) line.erase(0, digits + 2);
    const bool is_error = line.find("scalemark: error ") != line.npos;
    if (line.empty()) continue;
    all += (line.starts_with('{') ? line
                                  : to_json({.event = is_error ? "error" : "note", .text = line})) +
           "\n";
  }
  return all;
}

}  // namespace scalemark::live
