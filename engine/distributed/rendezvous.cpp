#include "engine/distributed/rendezvous.h"

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <thread>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>

#include "core/base/durations.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/base/wire.h"
#include "engine/distributed/clock.h"
#include "engine/distributed/error_store.h"
#include "engine/distributed/errors.h"
#include "engine/distributed/meeting.h"
#include "engine/distributed/stop_agreement.h"
#include "engine/distributed/store.h"

namespace scalemark::distributed {
namespace {

using launching::Rendezvous;
using launching::World;
using std::chrono::milliseconds;
using std::chrono::steady_clock;
using StorePtr = c10::intrusive_ptr<c10d::Store>;

// How long a rank that finds its place taken under a launcher's store waits for rank 0 to open
// another round: agents end and start their ranks one after the other.
constexpr milliseconds kRoundTimeout{30000};
constexpr const char* kRound = "round";

std::string prefix_of(const Rendezvous& at) {
  return "scalemark/" + shared_id(at) + (at.secret.empty() ? "" : "/" + at.secret);
}

std::int64_t newest_round(c10d::Store& store) {
  return store.check({kRound}) ? std::stoll(store.get_to_str(kRound)) : 0;
}

StorePtr keys_of_round(const StorePtr& store, std::int64_t round) {
  return c10::make_intrusive<c10d::PrefixStore>("round/" + std::to_string(round), store);
}

void throw_if_asked_to_end() {
  if (received_signal()) throw rendezvous_error("asked to end while waiting for the other ranks");
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
// node came or left, the earlier keys are still there. So each rank 0 opens a round. A round whose
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
      const auto next = await_round_above(*store, round, std::min(terms.timeout, kRoundTimeout));
      if (next == round) throw;
      round = next;
    }
  }
}

// Adds the waiting rank and a remedy to c10d's exceptions, which have neither.
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

void throw_if_run_ends(c10d::Store& store, ErrorStore& error_store) {
  throw_posted_error(store, error_store);
  throw_if_asked_to_end();
}

