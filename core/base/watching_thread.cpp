#include "core/base/watching_thread.h"

#include <pthread.h>

#include <algorithm>
#include <ctime>
#include <mutex>
#include <vector>

namespace scalemark {
namespace {

double seconds_on(clockid_t clock) {
  timespec time{};
  if (clock_gettime(clock, &time) != 0) return 0;
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

struct Threads {
  std::mutex mutex;
  std::vector<clockid_t> clocks;  // of threads that live: one that has ended has no clock
  double ended_s = 0;
};

// Never destroyed: such a thread may outlive main().
Threads& threads() {
  static auto* all = new Threads;
  return *all;
}

clockid_t own_clock() {
  clockid_t clock{};
  return pthread_getcpuclockid(pthread_self(), &clock) == 0 ? clock : CLOCK_THREAD_CPUTIME_ID;
}

}  // namespace

WatchingThread::WatchingThread() {
  const std::lock_guard lock(threads().mutex);
  threads().clocks.push_back(own_clock());
}

WatchingThread::~WatchingThread() {
  const std::lock_guard lock(threads().mutex);
  const auto found = std::ranges::find(threads().clocks, own_clock());
  if (found != threads().clocks.end()) threads().clocks.erase(found);
  threads().ended_s += seconds_on(CLOCK_THREAD_CPUTIME_ID);
}

double watching_cpu_s() {
  const std::lock_guard lock(threads().mutex);
  double sum = threads().ended_s;
  for (const clockid_t clock : threads().clocks) sum += seconds_on(clock);
  return sum;
}

}  // namespace scalemark
