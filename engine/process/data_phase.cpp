#include "engine/process/data_phase.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "core/base/durations.h"
#include "data/hash128.h"
#include "engine/distributed/key_wait.h"
#include "engine/distributed/posted_error.h"

namespace scalemark::process {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr const char* kBeatsKey = "data/beats";  // counted up by every rank that reads
constexpr const char* kReadyKey = "data/ready";  // how many ranks are through
constexpr const char* kAllReadyKey = "data/all-ready";
constexpr milliseconds kBeatPeriod{1000};

std::string key_of(const RankContext& context, const std::string& what) {
  return "data/" + context.host() + "/" + std::to_string(context.world().node) + "/" +
         data::to_hex(data::digest_of(std::as_bytes(std::span(what))));
}

// A store that throws has lost a peer.
template <class Call>
auto asking(RankContext& context, Call call) {
  try {
    return call(*context.store_pointer());
  } catch (...) {
    throw distributed::translate_collective_error(std::current_exception(), context.error_store());
  }
}

}  // namespace

DataPhase::DataPhase(RankProcess& rank_process, RankContext& context)
    : rank_process_(rank_process),
      context_(context),
      beat_period_(std::min(kBeatPeriod,
                            milliseconds_of(rank_process.phase_tracker().timeout_of("data") / 4))) {
  rank_process.phase_tracker().enter("data");
}

void DataPhase::still_reading() {
  rank_process_.watchdog().heartbeat(-1);
  const auto now = steady_clock::now();
  if (context_.world().world_size == 1 || now < next_beat_) return;
  next_beat_ = now + beat_period_;
  asking(context_, [](c10d::Store& store) { return store.add(kBeatsKey, 1); });
}

SharedBytes DataPhase::once_per_node(const std::string& what,
                                     const std::function<SharedBytes()>& make) {
  if (ranks_here() == 1) return make();
  const std::string key = key_of(context_, what), ticket_key = key + "/ticket";
  const bool first =
      asking(context_, [&](c10d::Store& store) { return store.add(key + "/readers", 1) == 1; });
  if (!first) {
    await(ticket_key);
    const auto ticket =
        asking(context_, [&](c10d::Store& store) { return store.get_to_str(ticket_key); });
    if (auto taken = take_offered(ticket)) return *std::move(taken);
    return make();
  }
  SharedBytes made = make();
  auto offer = OfferedBytes::of(made.bytes);
  const std::string ticket = offer ? offer->ticket() : "none";
  if (offer) offered_.push_back(*std::move(offer));
  asking(context_, [&](c10d::Store& store) { store.set(ticket_key, ticket); });
  // The one copy that all share, where there is one.
  if (auto taken = take_offered(ticket)) return *std::move(taken);
  return made;
}

void DataPhase::finish() {
  const int world_size = context_.world().world_size;
  if (world_size > 1) {
    asking(context_, [&](c10d::Store& store) {
      if (store.add(kReadyKey, 1) == world_size) store.set(kAllReadyKey, "1");
    });
    await(kAllReadyKey);
  }
  offered_.clear();
}

// Inside the store, so that many ranks that wait are no load on it. No limit but the phase's own,
// which a beat of any rank that reads moves on.
void DataPhase::await(const std::string& key) {
  std::optional<std::int64_t> beats;
  asking(context_, [&](c10d::Store& store) {
    const auto look = [&] {
      distributed::throw_posted_error(store, context_.error_store());
      const auto now = store.add(kBeatsKey, 0);
      if (now != beats) rank_process_.watchdog().heartbeat(-1);
      beats = now;
    };
    distributed::KeyWait came(store, milliseconds_of(std::numeric_limits<double>::max()),
                              beat_period_);
    while (!came(key, look)) continue;
  });
}

}  // namespace scalemark::process
