// Threads of this process and the signals that reach them: how a thread is started beside a run's
// work, waits and has its CPU time counted, and the error where the system gives no further one.
// Knows nothing of what a thread does.
#pragma once

#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <csignal>
#include <exception>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/error.h"

namespace scalemark {

// Signals that were ignored when the program was started (nohup, `trap '' HUP`, a shell's
// background without job control) stay ignored: whoever takes a signal asks here first.
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

// Unblocks the signals that end a process: its starter may have blocked them.
inline void unblock_stops() {
  sigset_t stops;
  sigemptyset(&stops);
  for (const int signal : {SIGTERM, SIGINT, SIGUSR1, SIGHUP, SIGALRM}) sigaddset(&stops, signal);
  pthread_sigmask(SIG_UNBLOCK, &stops, nullptr);
}

// At this signal a thread takes its stack (core/machine/stacks.h). No thread of ours blocks it.
inline int stack_signal() { return SIGRTMAX - 3; }

// Starts a thread beside a run's work. It takes no other signals: other threads wait for them.
inline std::thread quiet_thread(auto body) {
  struct Blocked {  // restores the mask also where no thread can be started
    sigset_t before{};
    Blocked() {
      sigset_t all;
      sigfillset(&all);
      sigdelset(&all, stack_signal());
      pthread_sigmask(SIG_SETMASK, &all, &before);
    }
    ~Blocked() { pthread_sigmask(SIG_SETMASK, &before, nullptr); }
  };
  const Blocked blocked;
  return std::thread(std::move(body));
}

// The calling thread gets its time behind all others of its machine, and `name` (at most 15
// letters) in lists of threads. Where the system refuses, nothing changes.
inline void be_least_urgent(const char* name) {
  constexpr int kLeastUrgent = 19;
  ::pthread_setname_np(::pthread_self(), name);
  ::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), kLeastUrgent);
}

// Waits on a condition variable without a deadline, like wait(lock): it may return without a
// notification. std::condition_variable::wait does the same, but GCC 12 gave it a new symbol
// version (GLIBCXX_3.4.30), which would be the only thing that keeps a build of Debian 12 from
// starting on systems with GCC 11's library, such as RHEL 9.
inline void wait_once(std::condition_variable& changed, std::unique_lock<std::mutex>& lock) {
  pthread_cond_wait(changed.native_handle(), lock.mutex()->native_handle());
}

template <class Predicate>
void wait_until_true(std::condition_variable& changed, std::unique_lock<std::mutex>& lock,
                     Predicate predicate) {
  while (!predicate()) wait_once(changed, lock);
}

// A run is watched by threads of this process beside its work: the sampler, the heartbeat, the
// writer of the status, the endpoint. Every report says what CPU time they take together. This
// lives on the stack of such a thread, from its first line to its last.
class WatchingThread {
 public:
  WatchingThread();
  ~WatchingThread();
  WatchingThread(const WatchingThread&) = delete;
  WatchingThread& operator=(const WatchingThread&) = delete;
};

// CPU time of all such threads of this process so far, those that have ended included; in seconds,
// from any thread.
double watching_cpu_s();

// Whether `error` is that of a std::thread that could not be started.
bool is_thread_shortage(const std::exception& error);

// E_SYSTEM (71), naming `ulimit -u`, pids.max of the cgroup and what else is limited here.
Error thread_shortage();

// The limits under which no 256 processes fit, for errors of programs that do not say why they
// failed: "`ulimit -u` is 6"; empty: there are none.
std::string small_thread_limits();

// Ends the process for want of a thread, whoever asked for it, and returns where the process is
// ending already. The program calls the one that is set (apps/scalemark/intercepted_calls.h), a
// rank sets its own.
using OnThreadShortage = std::function<void(const ErrorRecord&)>;
using ThreadShortageHook = std::atomic<const OnThreadShortage*>;

}  // namespace scalemark
