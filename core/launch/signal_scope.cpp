#include "core/launch/signal_scope.h"

#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>

#include "core/base/error.h"
#include "core/base/threads.h"

namespace scalemark::launching {

SignalScope::SignalScope(std::initializer_list<int> further) {
  sigset_t read_here;
  sigemptyset(&read_here);
  for (const int signal : {SIGCHLD, SIGCONT}) sigaddset(&read_here, signal);
  // A blocked signal is queued even if it is ignored.
  const auto add = [&](int signal) {
    if (!is_ignored(signal)) sigaddset(&read_here, signal);
  };
  for (const int signal : {SIGTERM, SIGINT, SIGUSR1, SIGUSR2, SIGHUP, SIGTSTP}) add(signal);
  for (const int signal : further) add(signal);
  sigset_t blocked = read_here;
  sigaddset(&blocked, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &blocked, &before_);
  // Where SIGCHLD is ignored, the kernel discards the exit status of every child.
  struct sigaction by_default {};
  by_default.sa_handler = SIG_DFL;
  sigaction(SIGCHLD, &by_default, &child_before_);
  fd_ = Descriptor(signalfd(-1, &read_here, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!fd_.open()) {
    const int reason = errno;
    sigaction(SIGCHLD, &child_before_, nullptr);
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    throw system_error(std::string("cannot open a signal descriptor: ") + std::strerror(reason));
  }
}

SignalScope::~SignalScope() {
  // Pending signals were meant for the run that has ended; they would kill us now, so drop them.
  take();
  sigset_t pipe;
  sigemptyset(&pipe);
  sigaddset(&pipe, SIGPIPE);
  const timespec now{};
  if (!sigismember(&before_, SIGPIPE)) sigtimedwait(&pipe, nullptr, &now);
  sigaction(SIGCHLD, &child_before_, nullptr);
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

void SignalScope::stop_self() {
  sigset_t stop;
  sigemptyset(&stop);
  sigaddset(&stop, SIGTSTP);
  raise(SIGTSTP);  // blocked so far
  pthread_sigmask(SIG_UNBLOCK, &stop, nullptr);
  pthread_sigmask(SIG_BLOCK, &stop, nullptr);
}

std::vector<int> SignalScope::take() {
  std::vector<int> signals;
  signalfd_siginfo info{};
  while (read(fd_.get(), &info, sizeof info) == static_cast<ssize_t>(sizeof info)) {
    signals.push_back(static_cast<int>(info.ssi_signo));
  }
  return signals;
}

std::optional<int> SignalScope::take_interrupt() {
  std::optional<int> first;
  for (const int signal : take()) {
    if (signal == SIGTSTP) stop_self();
    if (first) continue;
    if (signal == SIGTERM || signal == SIGINT || signal == SIGUSR1) first = signal;
    if (signal == SIGHUP) first = SIGTERM;
  }
  return first;
}

}  // namespace scalemark::launching
