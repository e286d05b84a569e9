// Each rank tells the others of itself through the store while it runs: its sign of life, with a
// record of its own, and its position, by which a rank that notices a hang names the one that is
// missing. Knows no record's form.
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

// A rank's sign of life: every 1 to 2.5 s each rank sets one key of the store to a number that
// grows and a record of its own, and rank 0 reads them all in one request.
class Heartbeat {
 public:
  // All are called from the side thread and must not throw. Each may be empty.
  struct Hooks {
    // On rank 0: another rank is silent for 8 s, or why it left; called once, since the calling
    // thread may be waiting for that rank in a call that nothing ends.
    std::function<void(const ErrorRecord&)> on_lost;
    // This rank's record.
    std::function<std::string()> record;
    // On rank 0, after each poll: the newest record of every rank; empty before its first.
    std::function<void(const std::vector<std::string>&)> read;
  };

  // Begins at once; uses the connection of `faults`. A world of one rank makes no request.
  Heartbeat(int rank, int world_size, ErrorStore& faults, Hooks hooks, Clock& clock = real_clock());
  Heartbeat(const Heartbeat&) = delete;
  Heartbeat& operator=(const Heartbeat&) = delete;

  // How many heartbeats rank 0 has sent, by `store`. Throws as the store does.
  static std::int64_t count_of_rank_0(c10d::Store& store);

 private:
  bool send();  // false: nothing is left to be done
  std::optional<int> silent_rank();
  void read_all();
  ErrorRecord loss_of(int rank);

  int rank_;
  ErrorStore& faults_;
  Hooks hooks_;
  std::chrono::milliseconds period_;
  std::int64_t beats_ = 0;
  struct Seen {
    std::int64_t beats = 0;
    int silent_for = 0;  // in our own heartbeats: after a machine slept, no rank counts as lost
  };
  std::vector<Seen> seen_;            // rank 0: of each rank
  std::vector<std::string> records_;  // rank 0: of each rank
  std::vector<std::string> keys_;     // rank 0: once they are there
  std::optional<Periodic> periodic_;  // last: it uses the above
};

// Where a rank is. It is published so that a rank that notices a hang can name the one that did not
// reach the collective in which the others wait: best effort in bounded time.
struct Position {
  std::string group;              // empty: in none yet
  std::uint64_t collectives = 0;  // that it has begun in the group
  std::string phase;
  std::optional<std::int64_t> step;  // the last one that ended
};
template <class A>
constexpr void fields(A& a, typename A::template Field<Position>& p) {
  a.values(p.group, p.collectives, p.phase, p.step);
}

using PositionOfRank = std::map<int, Position>;

// Replaces this rank's earlier position. `store`: a connection in which no thread waits long.
// Returns within a second; never throws.
void post_position(const c10::intrusive_ptr<c10d::Store>& store, int rank,
                   const Position& mine) noexcept;

// The last position of each rank. Ranks that published none are missing; all are when the store
// does not answer within a second. Never throws.
PositionOfRank posted_positions(const c10::intrusive_ptr<c10d::Store>& store,
                                const std::vector<int>& ranks) noexcept;

// Who keeps `members` waiting, as the end of an error line: "rank 3 has not come to collective 57
// (it has begun 56; phase window, step 12)". Empty when there is only one member.
// Every member that has begun fewer collectives than another, or is in another group, is named.
std::string who_is_missing(const PositionOfRank& positions, const std::vector<int>& members,
                           const std::string& group);

}  // namespace scalemark::distributed
