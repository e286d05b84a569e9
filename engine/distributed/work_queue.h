// How the ranks of a sweep learn what comes next, and how those that took part say how it went:
// through the store, so that a rank that has nothing to do waits idle and no collective can time
// out under it. Texts only; knows no points. The keys are few: nothing grows.
//
// A waiting rank sits in one request, for the bell of the next notice, and looks around once a
// second: about four requests a second, while the one that serves the store may be measuring.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <torch/csrc/distributed/c10d/Store.hpp>
#include <vector>

#include "engine/distributed/awake_clock.h"
#include "engine/distributed/error_store.h"
#include "engine/distributed/periodic.h"

namespace scalemark::distributed {

struct WorkMessage {
  std::int64_t number = 0;  // 1, 2, ... over the whole run
  std::string text;
};

class WorkQueue {
 public:
  using OnLost = std::function<void(const ErrorRecord&)>;

  // `patience`: how long a waiting rank bears that rank 0 gives no sign of life (any notice, or the
  // pulse that each rank's side thread writes). `on_lost`, on rank 0: another rank is silent for
  // 8 s, or why it left; called once, from the side thread, since the calling thread may be waiting
  // for that rank in a call that nothing ends. `look`: between two looks around of a waiting rank.
  // The side threads use the connection of `faults`.
  WorkQueue(const c10::intrusive_ptr<c10d::Store>& store, int rank, int world_size,
            ErrorStore& faults, std::chrono::milliseconds patience, OnLost on_lost,
            std::chrono::milliseconds look = kLook);
  ~WorkQueue();
  WorkQueue(const WorkQueue&) = delete;
  WorkQueue& operator=(const WorkQueue&) = delete;

  // Rank 0 only: what every rank does next.
  WorkMessage post(const std::string& text);
  // The same, and the last: from now on the others may be gone.
  void post_last(const std::string& text);

  // The newest notice above `last_seen`; a rank that had no part in one may never see it. `idle` is
  // called before each look while waiting. Throws the fault that another rank posted,
  // and E_PEER_LOST (69) when the store or rank 0 is gone.
  WorkMessage next(std::int64_t last_seen, const std::function<void()>& idle);

  // How notice `number` went on this rank. Also tells the others at once that it failed: see
  // called_off().
  void report_result(std::int64_t number, const std::string& text, bool failed);

  using ResultTexts = std::map<int, std::string>;
  // Rank 0 only: the votes of `members` on notice `number`, by rank. Waits for all of them as long
  // as `patient(votes so far)` says so; those that are missing then are missing in the result.
  // Throws as next() does.
  ResultTexts result_texts(
      std::int64_t number, const std::vector<int>& members,
      const std::function<bool(const ResultTexts&, std::chrono::milliseconds waited)>& patient,
      const std::function<void()>& idle);

  // Whether some rank voted that notice `number` failed: for a side thread that frees this rank
  // from a collective. Never throws; false when the store is gone.
  bool called_off(std::int64_t number) noexcept;

  static constexpr std::chrono::milliseconds kLook{1000};

 private:
  bool beat();  // false: nothing is left to be done
  std::optional<int> silent_rank();
  std::vector<std::int64_t> read_pulses();
  std::int64_t pulse_of_rank_0();
  std::optional<WorkMessage> newest_above(std::int64_t last_seen);
  bool bell_rings(std::int64_t number);
  void require_pulse_of_rank_0(std::int64_t& beats, std::chrono::milliseconds& silent_since,
                               std::chrono::milliseconds now);
  void read_result_texts(std::int64_t number, std::int64_t& read_so_far, ResultTexts& result_texts);
  ErrorRecord loss_of(int rank);
  void refuse_posted_error();
  std::optional<std::string> read(const std::string& key);

  c10::intrusive_ptr<c10d::Store> store_;       // the calling thread waits in it
  c10::intrusive_ptr<c10d::Store> side_store_;  // of side threads
  int rank_;
  ErrorStore& faults_;
  std::chrono::milliseconds patience_;
  OnLost on_lost_;
  std::chrono::milliseconds look_;
  std::chrono::milliseconds pulse_period_;
  std::int64_t posted_ = 0;
  struct Pulse {
    std::int64_t beats = 0;
    int silent_for = 0;  // of our own beats: a machine that sleeps as a whole loses nobody
  };
  std::vector<Pulse> pulses_;            // rank 0: of each rank
  std::vector<std::string> pulse_keys_;  // rank 0: once they are there
  std::optional<Periodic> pulse_;        // last: it uses the above
};

}  // namespace scalemark::distributed
