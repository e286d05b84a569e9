#include "engine/running/data_phase.h"

#include <algorithm>
#include <optional>
#include <thread>
#include <utility>

#include "core/base/durations.h"
#include "data/hash128.h"
#include "engine/distributed/fault.h"

namespace scalemark::running {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr const char* kBeatsKey = "data/beats";  // counted up by every rank that reads
constexpr const char* kReadyKey = "data/ready";  // how many ranks are through
constexpr const char* kAllReadyKey = "data/all-ready";
constexpr const char* kFaultKey = "fault/count";
constexpr milliseconds kBeatPeriod{1000};
constexpr milliseconds kFirstLook{5};

// So that the looks of many ranks are no load on the one store.
milliseconds longest_look(int world_size, milliseconds beat_period) {
  return std::min(std::clamp(milliseconds(world_size), milliseconds(20), milliseconds(1000)),
                  beat_period);
}

std::string key_of(const Session& session, const std::string& what) {
  data::Hash128 hash;
  hash.add(what);
  return "data/" + session.host() + "/" + std::to_string(session.world().node) + "/" +
         data::to_hex(hash.digest());
}

// What a store throws is the loss of a peer.
template <class Call>
auto asking(Session& session, Call call) {
  try {
    return call(*session.store_pointer());
  } catch (...) {
    throw distributed::translate_collective_error(std::current_exception(), session.board());
  }
}

}  // namespace

DataPhase::DataPhase(RankLife& life, Session& session)
    : life_(life),
      session_(session),
      beat_period_(
          std::min(kBeatPeriod, milliseconds_of(life.progression().timeout_of("data") / 4))) {
  life.progression().enter("data");
}

void DataPhase::still_reading() {
  life_.watchdog().heartbeat(-1);
  const auto now = steady_clock::now();
  if (session_.world().world_size == 1 || now < next_beat_) return;
  next_beat_ = now + beat_period_;
  asking(session_, [](c10d::Store& store) { return store.add(kBeatsKey, 1); });
}

SharedBytes DataPhase::once_per_node(const std::string& what,
                                     const std::function<SharedBytes()>& make) {
  if (ranks_here() == 1) return make();
  const std::string key = key_of(session_, what), ticket_key = key + "/ticket";
  const bool first =
      asking(session_, [&](c10d::Store& store) { return store.add(key + "/readers", 1) == 1; });
  if (!first) {
    await(ticket_key);
    const auto ticket =
        asking(session_, [&](c10d::Store& store) { return store.get_to_str(ticket_key); });
    if (auto taken = take_offered(ticket)) return *std::move(taken);
    return make();
  }
  SharedBytes made = make();
  auto offer = OfferedBytes::of(made.bytes);
  const std::string ticket = offer ? offer->ticket() : "none";
  if (offer) offered_.push_back(*std::move(offer));
  asking(session_, [&](c10d::Store& store) { store.set(ticket_key, ticket); });
  // The one copy that all share, where there is one.
  if (auto taken = take_offered(ticket)) return *std::move(taken);
  return made;
}

void DataPhase::finish() {
  const int world_size = session_.world().world_size;
  if (world_size > 1) {
    asking(session_, [&](c10d::Store& store) {
      if (store.add(kReadyKey, 1) == world_size) store.set(kAllReadyKey, "1");
    });
    await(kAllReadyKey);
  }
  offered_.clear();
}

void DataPhase::await(const std::string& key) {
  std::optional<std::int64_t> beats;
  milliseconds look = kFirstLook;
  const milliseconds longest = longest_look(session_.world().world_size, beat_period_);
  while (!asking(session_, [&](c10d::Store& store) { return store.check({key}); })) {
    look_for_fault();
    const auto now = asking(session_, [](c10d::Store& store) { return store.add(kBeatsKey, 0); });
    if (now != beats) life_.watchdog().heartbeat(-1);
    beats = now;
    std::this_thread::sleep_for(look);
    look = std::min(longest, 2 * look);
  }
}

void DataPhase::look_for_fault() {
  if (!asking(session_, [](c10d::Store& store) { return store.check({kFaultKey}); })) return;
  const auto cause = session_.board().find_cause(milliseconds(0));
  if (cause.record) throw Error(distributed::caused_by(*cause.record, session_.world().rank));
}

}  // namespace scalemark::running
