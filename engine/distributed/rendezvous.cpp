#include "engine/distributed/rendezvous.h"

#include <algorithm>
#include <string>
#include <thread>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <vector>

#include "core/base/durations.h"
#include "core/base/error.h"
#include "engine/distributed/bounded.h"
#include "engine/distributed/errors.h"
#include "engine/distributed/fault.h"
#include "engine/distributed/interrupt.h"
#include "engine/distributed/network.h"
#include "engine/distributed/open_store.h"

namespace scalemark::distributed {
namespace {

using launching::Rendezvous;
using launching::World;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kPollPeriod{20};

// A rank signs in once under its rank key; it is ready when it has found rank 0's world size equal
// to its own. Everybody waits for the second, so that nobody goes on while another is refused.
std::string rank_key(int rank) { return "rank/" + std::to_string(rank); }

std::string ready_key(int rank) { return "ready/" + std::to_string(rank); }

std::string place_of(const Rendezvous& at) {
  if (at.kind == Rendezvous::Kind::kFile) return "file " + at.file;
  return at.host + ":" + std::to_string(at.port);
}

[[noreturn]] void refuse_duplicate(c10d::Store& store, int rank, const Rendezvous& at) {
  const std::string host_key = "host/" + std::to_string(rank);
  const std::string where =
      store.check({host_key}) ? " (on host " + store.get_to_str(host_key) + ")" : "";
  throw Error({.code = "E_DUPLICATE_RANK",
               .exit_code = ExitCode::kConfiguration,
               .domain = ErrorDomain::kLaunch,
               .what = "rank " + std::to_string(rank) + " has already joined run " + at.run_id +
                       " at " + place_of(at) + where,
               .expected = "one process per rank",
               .hint = at.kind == Rendezvous::Kind::kFile
                           ? "remove the file if it is left from an earlier run, or pass another "
                             "--run-id"
                           : "give each process its own rank, or this job its own --run-id"});
}

void sign_in(c10d::Store& store, const World& world, const Rendezvous& at) {
  // The world size stands before rank 0's signature, so whoever sees the one can read the other.
  if (world.rank == 0) store.set("world_size", std::to_string(world.world_size));
  if (store.add(rank_key(world.rank), 1) > 1) refuse_duplicate(store, world.rank, at);
  store.set("host/" + std::to_string(world.rank), local_host_name());
}

void require_same_world_size(const c10::intrusive_ptr<c10d::Store>& store, const World& world) {
  const std::string of_rank_0 = store->get_to_str("world_size");
  if (of_rank_0 == std::to_string(world.world_size)) return;
  const Error error = ranks_disagree(
      "rank " + std::to_string(world.rank) + ": world_size is " + std::to_string(world.world_size),
      "rank 0 has " + of_rank_0, "start every rank with the same number of ranks");
  FaultBoard(store, world.rank, world.world_size, false).post(error.record());
  throw error;
}

std::vector<int> missing_ranks(c10d::Store& store, int world_size) {
  std::vector<int> missing;
  for (int rank = 0; rank < world_size; ++rank) {
    if (!store.check({ready_key(rank)})) missing.push_back(rank);
  }
  return missing;
}

// A rank that was refused has told why: then nobody waits for it.
void throw_if_a_peer_failed(const c10::intrusive_ptr<c10d::Store>& store, const World& world) {
  if (!store->check({"fault/count"})) return;
  const auto cause =
      FaultBoard(store, world.rank, world.world_size, false).find_cause(milliseconds(0));
  if (cause.record) throw Error(caused_by(*cause.record, world.rank));
}

// The caller knows the signal's own error; this one only ends the waiting.
void throw_if_asked_to_end() {
  if (received_signal()) throw rendezvous_error("asked to end while waiting for the other ranks");
}

void await_everybody(const c10::intrusive_ptr<c10d::Store>& store, const World& world,
                     const Rendezvous& at, milliseconds timeout,
                     steady_clock::time_point deadline) {
  std::vector<std::string> all_ready;
  for (int rank = 0; rank < world.world_size; ++rank) all_ready.push_back(ready_key(rank));
  bool ready = false;
  while (true) {
    if (!ready && store->check({rank_key(0)})) {
      require_same_world_size(store, world);
      store->set(ready_key(world.rank), "1");
      ready = true;
    }
    if (ready && store->check(all_ready)) return;
    throw_if_a_peer_failed(store, world);
    throw_if_asked_to_end();
    if (steady_clock::now() >= deadline) break;
    std::this_thread::sleep_for(kPollPeriod);
  }
  const auto missing = missing_ranks(*store, world.world_size);
  throw rendezvous_error(
      name_ranks(missing) + " of " + std::to_string(world.world_size) + " did not join run " +
          at.run_id + " at " + place_of(at) + " within " + in_seconds(timeout),
      {},
      "see whether they started, with the same address and run id; --timeout rendezvous=SECONDS "
      "allows more time");
}

// c10d's own exceptions say neither who waited for what nor what to do.
template <class Call>
void translating(const Rendezvous& at, Call call) {
  try {
    call();
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {
    std::string text = error.what();
    text = text.substr(0, text.find('\n'));
    throw rendezvous_error("lost the store at " + place_of(at) + " while joining: " + text, {},
                           "rank 0 has probably ended: look at its output");
  }
}

}  // namespace

Joined join(const World& world, const Rendezvous& at, milliseconds timeout) {
  const auto start = steady_clock::now();
  const auto deadline = start + timeout;
  const OpenedStore opened = open_store(world, at, timeout);
  Joined joined{
      .store = c10::make_intrusive<c10d::PrefixStore>("scalemark/" + at.run_id, opened.store),
      .hosts_store = opened.hosts};
  // The store may stop answering in the middle of a request, which c10d would wait out.
  const auto left = std::chrono::duration_cast<milliseconds>(deadline - steady_clock::now());
  const auto done = within(std::max(left, milliseconds(0)) + milliseconds(2000),
                           [store = joined.store, world, at, timeout, deadline] {
                             translating(at, [&] {
                               sign_in(*store, world, at);
                               await_everybody(store, world, at, timeout, deadline);
                             });
                             return true;
                           });
  if (!done) {
    throw rendezvous_error("the store at " + place_of(at) + " stopped answering", {},
                           "rank 0's process may be stopped or its host overloaded");
  }
  joined.seconds = seconds_since(start);
  return joined;
}

}  // namespace scalemark::distributed
