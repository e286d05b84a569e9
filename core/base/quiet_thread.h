// Threads beside a run's work: they take no signals, which are for the threads that wait for them,
// and may be the least urgent ones. Knows nothing of what such a thread does.
#pragma once

#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <thread>
#include <utility>

namespace scalemark {

inline std::thread quiet_thread(auto body) {
  struct Blocked {  // also where no thread can be started
    sigset_t before{};
    Blocked() {
      sigset_t all;
      sigfillset(&all);
      pthread_sigmask(SIG_SETMASK, &all, &before);
    }
    ~Blocked() { pthread_sigmask(SIG_SETMASK, &before, nullptr); }
  };
  const Blocked blocked;
  return std::thread(std::move(body));
}

// The calling thread gets its time behind all others of its machine, and `name` (at most 15
// letters) in lists of threads. Where the system refuses, it goes on as it was.
inline void be_least_urgent(const char* name) {
  constexpr int kLeastUrgent = 19;
  ::pthread_setname_np(::pthread_self(), name);
  ::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), kLeastUrgent);
}

}  // namespace scalemark
