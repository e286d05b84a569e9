// How the ranks of one run find each other in a store: which rank has which place, and when all are
// there. Knows neither addresses nor connections. Ranks with a place obey only ranks with a place,
// so another job at the same address cannot disturb this run.
//
// Keys: "profile" (rank 0's world size and settings), "rank/R" (its place is taken), "host/R",
// "ready" (the number of ranks that are ready), "all-ready", "started" (set by rank 0 alone, so
// that a run whose rank 0 is gone never starts), "refused/K" (a rank that was started with another
// world size).
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <torch/csrc/distributed/c10d/Store.hpp>

#include "core/base/error.h"
#include "core/launch/world.h"
#include "engine/distributed/error_store.h"

namespace scalemark::distributed {

// Is thrown where this process has no place in the run that uses the store, as a second process of
// one rank or one of another job.
class NotAdmitted : public Error {
 public:
  using Error::Error;
};

struct MeetingTerms {
  launching::World world;
  std::string run;          // its id, for messages
  std::string place;        // names the store's place in messages
  std::string detected_by;  // why other ranks are expected: detected_by() in store.h
  bool by_file = false;     // the file may be left from an earlier run
  // Describes what the ranks should have in common. A rank with rank 0's digest takes precedence
  // over one with another.
  std::string digest;
  ErrorStore::AskLauncher launcher;  // tells of a killed rank of this node; empty: no launcher
  std::chrono::milliseconds timeout;
  std::chrono::milliseconds spent{0};  // part of `timeout` that has passed before
  // How long a place stays free for a rank that fits while one that does not fit asks for it.
  std::chrono::milliseconds grace = std::chrono::seconds(5);
};

// Returns when every rank of the world is there: about ten requests a rank, and three a second
// while it waits. `on_poll` is called about once a second meanwhile; an exception from it ends the
// wait. Throws
//   E_RENDEZVOUS (69)      ranks are missing at the deadline (rank 0 names them for all), or the
//                          run has started without this process: NotAdmitted
//   E_DUPLICATE_RANK (78)  the place is taken: NotAdmitted
//   E_RANKS_DISAGREE (76)  rank 0 was started with another world size: NotAdmitted. Rank 0 and
//                          its ranks throw it when no fitting rank has taken the place
// or the fault that a rank with a place posted. A rank that is asked to end (received_signal())
// posts that, and so does one whose launcher tells of a killed rank.
void meet(const c10::intrusive_ptr<c10d::Store>& store, const MeetingTerms& terms,
          const std::function<void()>& on_poll);

}  // namespace scalemark::distributed
