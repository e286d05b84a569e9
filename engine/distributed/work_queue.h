// Sends a sweep's tasks to its ranks, and the members' results to rank 0, through the store: a rank
// without a task waits idle, outside any collective that could time out. Handles texts only and
// knows no points. The number of keys is bounded.
//
// A waiting rank blocks in one request, for the next message's key, and checks for faults once a
// second: about four requests a second, as the rank that serves the store may be measuring.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <torch/csrc/distributed/c10d/Store.hpp>
#include <vector>

#include "engine/distributed/clock.h"
#include "engine/distributed/error_store.h"
#include "engine/distributed/heartbeat.h"

namespace scalemark::distributed {

struct WorkMessage {
  std::int64_t number = 0;  // 1, 2, ... over the whole run
  std::string text;
};

class WorkQueue {
 public:
  // `heartbeat_timeout`: how long a waiting rank tolerates neither a message nor a heartbeat from
  // rank 0. `poll_period`: time between two checks of a waiting rank. Side threads use the
  // connection of `faults`.
  WorkQueue(const c10::intrusive_ptr<c10d::Store>& store, int rank, int world_size,
            ErrorStore& faults, std::chrono::milliseconds heartbeat_timeout,
            Heartbeat::Hooks heartbeat, std::chrono::milliseconds poll_period = kPollPeriod,
            Clock& clock = real_clock());
  ~WorkQueue();
  WorkQueue(const WorkQueue&) = delete;
  WorkQueue& operator=(const WorkQueue&) = delete;

  // Rank 0 only: sends the next task to every rank.
  WorkMessage post(const std::string& text);
  // Sends the last message; afterwards the other ranks may be gone.
  void post_last(const std::string& text);

  // Returns the newest message above `last_seen`; a rank may miss one in which it has no part.
  // `idle` is called before each poll while waiting. Throws the fault that another rank posted, and
  // E_PEER_LOST (69) when the store or rank 0 is gone.
  WorkMessage next(std::int64_t last_seen, const std::function<void()>& idle);

  // Reports this rank's result of message `number`. Other ranks see a failure at once: see
  // called_off().
  void report_result(std::int64_t number, const std::string& text, bool failed);

  using ResultTexts = std::map<int, std::string>;
  // Rank 0 only: returns the results of `members` on message `number`, by rank. Waits for all of
  // them while `keep_waiting(results so far)` is true; those that are missing then are left out.
  // Throws as next() does.
  ResultTexts result_texts(
      std::int64_t number, const std::vector<int>& members,
      const std::function<bool(const ResultTexts&, std::chrono::milliseconds waited)>& keep_waiting,
      const std::function<void()>& idle);

  // Whether some rank reported that message `number` failed. A side thread asks this to free its
  // rank from a collective. Never throws; false when the store is gone.
  bool called_off(std::int64_t number) noexcept;

  static constexpr std::chrono::milliseconds kPollPeriod{1000};

 private:
  std::optional<WorkMessage> newest_above(std::int64_t last_seen);
  void require_heartbeat_of_rank_0(std::int64_t& beats, std::chrono::milliseconds& silent_since,
                                   std::chrono::milliseconds now);
  void read_result_texts(std::int64_t number, std::int64_t& read_so_far, ResultTexts& result_texts);
  void refuse_posted_error();
  // Returns request(), which asks the store. Throws a posted fault, or that rank 0 is gone.
  template <class Request>
  auto asked(Request request) -> decltype(request());
  std::optional<std::string> read(const std::string& key);

  c10::intrusive_ptr<c10d::Store> store_;       // the calling thread waits in this one
  c10::intrusive_ptr<c10d::Store> side_store_;  // side threads use this one
  int rank_;
  ErrorStore& faults_;
  std::chrono::milliseconds heartbeat_timeout_;
  std::chrono::milliseconds poll_period_;
  Clock& clock_;
  std::int64_t posted_ = 0;
  std::optional<Heartbeat> heartbeat_;
};

}  // namespace scalemark::distributed
