#include "apps/scalemark/loading_values.h"

#include <unistd.h>

#include <csignal>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/base/threads.h"
#include "core/launch/outcome.h"

namespace scalemark::cli {

data::ImageDecoding decoding_of(const settings::ToolValues& values) {
  return values.text("image_decoding") == "fast" ? data::ImageDecoding::kFast
                                                 : data::ImageDecoding::kExact;
}

data::OnBadSample on_bad_sample_of(const settings::ToolValues& values) {
  return values.text("on_bad_sample") == "skip" ? data::OnBadSample::kSkip
                                                : data::OnBadSample::kFail;
}

std::string skipped_text(const std::vector<data::SkippedSample>& skipped) {
  if (skipped.empty()) return "";
  std::string text = counted(std::ssize(skipped), "sample") + " per epoch could not be decoded:\n";
  for (const data::SkippedSample& sample : skipped) {
    text += on_one_line(sample.name + ": " + sample.reason) + "\n";
  }
  return text;
}

namespace {

constexpr int kSignals[] = {SIGINT, SIGTERM, SIGUSR1};

// The lines are made beforehand: a signal handler may neither allocate nor format.
struct Lines {
  std::string interrupted;
  std::string preempted;
};
Lines stop_lines;

void end(int signal) {
  const std::string& line = signal == SIGINT ? stop_lines.interrupted : stop_lines.preempted;
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, line.data(), line.size());
  ::_exit(static_cast<int>(signal == SIGINT ? ExitCode::kInterrupted : ExitCode::kPreempted));
}

// At a terminal the line begins by clearing what a progress bar has drawn.
std::string line_of(int signal, const std::string& what, const std::string& hint) {
  ErrorRecord record = launching::interruption(signal, /*has_report=*/false);
  record.what = what;
  record.hint = hint;
  const std::string start = ::isatty(STDERR_FILENO) == 1 ? "\r\033[K" : "";
  return start + format_error_line(record) + "\n";
}

}  // namespace

StopLine::StopLine(const std::string& what, const std::string& hint) {
  stop_lines = {line_of(SIGINT, what, hint), line_of(SIGTERM, what, hint)};
  for (const int signal : kSignals) {
    if (!is_ignored(signal)) std::signal(signal, end);
  }
}

StopLine::~StopLine() {
  for (const int signal : kSignals) {
    if (!is_ignored(signal)) std::signal(signal, SIG_DFL);
  }
}

}  // namespace scalemark::cli
