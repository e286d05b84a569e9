#include "engine/distributed/interrupt.h"

#include <signal.h>
#include <unistd.h>

#include <array>
#include <atomic>

#include "core/base/threads.h"

namespace scalemark::distributed {
namespace {

constexpr std::array<int, 3> kSignals{SIGTERM, SIGINT, SIGUSR1};

// A signal handler can reach nothing but static, lock-free objects.
std::atomic<int> first_signal{0};
std::atomic<unsigned> backstop_seconds{0};
std::atomic<bool> backstop_is_set{false};
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<bool>::is_always_lock_free);
std::array<struct sigaction, kSignals.size() + 1> old_actions;

void note(int signal) {
  int none = 0;
  if (!first_signal.compare_exchange_strong(none, signal)) return;
  if (const unsigned seconds = backstop_seconds.load()) {
    alarm(seconds);
    backstop_is_set = true;
  }
}

// An alarm that comes before note()'s is from outside, also while a stop is under way, and may have
// been ignored before.
void give_up(int) {
  const unsigned left_s = backstop_is_set ? alarm(0) : 0;
  const bool is_backstop = backstop_is_set && left_s == 0;
  if (is_backstop || old_actions.back().sa_handler != SIG_IGN)
    _exit(static_cast<int>(exit_code_of_signal(first_signal.load())));
  if (left_s > 0) alarm(left_s);
}

struct sigaction action_of(void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  return action;
}

}  // namespace

InterruptHandlers::InterruptHandlers(std::optional<unsigned> backstop_s) {
  first_signal = 0;
  backstop_is_set = false;
  backstop_seconds = backstop_s.value_or(0);
  const struct sigaction noting = action_of(note), ending = action_of(give_up);
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    sigaction(kSignals[i], is_ignored(kSignals[i]) ? nullptr : &noting, &old_actions[i]);
  }
  sigaction(SIGALRM, &ending, &old_actions.back());
}

InterruptHandlers::~InterruptHandlers() {
  alarm(0);
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    sigaction(kSignals[i], &old_actions[i], nullptr);
  }
  sigaction(SIGALRM, &old_actions.back(), nullptr);
}

std::optional<int> received_signal() {
  const int signal = first_signal.load(std::memory_order_relaxed);
  return signal == 0 ? std::nullopt : std::optional(signal);
}

ExitCode exit_code_of_signal(int signal) {
  return signal == SIGINT ? ExitCode::kInterrupted : ExitCode::kPreempted;
}

}  // namespace scalemark::distributed
