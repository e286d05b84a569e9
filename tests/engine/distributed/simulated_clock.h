// Time for ranks that are threads of a test. It moves when all of them wait, to the moment for
// which the first one waits: 10 s of waiting take milliseconds, and nothing depends on the
// machine's load.
#pragma once

#include <cstdint>
#include <list>
#include <map>

#include "engine/distributed/clock.h"

namespace scalemark::testing {

class SimulatedClock : public distributed::Clock {
 public:
  time_point now() const override;
  void sleep_for(milliseconds time) override;
  bool wait_for(std::condition_variable& changed, std::unique_lock<std::mutex>& lock,
                milliseconds limit, const std::function<bool()>& done) override;
  std::thread start(std::function<void()> body) override;
  void join(std::thread& thread) override;
  bool stores_may_block() const override { return false; }

  // A time in which nobody ran: the machine slept.
  void skip(milliseconds time);
  // Time stands still while it lives: several threads are being started.
  class Hold {
   public:
    explicit Hold(SimulatedClock& clock);
    ~Hold();
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;

   private:
    SimulatedClock& clock_;
  };

 private:
  struct Waiter {
    time_point until;
    std::uint64_t looked_at = 0;  // the change after which it last found that it must wait on
  };
  void stop_running();
  void go_on_running();
  // Whether `waiter`'s time is over. Moves the time if everybody waits in vain.
  bool is_due(Waiter& waiter);

  mutable std::mutex mutex_;
  time_point now_{std::chrono::seconds(1000)};
  int running_ = 0;  // threads of start() that do not wait
  // By thread: whether it has ended, and whether the thread that joins it continues in its place,
  // so that no time passes in between.
  struct Ending {
    bool ended = false, has_heir = false;
  };
  std::map<std::thread::id, Ending> endings_;
  // Grows when a thread has run until it waited, or when time has moved.
  std::uint64_t changes_ = 1;
  std::list<Waiter> waiters_;
};

}  // namespace scalemark::testing
