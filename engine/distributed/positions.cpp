#include "engine/distributed/positions.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <utility>

#include "core/base/wire.h"
#include "engine/distributed/bounded.h"
#include "engine/distributed/errors.h"

namespace scalemark::distributed {
namespace {

constexpr std::chrono::milliseconds kLimit{1000};
constexpr std::size_t kMostDescribed = 4;  // ranks in one line, with where they are

std::string key_of(int rank) { return "position/" + std::to_string(rank); }

void add(PositionOfRank& positions, int rank, std::string_view bytes) {
  if (auto position = try_from_wire<Position>(bytes)) positions[rank] = *std::move(position);
}

// Two requests where every rank has published: in a hang, all ranks read at once.
PositionOfRank read_positions(c10d::Store& store, const std::vector<int>& ranks) {
  PositionOfRank positions;
  std::vector<std::string> keys;
  for (const int rank : ranks) keys.push_back(key_of(rank));
  if (store.hasExtendedApi() && store.check(keys)) {
    const auto values = store.multiGet(keys);
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      add(positions, ranks[i], {reinterpret_cast<const char*>(values[i].data()), values[i].size()});
    }
    return positions;
  }
  for (const int rank : ranks) {
    if (store.check({key_of(rank)})) add(positions, rank, store.get_to_str(key_of(rank)));
  }
  return positions;
}

// Collectives begun in the group; 0 for a rank that is not in it.
std::uint64_t begun_by(const PositionOfRank& told, int rank, const std::string& group) {
  const auto found = told.find(rank);
  return found == told.end() || found->second.group != group ? 0 : found->second.collectives;
}

std::string stage_of(const PositionOfRank& told, int rank, const std::string& group) {
  const auto found = told.find(rank);
  if (found == told.end()) return "it has published no position";
  const Position& at = found->second;
  std::string text = at.group == group ? "it has begun " + std::to_string(at.collectives)
                                       : "it is not in the group";
  if (!at.phase.empty()) text += "; phase " + at.phase;
  if (at.step) text += ", step " + std::to_string(*at.step);
  return text;
}

std::string places_of(const PositionOfRank& told, const std::vector<int>& late,
                      const std::string& group) {
  if (late.size() == 1) return stage_of(told, late.front(), group);
  std::string text;
  for (std::size_t i = 0; i < std::min(late.size(), kMostDescribed); ++i) {
    if (i > 0) text += "; ";
    text += "rank " + std::to_string(late[i]) + ": " + stage_of(told, late[i], group);
  }
  return late.size() > kMostDescribed ? text + "; ..." : text;
}

}  // namespace

void post_position(const c10::intrusive_ptr<c10d::Store>& store, int rank,
                   const Position& mine) noexcept try {
  within(kLimit, [store, key = key_of(rank), text = to_wire(mine)] {
    store->set(key, text);
    return true;
  });
} catch (const std::exception&) {
  // The store is gone: the position cannot be published.
}

PositionOfRank posted_positions(const c10::intrusive_ptr<c10d::Store>& store,
                                const std::vector<int>& ranks) noexcept try {
  auto told = within(kLimit, [store, ranks] { return read_positions(*store, ranks); });
  return told ? *std::move(told) : PositionOfRank{};
} catch (const std::exception&) {
  return {};
}

std::string who_is_missing(const PositionOfRank& told, const std::vector<int>& members,
                           const std::string& group) {
  if (members.size() < 2) return {};
  std::uint64_t most = 0;
  for (const int rank : members) most = std::max(most, begun_by(told, rank, group));
  if (most == 0) return {};  // no rank is in a collective
  std::vector<int> late;
  for (const int rank : members) {
    if (begun_by(told, rank, group) < most) late.push_back(rank);
  }
  if (late.empty()) {
    return "every rank has reached collective " + std::to_string(most) +
           ": its backend makes no progress";
  }
  return name_ranks(late) + (late.size() == 1 ? " has" : " have") + " not reached collective " +
         std::to_string(most) + " (" + places_of(told, late, group) + ")";
}

}  // namespace scalemark::distributed
