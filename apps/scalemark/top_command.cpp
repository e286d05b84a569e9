// scalemark top shows runs on one screen while they run.
#include <poll.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <future>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apps/scalemark/commands.h"
#include "apps/scalemark/sources.h"
#include "apps/scalemark/watched_run.h"
#include "core/base/durations.h"
#include "core/base/error.h"
#include "core/base/terminal.h"
#include "core/launch/meeting_point.h"
#include "core/launch/signal_scope.h"
#include "core/live/fetch.h"
#include "core/live/screen.h"

namespace scalemark::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* kRunsFolder = "results/runs";

struct TopOptions {
  std::vector<std::string> given;
  std::string token;
  double every_s = 2;
  bool once = false, json = false;
};

TopOptions top_options(const Invocation& invocation) {
  const settings::ToolValues values = read_tool_values(invocation);
  TopOptions options{.given = invocation.positionals, .once = values.on("once")};
  options.every_s = values.number("every").value();
  if (const auto file = values.text("metrics_token")) {
    const launching::Secret token = launching::read_metrics_token(*file);
    if (!token.note.empty()) print_note(token.note);
    options.token = token.text;
  }
  const std::string format =
      values.given("format") ? values.text("format").value() : std::string("text");
  if (format != "text" && format != "json")
    throw configuration("--format " + format, "text or json is allowed");
  options.json = format == "json";
  return options;
}

// The runs that are watched. Without names the newest ones, which may change.
class TopRuns {
 public:
  explicit TopRuns(const TopOptions& options) : follows_(options.given.empty()) {
    for (const std::string& name : options.given) {
      live::is_url(name) ? runs_.emplace_back(name, options.token)
                         : runs_.emplace_back(status_file(name));
    }
    if (follows_) follow();
    if (runs_.empty()) {
      throw no_input(
          "no run in " + std::string(kRunsFolder) + " or in a folder of this one has a status.json",
          {}, "`scalemark top DIR`, DIR being the --output of a run, or the URL of its page");
    }
  }

  bool read() {
    bool changed = follows_ && follow();
    std::vector<std::future<bool>> reads;  // all at once, since some hosts may not answer
    for (WatchedRun& run : runs_) {
      const auto how = run.is_remote() ? std::launch::async : std::launch::deferred;
      reads.push_back(std::async(how, [&run] { return run.read(); }));
    }
    for (std::future<bool>& one : reads) changed = one.get() || changed;
    return changed;
  }
  // Says why these runs are shown, where nobody named them; empty: somebody did.
  std::string reason() const {
    if (!follows_) return "";
    const auto is_kept = [](const WatchedRun& run) {
      return run.file().parent_path().parent_path() == kRunsFolder;
    };
    const bool all = std::ranges::all_of(runs_, is_kept),
               none = std::ranges::none_of(runs_, is_kept);
    return "newest of " + (none ? "" : std::string(kRunsFolder)) + (all || none ? "" : " and ") +
           (all ? "" : "this folder") + "; others: scalemark top DIR";
  }
  bool lack_rates() const { return std::ranges::any_of(runs_, &WatchedRun::lacks_rates); }
  std::vector<live::ShownRun> shown() const {
    std::vector<live::ShownRun> all;
    for (const WatchedRun& run : runs_) all.push_back(run.shown());
    return all;
  }

 private:
  bool follow() {
    std::vector<WatchedRun> runs;
    bool changed = false;
    for (const auto& file : newest_runs({kRunsFolder, "."})) {
      const auto known = std::ranges::find(runs_, file, &WatchedRun::file);
      changed = changed || known == runs_.end();
      runs.push_back(known == runs_.end() ? WatchedRun(file) : std::move(*known));
    }
    if (runs.empty()) return false;  // a folder is being replaced
    changed = changed || runs.size() != runs_.size();
    runs_ = std::move(runs);
    return changed;
  }

  bool follows_;
  std::vector<WatchedRun> runs_;
};

std::string frames(const std::vector<live::ShownRun>& runs) {
  std::string text;
  for (const live::ShownRun& run : runs) {
    if (run.status) text += live::frame_json(run.source, *run.status, run.now) + "\n";
  }
  return text;
}

// Takes a terminal over, and gives it back as it was, whatever ends the drawing.
class Canvas {
 public:
  Canvas() {
    has_keys_ = ::tcgetattr(STDIN_FILENO, &before_) == 0;
    enter();
  }
  ~Canvas() { leave(); }
  Canvas(const Canvas&) = delete;
  Canvas& operator=(const Canvas&) = delete;

  void enter() {
    if (has_keys_) {
      termios keys = before_;
      keys.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
      ::tcsetattr(STDIN_FILENO, TCSANOW, &keys);
    }
    put("\x1b[?1049h\x1b[?25l");  // a screen of its own, without a cursor
  }
  void leave() {
    put("\x1b[?25h\x1b[?1049l");
    if (has_keys_) ::tcsetattr(STDIN_FILENO, TCSANOW, &before_);
  }
  bool has_keys() const { return has_keys_; }

