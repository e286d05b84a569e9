// Starts a thread that takes no signals: they are for the threads that wait for them. Knows nothing
// of what the thread does.
#pragma once

#include <pthread.h>

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

}  // namespace scalemark
