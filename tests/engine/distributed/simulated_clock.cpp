#include "tests/engine/distributed/simulated_clock.h"

#include <algorithm>
#include <utility>

namespace scalemark::testing {
namespace {

// A waiting thread checks so often whether its condition or its time has come.
constexpr std::chrono::microseconds kPollPeriod{50};

// The thread that runs the test waits by no clock, and is not waited for.
thread_local bool is_simulated = false;

}  // namespace

SimulatedClock::time_point SimulatedClock::now() const {
  const std::lock_guard lock(mutex_);
  return now_;
}

void SimulatedClock::stop_running() {
  const std::lock_guard lock(mutex_);
  if (is_simulated) --running_;
  ++changes_;
}

void SimulatedClock::go_on_running() {
  const std::lock_guard lock(mutex_);
  if (is_simulated) ++running_;
}

bool SimulatedClock::is_due(Waiter& waiter) {
  const std::lock_guard lock(mutex_);
  if (now_ >= waiter.until) return true;
  waiter.looked_at = changes_;
  const bool all_wait = running_ == 0 && std::ranges::all_of(waiters_, [&](const Waiter& each) {
                          return each.looked_at == changes_;
                        });
  if (!all_wait) return false;
  now_ = std::ranges::min_element(waiters_, {}, &Waiter::until)->until;
  ++changes_;
  return now_ >= waiter.until;
}

bool SimulatedClock::wait_for(std::condition_variable& changed, std::unique_lock<std::mutex>& lock,
                              milliseconds limit, const std::function<bool()>& done) {
  std::list<Waiter> mine;
  mine.push_back({.until = now() + limit});
  const auto waiter = mine.begin();
  {
    const std::lock_guard own(mutex_);
    waiters_.splice(waiters_.end(), mine);
  }
  stop_running();
  while (!done() && !is_due(*waiter)) changed.wait_for(lock, kPollPeriod);
  go_on_running();
  {
    const std::lock_guard own(mutex_);
    waiters_.erase(waiter);
  }
  return done();
}

void SimulatedClock::sleep_for(milliseconds time) {
  std::mutex nobody;
  std::condition_variable never;
  std::unique_lock lock(nobody);
  wait_for(never, lock, time, [] { return false; });
}

std::thread SimulatedClock::start(std::function<void()> body) {
  {
    const std::lock_guard lock(mutex_);
    ++running_;
  }
  return std::thread([this, body = std::move(body)] {
    is_simulated = true;
    body();
    const std::lock_guard lock(mutex_);
    Ending& ending = endings_[std::this_thread::get_id()];
    ending.ended = true;
    if (!ending.has_heir) --running_;
    ++changes_;
  });
}

void SimulatedClock::join(std::thread& thread) {
  const auto id = thread.get_id();
  if (is_simulated) {
    const std::lock_guard lock(mutex_);
    Ending& ending = endings_[id];
    if (!ending.ended) {
      ending.has_heir = true;
      --running_;
      ++changes_;
    }
  }
  thread.join();
  const std::lock_guard lock(mutex_);
  endings_.erase(id);
}

SimulatedClock::Hold::Hold(SimulatedClock& clock) : clock_(clock) {
  const std::lock_guard lock(clock_.mutex_);
  ++clock_.running_;
}

SimulatedClock::Hold::~Hold() {
  const std::lock_guard lock(clock_.mutex_);
  --clock_.running_;
  ++clock_.changes_;
}

void SimulatedClock::skip(milliseconds time) {
  const std::lock_guard lock(mutex_);
  now_ += time;
  ++changes_;
}

}  // namespace scalemark::testing
