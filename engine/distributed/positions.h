// Publishes, through the store, where each rank is, so that a rank that notices a hang can name the
// one that did not reach the collective in which the others wait. Best effort in bounded time.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <torch/csrc/distributed/c10d/Store.hpp>
#include <vector>

namespace scalemark::distributed {

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
std::string who_is_missing(const PositionOfRank& told, const std::vector<int>& members,
                           const std::string& group);

}  // namespace scalemark::distributed
