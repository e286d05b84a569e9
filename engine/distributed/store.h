// The c10d store of a run: how to open the one that a Rendezvous names, and how a rank waits for a
// key. Knows nothing of what is written into it.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <torch/csrc/distributed/c10d/Store.hpp>
#include <vector>

#include "core/launch/world.h"
#include "engine/distributed/clock.h"

namespace scalemark::distributed {

// A TCPStore, a FileStore, or a HashStore for one process.
struct OpenedStore {
  c10::intrusive_ptr<c10d::Store> store;
  bool hosts = false;  // the store's server is in this process
};

// Returns the place in words, for messages: "host:port" or "file F".
std::string place_of(const launching::Rendezvous& at);

// Returns the id that all ranks of this attempt share, however often their agents have restarted
// them.
const std::string& shared_id(const launching::Rendezvous& at);

// Returns what says that there are other ranks, which may be left from another job: " (RANK,
// WORLD_SIZE, MASTER_ADDR, MASTER_PORT are set)". Empty: our own launcher says so.
std::string detected_by(const launching::World& world);

// Throws E_RENDEZVOUS (69) when the place is an address whose name does not resolve within the
// limit, or to which no route leads.
void require_way_to(const launching::World& world, const launching::Rendezvous& at,
                    std::chrono::milliseconds limit);

// Throws E_RENDEZVOUS (69) when the store cannot be reached or opened within the timeout, or when
// another run's store listens at the address; E_CONFIGURATION (78) when there are several ranks but
// no place to meet.
OpenedStore open_store(const launching::World& world, const launching::Rendezvous& at,
                       std::chrono::milliseconds timeout);

// --- A rank waits for a key inside the store instead of asking for it repeatedly, so that it costs
// the one thread that serves the store only a few requests a second.

// Whether the key came within `limit`. Throws what the store throws when it is gone.
bool await_key(c10d::Store& store, const std::string& key, std::chrono::milliseconds limit);

// Returns the values of keys that all exist: by one request where the store can answer several.
// Throws as the store does.
std::vector<std::string> values_of(c10d::Store& store, const std::vector<std::string>& keys);

// Likewise of those up to the first that is missing, found by halving; two requests where none is.
std::vector<std::string> values_present(c10d::Store& store, std::vector<std::string> keys);

// Several waits with one deadline, interrupted by regular checks (`on_poll`).
class KeyWait {
 public:
  // `limit` bounds all waits together, in time that this process runs. `slice` is the time between
  // two polls.
  KeyWait(c10d::Store& store, std::chrono::milliseconds limit,
          std::chrono::milliseconds slice = kSlice)
      : store_(store), limit_(limit), slice_(slice) {}

  // Returns false when the time is over. `on_poll` is called after each slice in which the key did
  // not come; an exception from it ends the wait.
  bool operator()(const std::string& key, const std::function<void()>& on_poll);

  std::chrono::milliseconds waited() { return clock_.elapsed(); }

  static constexpr std::chrono::milliseconds kSlice{1000};

 private:
  c10d::Store& store_;
  std::chrono::milliseconds limit_, slice_;
  AwakeClock clock_;
};

}  // namespace scalemark::distributed
