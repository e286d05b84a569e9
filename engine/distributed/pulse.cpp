#include "engine/distributed/pulse.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "engine/distributed/errors.h"

namespace scalemark::distributed {
namespace {

using std::chrono::milliseconds;

// Below the 10 s after which launchers end the remaining ranks when one has ended: rank 0 has
// reported the cause by then.
constexpr milliseconds kLostAfter{8000};

// Each rank writes its pulse and rank 0 reads them all: 2 ms for each rank keep that at 1,000
// requests a second.
milliseconds period_of(int world_size) {
  return std::clamp(milliseconds(2 * world_size), milliseconds(1000), milliseconds(2500));
}

// It holds "17 RECORD". Adding 0 to it makes it where it is missing, and reads the number; the
// record is lost then, until the next beat.
std::string pulse_key(int rank) { return "task/pulse/" + std::to_string(rank); }

}  // namespace

Pulse::Pulse(int rank, int world_size, ErrorStore& faults, Hooks hooks, Clock& clock)
    : rank_(rank),
      faults_(faults),
      hooks_(std::move(hooks)),
      period_(period_of(world_size)),
      seen_(rank == 0 ? static_cast<std::size_t>(world_size) : 0),
      records_(seen_.size()) {
  const bool alone = world_size == 1 && !hooks_.read;
  if (!alone)
    periodic_.emplace(
        period_, [this] { return beat(); }, clock);
}

std::int64_t Pulse::beats_of_rank_0(c10d::Store& store) { return store.add(pulse_key(0), 0); }

bool Pulse::beat() {
  try {
    const std::string record = hooks_.record ? hooks_.record() : std::string();
    if (seen_.size() != 1)
      faults_.store()->set(pulse_key(rank_), std::to_string(++beats_) + " " + record);
    const auto lost = silent_rank();
    if (rank_ == 0 && hooks_.read) {
      records_.front() = record;  // others may have taken it from the store
      hooks_.read(records_);
    }
    if (lost && hooks_.on_lost) hooks_.on_lost(loss_of(*lost));
    return !lost || !hooks_.on_lost;
  } catch (const std::exception&) {
    return false;  // the store is gone: every rank finds out by itself
  }
}

// One request where the store can answer several keys at once, which must be there then.
void Pulse::read_all() {
  const auto note = [&](std::size_t rank, const std::string& text) {
    const auto space = text.find(' ');
    const std::int64_t beats = std::stoll(text.substr(0, space));
    Seen& seen = seen_[rank];
    seen.silent_for = beats == seen.beats ? seen.silent_for + 1 : 0;
    seen.beats = beats;
    if (space != std::string::npos) records_[rank] = text.substr(space + 1);
  };
  c10d::Store& store = *faults_.store();
  if (keys_.empty()) {
    for (std::size_t rank = 0; rank < seen_.size(); ++rank) {
      const std::string key = pulse_key(static_cast<int>(rank));
      note(rank, std::to_string(store.add(key, 0)));
      keys_.push_back(key);
    }
  } else if (store.hasExtendedApi()) {
    const auto all = store.multiGet(keys_);
    for (std::size_t rank = 0; rank < all.size(); ++rank)
      note(rank, std::string(all[rank].begin(), all[rank].end()));
  } else {
    for (std::size_t rank = 0; rank < keys_.size(); ++rank)
      note(rank, store.get_to_str(keys_[rank]));
  }
}

std::optional<int> Pulse::silent_rank() {
  if (seen_.size() < 2) return std::nullopt;
  read_all();
  for (std::size_t rank = 1; rank < seen_.size(); ++rank) {
    if (seen_[rank].silent_for * period_ >= kLostAfter) return static_cast<int>(rank);
  }
  return std::nullopt;
}

ErrorRecord Pulse::loss_of(int rank) {
  if (auto end = faults_.own_end()) return *std::move(end);
  return peer_lost("a rank was lost: " + name_ranks({rank}) + " sends no heartbeat", {},
                   "look at its output, and check whether the system killed it")
      .record();
}

}  // namespace scalemark::distributed
