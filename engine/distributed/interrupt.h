// Notes that a signal asked the program to end. Async-signal-safe; knows neither ranks nor steps.
#pragma once

#include <chrono>
#include <optional>

#include "core/base/error.h"

namespace scalemark::distributed {

// While it exists, SIGTERM, SIGINT and SIGUSR1 are noted instead of ending the process, but for
// those that are ignored, which stay so; the old handlers come back afterwards. Further signals
// change nothing: a launcher forwards what the terminal has already sent. If `backstop_s` is given,
// the process ends with the signal's exit code that many seconds after the first one whatever its
// threads do (SIGALRM).
class InterruptHandlers {
 public:
  explicit InterruptHandlers(std::optional<unsigned> backstop_s = std::nullopt);
  ~InterruptHandlers();
  InterruptHandlers(const InterruptHandlers&) = delete;
  InterruptHandlers& operator=(const InterruptHandlers&) = delete;
};

// The first signal noted, SIGTERM, SIGINT or SIGUSR1.
std::optional<int> received_signal();

// 130 for SIGINT, 75 for the others.
ExitCode exit_code_of_signal(int signal);

}  // namespace scalemark::distributed