  // Draws over the frame before, line by line: nothing is cleared first, so nothing flickers.
  bool draw(const std::string& text) {
    std::string frame = "\x1b[H";
    for (const char c : text.substr(0, text.find_last_not_of('\n') + 1)) {
      frame += c == '\n' ? "\x1b[K\r\n" : std::string(1, c);
    }
    return put(frame + "\x1b[K\x1b[J");
  }

 private:
  static bool put(std::string_view text) {
    while (!text.empty()) {
      const ssize_t written = ::write(STDOUT_FILENO, text.data(), text.size());
      if (written < 0 && errno != EINTR && errno != EAGAIN) return false;
      if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
    }
    return true;
  }

  termios before_{};
  bool has_keys_ = false;
};

enum class Heard { kNothing, kStop, kLeave };

// Waits for keys and signals. SIGTSTP is left to the caller, who has a terminal to give back.
Heard listen(launching::SignalScope& signals, bool has_keys, double seconds) {
  constexpr char kEndOfText = 3;  // Ctrl-C where it makes no signal
  std::array<pollfd, 2> ends = {pollfd{signals.fd(), POLLIN, 0},
                                pollfd{has_keys ? STDIN_FILENO : -1, POLLIN, 0}};
  ::poll(ends.data(), ends.size(), static_cast<int>(milliseconds_of(seconds).count()));
  for (const int signal : signals.take()) {
    if (signal == SIGTSTP) return Heard::kStop;
    if (signal != SIGCHLD && signal != SIGCONT) return Heard::kLeave;
  }
  if (ends[1].revents == 0) return Heard::kNothing;
  char key = 0;
  if (::read(STDIN_FILENO, &key, 1) != 1) return Heard::kLeave;  // the terminal is gone
  return key == 'q' || key == 'Q' || key == kEndOfText ? Heard::kLeave : Heard::kNothing;
}

// Calls draw(changed) once a second, and when a record is new, until a key or a signal ends it or
// draw() returns false, since nobody reads any more.
template <class Draw, class Stop>
void keep_watching(TopRuns& runs, const TopOptions& options, launching::SignalScope& signals,
                   bool has_keys, Draw draw, Stop stop) {
  constexpr double kTick_s = 1;
  Clock::time_point read_at = Clock::now();
  bool changed = runs.read();
  while (draw(changed)) {
    const double until_read_s = options.every_s - seconds_since(read_at);
    const Heard heard = listen(signals, has_keys, std::clamp(until_read_s, 0.0, kTick_s));
    if (heard == Heard::kLeave) return;
    if (heard == Heard::kStop) stop();
    changed = heard == Heard::kStop;
    if (seconds_since(read_at) < options.every_s) continue;
    read_at = Clock::now();
    changed = runs.read() || changed;
  }
}

void watch_on_screen(TopRuns& runs, const TopOptions& options) {
  // Signals are taken first: none may end us while the terminal is ours, not even Ctrl-\\.
  launching::SignalScope signals({SIGQUIT});
  Canvas canvas;
  const std::string reason = runs.reason();
  const std::string footer = reason.empty() ? "q or Ctrl-C leaves" : reason + "; q leaves";
  keep_watching(
      runs, options, signals, canvas.has_keys(),
      [&](bool) {
        return canvas.draw(live::screen_text(runs.shown(), terminal_of(STDOUT_FILENO), footer));
      },
      [&] {
        canvas.leave();
        signals.stop_self();
        canvas.enter();
      });
}

void watch_as_json(TopRuns& runs, const TopOptions& options) {
  launching::SignalScope signals;
  keep_watching(
      runs, options, signals, false,
      [&](bool changed) {
        if (changed) print_data(frames(runs.shown()));
        return true;
      },
      [&] { signals.stop_self(); });
}

// Rates need a second record, which comes within 2 s.
std::vector<live::ShownRun> two_readings(TopRuns& runs) {
  constexpr double kTimeout_s = 3, kPollPeriod_s = 0.1;
  const Clock::time_point start = Clock::now();
  runs.read();
  while (runs.lack_rates() && seconds_since(start) < kTimeout_s) {
    ::poll(nullptr, 0, static_cast<int>(1e3 * kPollPeriod_s));
    runs.read();
  }
  std::vector<live::ShownRun> shown = runs.shown();
  const auto has_status = [](const live::ShownRun& run) { return run.status.has_value(); };
  if (std::ranges::none_of(shown, has_status))
    throw bad_data(shown.front().source + ": " + shown.front().problem);
  return shown;
}

}  // namespace

ExitCode top_command(const Invocation& invocation) {
  const TopOptions options = top_options(invocation);
  TopRuns runs(options);
  const Terminal terminal = terminal_of(STDOUT_FILENO);
  const char* kind = std::getenv("TERM");
  const bool can_redraw = terminal.is_terminal && kind && std::string_view(kind) != "dumb";
  if (options.once || !can_redraw) {
    const auto shown = two_readings(runs);
    if (options.json) return print_data(frames(shown));
    return print_result(live::screen_text(shown, terminal, runs.reason()));
  }
  options.json ? watch_as_json(runs, options) : watch_on_screen(runs, options);
  return ExitCode::kPass;
}

}  // namespace scalemark::cli