Joined join(const World& world, const Rendezvous& at, milliseconds timeout,
            const std::string& digest, const ErrorStore::AskLauncher& launcher) {
  const auto start = steady_clock::now();
  const OpenedStore opened = open_store(world, at, timeout);
  Joined joined{.store = nullptr, .hosts_store = opened.hosts};
  const auto spent = std::chrono::duration_cast<milliseconds>(steady_clock::now() - start);
  const MeetingTerms terms{.world = world,
                           .run = at.run_id,
                           .place = place_of(at),
                           .detected_by = detected_by(world),
                           .by_file = at.kind == Rendezvous::Kind::kFile,
                           .digest = digest,
                           .launcher = launcher,
                           .timeout = timeout,
                           .spent = spent};
  // The store may stop answering in the middle of a request, for which c10d itself would wait in
  // full.
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

namespace {

constexpr const char* kFactsKey = "preflight/facts";
constexpr const char* kResultKey = "preflight/result";
constexpr const char* kComparedKey = "preflight/compared";  // number of ranks that have compared
constexpr const char* kAllKey = "preflight/all";            // set once all have compared
constexpr const char* kDifferKey = "preflight/differ";      // number of ranks that differ
constexpr const char* kAgreed = "agreed";
constexpr std::size_t kMostNamed = 16;  // one line names so many ranks

std::string compared_key(int rank) { return "preflight/compared/" + std::to_string(rank); }
std::string difference_key(std::int64_t number) { return "preflight/" + std::to_string(number); }

// One rank's part in the comparison: some ten requests to the store, however many ranks there are.
// Rank 0 makes two more for each rank that differs.
class Comparison {
 public:
  Comparison(c10d::Store& store, int world_size, ErrorStore& error_store, milliseconds limit)
      : store_(store),
        world_size_(world_size),
        error_store_(error_store),
        limit_(limit),
        wait_(store, limit) {}

  std::string lead(const Facts& mine) {
    store_.set(kFactsKey, to_wire(mine));
    if (!wait_(kAllKey, poll_hook())) throw silent(first_silent());
    const std::string result = found();
    store_.set(kResultKey, result);
    return result;
  }

  void await(const std::string& key) {
    if (!wait_(key, poll_hook())) throw silent(0);
  }

  void post_verdict(const std::string& verdict) {
    if (verdict != kAgreed) {
      const std::string text = std::to_string(error_store_.rank()) + " " + verdict;
      store_.set(difference_key(store_.add(kDifferKey, 1)), text);
    }
    // Rank 0 reads it if another rank never answers.
    store_.set(compared_key(error_store_.rank()), "1");
    if (store_.add(kComparedKey, 1) == world_size_ - 1) store_.set(kAllKey, "1");
  }

 private:
  std::function<void()> poll_hook() {
    return [this] { throw_if_run_ends(store_, error_store_); };
  }

  // Returns the results of all ranks, in rank order, as one text, the same on every rank.
  std::string found() {
    std::map<int, std::string> by_rank;
    const std::int64_t count = store_.check({kDifferKey}) ? store_.add(kDifferKey, 0) : 0;
    for (std::int64_t number = 1; number <= count; ++number) {
      const std::string text = store_.get_to_str(difference_key(number));
      by_rank[std::stoi(text)] = text.substr(text.find(' ') + 1);
    }
    std::vector<std::string> lines;
    for (const auto& [rank, text] : by_rank) {
      if (lines.size() < kMostNamed) lines.push_back("rank " + std::to_string(rank) + ": " + text);
    }
    if (by_rank.size() > kMostNamed) {
      lines.push_back(std::to_string(by_rank.size() - kMostNamed) + " more ranks differ");
    }
    return lines.empty() ? kAgreed : joined(lines, "; ");
  }

  int first_silent() {
    for (int rank = 1; rank < world_size_; ++rank) {
      if (!store_.check({compared_key(rank)})) return rank;
    }
    return 0;
  }

  Error silent(int rank) const {
    return peer_lost(
        "rank " + std::to_string(rank) + " did not answer within " + in_seconds(limit_),
        "it had joined", "look at its output");
  }

  c10d::Store& store_;
  int world_size_;
  ErrorStore& error_store_;
  milliseconds limit_;
  KeyWait wait_;
};

std::string own_verdict(c10d::Store& store, const Facts& mine) {
  const auto of_rank_0 = try_from_wire<Facts>(store.get_to_str(kFactsKey));
  if (!of_rank_0) return "cannot read rank 0's facts: another version of scalemark";
  const auto found = differences(*of_rank_0, mine);
  return found.empty() ? kAgreed : joined(found, ", ");
}

std::string exchange(c10d::Store& store, int world_size, const Facts& mine, ErrorStore& error_store,
                     milliseconds limit) {
  Comparison comparison(store, world_size, error_store, limit);
  if (error_store.rank() == 0) return comparison.lead(mine);
  comparison.await(kFactsKey);
  comparison.post_verdict(own_verdict(store, mine));
  comparison.await(kResultKey);
  return store.get_to_str(kResultKey);
}

}  // namespace

std::vector<std::string> differences(const Facts& of_rank_0, const Facts& mine) {
  Facts all = of_rank_0;
  all.insert(mine.begin(), mine.end());
  std::vector<std::string> lines;
  for (const auto& [key, value] : all) {
    const std::string theirs = value_at(of_rank_0, key, "absent"),
                      own = value_at(mine, key, "absent");
    if (of_rank_0.contains(key) == mine.contains(key) && theirs == own) continue;
    lines.push_back(key + " is " + own + "; rank 0 has " + theirs);
  }
  return lines;
}

void preflight(const c10::intrusive_ptr<c10d::Store>& store, int world_size, const Facts& mine,
               ErrorStore& error_store, milliseconds limit) {
  if (world_size == 1) return;
  std::string result;
  try {
    result = exchange(*store, world_size, mine, error_store, limit);
  } catch (...) {
    throw translate_collective_error(std::current_exception(), error_store);
  }
  if (result == kAgreed) return;
  throw ranks_disagree(result, {},
                       "start every rank with the same options, program, libraries and data");
}

}  // namespace scalemark::distributed
