#include "engine/distributed/rendezvous.h"

#include <algorithm>
#include <string>
#include <thread>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>

#include "core/base/durations.h"
#include "core/base/error.h"
#include "engine/distributed/bounded.h"
#include "engine/distributed/error_store.h"
#include "engine/distributed/errors.h"
#include "engine/distributed/foreign_error.h"
#include "engine/distributed/interrupt.h"
#include "engine/distributed/key_wait.h"
#include "engine/distributed/meeting.h"
#include "engine/distributed/open_store.h"

namespace scalemark::distributed {
namespace {

using launching::Rendezvous;
using launching::World;
using std::chrono::milliseconds;
using std::chrono::steady_clock;
using StorePtr = c10::intrusive_ptr<c10d::Store>;

// How long a rank that finds its place taken under a launcher's store waits for rank 0 to open
// another round: agents end and start their ranks one after the other.
constexpr milliseconds kRoundPatience{30000};
constexpr const char* kRound = "round";

std::string prefix_of(const Rendezvous& at) {
  const std::string id = at.store_id.empty() ? at.run_id : at.store_id;
  return "scalemark/" + id + (at.secret.empty() ? "" : "/" + at.secret);
}

// The caller knows the signal's own error; this one only ends the waiting.
void throw_if_asked_to_end() {
  if (received_signal()) throw rendezvous_error("asked to end while waiting for the other ranks");
}

std::int64_t newest_round(c10d::Store& store) {
  return store.check({kRound}) ? std::stoll(store.get_to_str(kRound)) : 0;
}

StorePtr keys_of_round(const StorePtr& store, std::int64_t round) {
  return c10::make_intrusive<c10d::PrefixStore>("round/" + std::to_string(round), store);
}

struct NewerRound {};

std::int64_t await_round_above(c10d::Store& store, std::int64_t seen, milliseconds limit) {
  AwakeClock clock;
  while (true) {
    const std::int64_t newest = newest_round(store);
    if (newest > seen || clock.elapsed() >= limit) return newest;
    throw_if_asked_to_end();
    std::this_thread::sleep_for(milliseconds(200));
  }
}

// A launcher's store outlives its ranks: when torchrun restarts them, after a failure or because a
// node came or left, the earlier keys are still there. Each rank 0 opens a round; a round whose
// rank 0 is gone never starts, so the ranks that joined it wait for the next.
StorePtr meet_in_a_round(const StorePtr& store, const MeetingTerms& terms) {
  if (terms.world.rank == 0) {
    const StorePtr keys = keys_of_round(store, store->add(kRound, 1));
    meet(keys, terms, throw_if_asked_to_end);
    return keys;
  }
  std::int64_t round = await_round_above(*store, 0, terms.timeout);
  while (true) {
    const StorePtr keys = keys_of_round(store, round);
    try {
      meet(keys, terms, [&] {
        throw_if_asked_to_end();
        if (newest_round(*store) > round) throw NewerRound();
      });
      return keys;
    } catch (const NewerRound&) {
      round = newest_round(*store);
    } catch (const NotAdmitted&) {
      const auto next = await_round_above(*store, round, std::min(terms.timeout, kRoundPatience));
      if (next == round) throw;
      round = next;
    }
  }
}

// c10d's own exceptions say neither who waited for what nor what to do.
template <class Call>
void translating(const Rendezvous& at, Call call) {
  try {
    call();
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {
    throw rendezvous_error(
        "lost the store at " + place_of(at) + " while joining: " + one_line(error), {},
        "rank 0 has probably ended: look at its output");
  }
}

StorePtr meet_under_own_keys(const StorePtr& store, const Rendezvous& at,
                             const MeetingTerms& terms) {
  StorePtr keys = c10::make_intrusive<c10d::PrefixStore>(prefix_of(at), store);
  translating(at, [&] {
    if (at.agent_store) {
      keys = meet_in_a_round(keys, terms);
    } else {
      meet(keys, terms, throw_if_asked_to_end);
    }
  });
  return keys;
}

}  // namespace

Joined join(const World& world, const Rendezvous& at, milliseconds timeout,
            const std::string& fingerprint) {
  const auto start = steady_clock::now();
  const OpenedStore opened = open_store(world, at, timeout);
  Joined joined{.store = nullptr, .hosts_store = opened.hosts};
  const auto spent = std::chrono::duration_cast<milliseconds>(steady_clock::now() - start);
  const MeetingTerms terms{.world = world,
                           .run = at.run_id,
                           .place = place_of(at),
                           .told = told_by(world),
                           .by_file = at.kind == Rendezvous::Kind::kFile,
                           .fingerprint = fingerprint,
                           .timeout = timeout,
                           .spent = spent};
  // The store may stop answering in the middle of a request, which c10d would wait out.
  const auto limit = std::max(timeout - spent, milliseconds(0)) + ErrorStore::kCauseLimit;
  const auto met = within(limit + milliseconds(3000), [store = opened.store, at, terms] {
    return meet_under_own_keys(store, at, terms);
  });
  if (!met) {
    throw rendezvous_error("the store at " + place_of(at) + " stopped answering", {},
                           "rank 0's process may be stopped or its host overloaded");
  }
  joined.store = *met;
  joined.seconds = seconds_since(start);
  return joined;
}

}  // namespace scalemark::distributed
