// Waiting on a condition variable without a deadline. std::condition_variable::wait does the same,
// but GCC 12 gave it a new symbol version (GLIBCXX_3.4.30), which would be the only thing that
// keeps a build of Debian 12 from starting on systems with GCC 11's library, such as RHEL 9.
#pragma once

#include <pthread.h>

#include <condition_variable>
#include <mutex>

namespace scalemark {

// Waits like wait(lock): it may return without a notification.
inline void wait_once(std::condition_variable& changed, std::unique_lock<std::mutex>& lock) {
  pthread_cond_wait(changed.native_handle(), lock.mutex()->native_handle());
}

template <class Predicate>
void wait_until_true(std::condition_variable& changed, std::unique_lock<std::mutex>& lock,
                     Predicate predicate) {
  while (!predicate()) wait_once(changed, lock);
}

}  // namespace scalemark
