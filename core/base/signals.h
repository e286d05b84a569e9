// Signals that were ignored when the program was started (nohup, `trap '' HUP`, a shell's
// background without job control) stay ignored: whoever takes a signal asks here first. Knows no
// handlers.
#pragma once

#include <csignal>
#include <vector>

namespace scalemark {

inline bool is_ignored(int signal) {
  struct sigaction action {};
  return sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

// Whether the processes that this one starts begin with `signal` ignored, too. The program itself
// ignores SIGPIPE and SIGXFSZ, and with SIGCHLD ignored a process would not learn how its own
// children end.
inline bool stays_ignored(int signal) {
  return signal != SIGPIPE && signal != SIGXFSZ && signal != SIGCHLD && is_ignored(signal);
}

inline std::vector<int> ignored_signals() {
  std::vector<int> signals;
  for (int signal = 1; signal < NSIG; ++signal) {
    if (stays_ignored(signal)) signals.push_back(signal);
  }
  return signals;
}

// Where whoever started this process had blocked them, nothing would end it.
inline void unblock_stops() {
  sigset_t stops;
  sigemptyset(&stops);
  for (const int signal : {SIGTERM, SIGINT, SIGUSR1, SIGHUP, SIGALRM}) sigaddset(&stops, signal);
  pthread_sigmask(SIG_UNBLOCK, &stops, nullptr);
}

}  // namespace scalemark
