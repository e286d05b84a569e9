// Starts a thread that takes no signals: they are for the threads that wait for them. Knows nothing
// of what the thread does.
#pragma once

#include <pthread.h>

#include <csignal>
#include <thread>
#include <utility>

namespace scalemark {

inline std::thread quiet_thread(auto body) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread thread(std::move(body));
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return thread;
}

}  // namespace scalemark
