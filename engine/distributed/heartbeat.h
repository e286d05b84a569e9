// Each rank publishes two things through the store while it runs: its sign of life, with a record
// of its own, and its position, by which a rank that notices a hang names the missing one. Knows no
// record's form.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <torch/csrc/distributed/c10d/Store.hpp>
#include <vector>

#include "core/base/error.h"
#include "engine/distributed/clock.h"
#include "engine/distributed/error_store.h"

namespace scalemark::distributed {

// A rank's sign of life. At once and every 1 to 2.5 s each rank sets one key of the store to a
// growing number and a record of its own, and rank 0 reads all keys in one request.
class Heartbeat {
 public:
  // All are called in the side thread and must not throw. Each may be empty.
  struct Hooks {
    // Called on rank 0 when other ranks are silent for 8 s, or two beats once a rank's connection
    // broke, and on another rank when rank 0 is silent for 8 s, with that or the reason why it
    // left. It is called once only, since the calling thread may be waiting for that rank in a call
    // that nothing ends.
    std::function<void(const ErrorRecord&)> on_lost;
    // Returns this rank's record.
    std::function<std::string()> record;
    // Called on rank 0 after each poll, with the newest record of every rank; a record is empty
    // before a rank's first.
    std::function<void(const std::vector<std::string>&)> read;
  };

  // Begins at once and uses the connection of `faults`. A world of one rank makes no request.
  Heartbeat(int rank, int world_size, ErrorStore& faults, Hooks hooks, Clock& clock = real_clock());
  Heartbeat(const Heartbeat&) = delete;
  Heartbeat& operator=(const Heartbeat&) = delete;

  // Asks `store` how many heartbeats rank 0 has sent. Throws as the store does.
  static std::int64_t count_of_rank_0(c10d::Store& store);

 private:
  bool send();  // false: no more heartbeats are needed
  // Publishes this rank's and reads the others'. Returns lost ranks.
  std::vector<int> exchange(const std::string& mine);
  void note(std::size_t rank, std::int64_t beats);
  void read_all();
  // Returns those that are silent for `limit`, and for as long as the longest or one beat less:
  // ranks that were lost together sent their last ones before and after rank 0's look at them.
  std::vector<int> silent_ranks(std::chrono::milliseconds limit) const;
  ErrorRecord loss_of(const std::vector<int>& ranks);
  void tell_others(const ErrorRecord& loss);

  int rank_;
  int world_size_;
  ErrorStore& faults_;
  Hooks hooks_;
  Clock& clock_;
  std::chrono::milliseconds period_;
  std::int64_t beats_ = 0;
  struct Seen {
    std::int64_t beats = 0;
    // Counted in our own heartbeats, so that after a machine slept no rank counts as lost.
    int silent_for = 0;
  };
  std::vector<Seen> seen_;            // rank 0: one of each rank; another: of rank 0, if at all
  std::vector<std::string> records_;  // rank 0: one of each rank
  std::vector<std::string> keys_;     // once all exist; on rank 0
  std::optional<Periodic> periodic_;  // last: it uses the above
};

// Where a rank is. It is published, best effort in bounded time, so that a rank that notices a hang
// can name the one that did not reach the collective in which the others wait.
struct Position {
  std::string group;              // empty: in none yet
  std::uint64_t collectives = 0;  // collectives that the rank has begun in the group
  std::string phase;
  std::optional<std::int64_t> step;  // the last completed step
};
template <class A>
constexpr void fields(A& a, typename A::template Field<Position>& p) {
  a.values(p.group, p.collectives, p.phase, p.step);
}

using PositionOfRank = std::map<int, Position>;

// Replaces this rank's earlier position. `store` must be a connection in which no thread waits
// long. Returns within a second; never throws.
void post_position(const c10::intrusive_ptr<c10d::Store>& store, int rank,
                   const Position& mine) noexcept;

// Returns the last position of each rank. Ranks that published none are missing; all are missing
// when the store does not answer within a second. Never throws.
PositionOfRank posted_positions(const c10::intrusive_ptr<c10d::Store>& store,
                                const std::vector<int>& ranks) noexcept;

// Returns those of `members` that have begun fewer collectives than another or are in another
// group. Empty: all have begun as many, or there is only one member.
std::vector<int> late_ranks(const PositionOfRank& positions, const std::vector<int>& members,
                            const std::string& group);

// Returns who keeps `members` waiting, as the end of an error line: "rank 3 has not come to
// collective 57 (it has begun 56; phase window, step 12)". It names late_ranks().
// Empty when there is only one member.
std::string who_is_missing(const PositionOfRank& positions, const std::vector<int>& members,
                           const std::string& group);

}  // namespace scalemark::distributed
