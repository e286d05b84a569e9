#include "engine/distributed/heartbeat.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <iterator>
#include <ranges>
#include <utility>

#include "core/base/wire.h"
#include "engine/distributed/clock.h"
#include "engine/distributed/errors.h"
#include "engine/distributed/store.h"

namespace scalemark::distributed {
namespace {

using std::chrono::milliseconds;

// It is less than the 10 s after which launchers end the remaining ranks when one has ended, so
// rank 0 has reported the cause by then.
constexpr milliseconds kLostAfter{8000};
// Once a connection broke somebody is lost. The ranks that noticed it look for its name for
// ErrorStore::kCauseLimit, and one heartbeat may be late.
milliseconds lost_after_notice(milliseconds period) {
  return std::max(milliseconds(2000), 2 * period);
}

// Each rank writes its heartbeat and rank 0 reads them all; 2 ms for each rank limit that to 1,000
// requests a second.
milliseconds period_of(int world_size) {
  return std::clamp(milliseconds(2 * world_size), milliseconds(1000), milliseconds(2500));
}

// Rank 0 has posted who is lost, and sends no more heartbeats.
constexpr std::int64_t kHasToldLoss = -1;

// The key holds "17 RECORD". Adding 0 reads the number, and creates the key where it is missing.
// That drops the record until the next heartbeat.
std::string heartbeat_key(int rank) { return "task/heartbeat/" + std::to_string(rank); }

}  // namespace

Heartbeat::Heartbeat(int rank, int world_size, ErrorStore& faults, Hooks hooks, Clock& clock)
    : rank_(rank),
      world_size_(world_size),
      faults_(faults),
      hooks_(std::move(hooks)),
      clock_(clock),
      period_(period_of(world_size)),
      seen_(rank == 0        ? static_cast<std::size_t>(world_size)
            : hooks_.on_lost ? 1
                             : 0),
      records_(seen_.size()) {
  const bool alone = world_size == 1 && !hooks_.read;
  if (!alone)
    periodic_.emplace(
        period_, [this] { return send(); }, clock, /*at_once=*/true);
}

std::int64_t Heartbeat::count_of_rank_0(c10d::Store& store) {
  return store.add(heartbeat_key(0), 0);
}

bool Heartbeat::send() {
  std::vector<int> lost;
  try {
    const std::string record = hooks_.record ? hooks_.record() : std::string();
    if (world_size_ > 1) lost = exchange(std::to_string(++beats_) + " " + record);
    if (rank_ == 0 && hooks_.read) {
      records_.front() = record;  // others may have removed it from the store
      hooks_.read(records_);
    }
  } catch (const std::exception&) {
    // The store is gone. Rank 0 notices that by itself; another rank may be waiting for one that
    // closed no connection.
    if (rank_ == 0 || seen_.empty()) return false;
    ++seen_.front().silent_for;
    lost = silent_ranks(kLostAfter);
  }
  if (lost.empty() || !hooks_.on_lost) return true;
  const ErrorRecord loss = loss_of(lost);
  if (rank_ == 0) tell_others(loss);
  hooks_.on_lost(loss);
  return false;
}

// The others may be waiting for the lost rank as well, and the store ends with this process.
void Heartbeat::tell_others(const ErrorRecord& loss) {
  faults_.post(loss);
  try {
    faults_.store()->set(heartbeat_key(0), std::to_string(kHasToldLoss));
    clock_.sleep_for(period_ + milliseconds(500));
  } catch (const std::exception&) {  // the store is gone: nobody can be told
  }
}

void Heartbeat::note(std::size_t rank, std::int64_t beats) {
  Seen& seen = seen_[rank];
  // A rank that has not begun is slow, and not silent: its disk may be.
  seen.silent_for = beats == seen.beats && beats > 0 ? seen.silent_for + 1 : 0;
  seen.beats = beats;
}

// Makes one request where the store can answer several keys at once, all of which must exist then.
void Heartbeat::read_all() {
  const auto read = [&](std::size_t rank, const std::string& text) {
    const auto space = text.find(' ');
    note(rank, std::stoll(text.substr(0, space)));
    if (space != std::string::npos) records_[rank] = text.substr(space + 1);
  };
  c10d::Store& store = *faults_.store();
  if (keys_.empty()) {
    for (std::size_t rank = 0; rank < seen_.size(); ++rank) {
      const std::string key = heartbeat_key(static_cast<int>(rank));
      read(rank, std::to_string(store.add(key, 0)));
      keys_.push_back(key);
    }
  } else {
    const auto all = values_of(store, keys_);
    for (std::size_t rank = 0; rank < all.size(); ++rank) read(rank, all[rank]);
  }
}

std::vector<int> Heartbeat::exchange(const std::string& mine) {
  const auto store = faults_.store();
  const auto publish = [store, key = heartbeat_key(rank_), mine] { store->set(key, mine); };
  auto limit = kLostAfter;
  if (rank_ == 0) {
    publish();
    read_all();
    if (hooks_.on_lost && ErrorStore::loss_is_noticed(*store)) limit = lost_after_notice(period_);
  } else if (seen_.empty()) {
    publish();
  } else {
    // A host that vanishes with the store answers no request, and closes no connection.
    const auto count = [store, publish] {
      publish();
      return count_of_rank_0(*store);
    };
    const auto beats = within(kLostAfter, count, clock_);
    if (!beats || *beats == kHasToldLoss) return {0};
    note(0, *beats);
  }
  return silent_ranks(limit);
}

std::vector<int> Heartbeat::silent_ranks(milliseconds limit) const {
  int longest = 0;
  for (const Seen& seen : seen_) longest = std::max(longest, seen.silent_for);
  if (longest == 0 || longest * period_ < limit) return {};
  std::vector<int> ranks;
  for (std::size_t rank = rank_ == 0 ? 1 : 0; rank < seen_.size(); ++rank) {
    if (seen_[rank].silent_for >= std::max(2, longest - 1)) ranks.push_back(static_cast<int>(rank));
  }
  return ranks;
}

ErrorRecord Heartbeat::loss_of(const std::vector<int>& ranks) {
  if (auto end = faults_.own_end()) return *std::move(end);
  const bool one = ranks.size() == 1;
  ErrorRecord record =
      peer_lost((one ? "a rank was lost: " : "ranks were lost: ") + name_ranks(ranks) +
                    (one ? " sends" : " send") + " no heartbeat",
                {}, "look at its output, and check whether the system killed it")
          .record();
  // Others end without a rank that was stopped.
  if (longest_stop() < kLostAfter) record.rank = ranks.front();
  return record;
}

namespace {

constexpr std::chrono::milliseconds kLimit{1000};
constexpr std::size_t kMostDescribed = 4;  // ranks that one line describes

std::string key_of(int rank) { return "position/" + std::to_string(rank); }

// Makes two requests where every rank has published, since in a hang all ranks read at once.
PositionOfRank read_positions(c10d::Store& store, std::vector<int> ranks) {
  const auto keys = [&] {
    std::vector<std::string> all;
    for (const int rank : ranks) all.push_back(key_of(rank));
    return all;
  };
  if (!store.check(keys()))
    std::erase_if(ranks, [&](int rank) { return !store.check({key_of(rank)}); });
  PositionOfRank positions;
  const auto values = values_of(store, keys());
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    if (auto at = try_from_wire<Position>(values[i])) positions[ranks[i]] = *std::move(at);
  }
  return positions;
}

// Returns the collectives begun in the group; 0 for a rank that is not in it.
std::uint64_t begun_by(const PositionOfRank& positions, int rank, const std::string& group) {
  const auto found = positions.find(rank);
  return found == positions.end() || found->second.group != group ? 0 : found->second.collectives;
}

std::string stage_of(const PositionOfRank& positions, int rank, const std::string& group) {
  const auto found = positions.find(rank);
  if (found == positions.end()) return "it has published no position";
  const Position& at = found->second;
  std::string text = at.group == group ? "it has begun " + std::to_string(at.collectives)
                                       : "it is not in the group";
  if (!at.phase.empty()) text += "; phase " + at.phase;
  if (at.step) text += ", step " + std::to_string(*at.step);
  return text;
}

std::string places_of(const PositionOfRank& positions, const std::vector<int>& late,
                      const std::string& group) {
  if (late.size() == 1) return stage_of(positions, late.front(), group);
  std::string text;
  for (std::size_t i = 0; i < std::min(late.size(), kMostDescribed); ++i) {
    if (i > 0) text += "; ";
    text += "rank " + std::to_string(late[i]) + ": " + stage_of(positions, late[i], group);
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
  auto positions = within(kLimit, [store, ranks] { return read_positions(*store, ranks); });
  return positions ? *std::move(positions) : PositionOfRank{};
} catch (const std::exception&) {
  return {};
}

std::vector<int> late_ranks(const PositionOfRank& positions, const std::vector<int>& members,
                            const std::string& group) {
  if (members.size() < 2) return {};
  const auto begun = [&](int rank) { return begun_by(positions, rank, group); };
  const auto [least, most] = std::ranges::minmax(members | std::views::transform(begun));
  std::vector<int> late;
  if (least == most) return late;
  std::ranges::copy_if(members, std::back_inserter(late),
                       [&, fewest = least](int rank) { return begun(rank) == fewest; });
  return late;
}

std::string who_is_missing(const PositionOfRank& positions, const std::vector<int>& members,
                           const std::string& group) {
  if (members.size() < 2) return {};
  const auto late = late_ranks(positions, members, group);
  // Not all wait for one that is late: in a gather along a tree some go on to the next collective.
  const std::uint64_t least = begun_by(positions, (late.empty() ? members : late).front(), group);
  std::uint64_t next = 0;
  for (const int rank : members) {
    const std::uint64_t begun = begun_by(positions, rank, group);
    if (begun > least && (next == 0 || begun < next)) next = begun;
  }
  if (late.empty()) {
    if (least == 0) return {};  // no rank is in a collective
    return "every rank has reached collective " + std::to_string(least) +
           ": its backend makes no progress";
  }
  return name_ranks(late) + (late.size() == 1 ? " has" : " have") + " not reached collective " +
         std::to_string(next) + " (" + places_of(positions, late, group) + ")";
}

}  // namespace scalemark::distributed
