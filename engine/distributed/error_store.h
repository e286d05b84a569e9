// How a failing rank posts its error, and how the others read it. Best effort in bounded time: the
// store may be lost as well as the peer. Knows no report.
#pragma once

#include <chrono>
#include <exception>
#include <functional>
#include <optional>
#include <torch/csrc/distributed/c10d/Store.hpp>

#include "core/base/error.h"
#include "engine/distributed/clock.h"

namespace scalemark::distributed {

// The shared error store of one run. Thread-safe. No function throws or takes much longer than its
// limit.
class ErrorStore {
 public:
  // `store`: the run's store (its connection is cloned). `hosts_store`: the server runs in this
  // process, so that the others lose it when this process ends.
  ErrorStore(const c10::intrusive_ptr<c10d::Store>& store, int rank, int world_size,
             bool hosts_store, Clock& clock = real_clock());

  // Asks the launcher why a rank of this node ended: it knows this of a rank that was killed and
  // could post nothing, and of one that took the store with it. Must not throw. Set it before a
  // second thread uses the store.
  using AskLauncher = std::function<std::optional<ErrorRecord>()>;
  void also_ask(AskLauncher launcher) { launcher_ = std::move(launcher); }

  // Posts why this rank ends. E_PEER_LOST is posted only with the lost rank's number: else it is
  // never a cause.
  void post(ErrorRecord record, std::chrono::milliseconds limit = kPostLimit) noexcept;

  struct Cause {
    std::optional<ErrorRecord>
        record;  // the first fault that another rank posted, or the launcher's
    bool store_answers = true;
  };
  // Waits up to `limit` for another rank's fault, which may be posted a moment after its
  // connections broke. Returns at once when a fault is there or when the store is gone. With a zero
  // limit it checks once.
  Cause find_cause(std::chrono::milliseconds limit = kCauseLimit) noexcept;
  // Whether another rank has posted a fault by now.
  bool has_cause() noexcept { return find_cause(std::chrono::milliseconds(0)).record.has_value(); }
  // Returns the fault that another rank has posted by now, as the cause of this rank's end:
  // caused_by().
  std::optional<ErrorRecord> own_end();

  // Whether a rank waits in find_cause() for why a connection broke. Throws as the store does.
  static bool loss_is_noticed(c10d::Store& store);

  // The last call of a rank, however it ends. The host of the store stays until every rank has left
  // or the limit is over, so that the others can still read why it ended.
  void leave(std::chrono::milliseconds limit = kLeaveLimit) noexcept;

  int rank() const { return rank_; }
  bool hosts_store() const { return hosts_store_; }
  bool has_peers() const { return world_size_ > 1; }
  // The error store's own connection, on which no thread waits long; other side threads use it too.
  const c10::intrusive_ptr<c10d::Store>& store() const { return store_; }

  static constexpr std::chrono::milliseconds kPostLimit{1000};
  static constexpr std::chrono::milliseconds kCauseLimit{4000};
  static constexpr std::chrono::milliseconds kLeaveLimit{5000};

 private:
  Cause cause_from_launcher(std::chrono::milliseconds limit) noexcept;

  c10::intrusive_ptr<c10d::Store> store_;
  int rank_;
  int world_size_;
  bool hosts_store_;
  Clock& clock_;
  AskLauncher launcher_;  // empty: no launcher of ours
};

// Translates a collective's exception. Our own errors stay unchanged. The loss of a peer becomes
// the cause that the peer posted, with the cause's code and exit code, or E_PEER_LOST (69) when
// nobody posted one. Everything else becomes record_of() in errors.h.
Error translate_collective_error(const std::exception_ptr& exception, ErrorStore& error_store,
                                 std::chrono::milliseconds limit = ErrorStore::kCauseLimit);

// Returns why this rank makes no progress: the fault that another one posted, or E_PEER_LOST (69)
// when the store does not answer. Rank 0 or the launcher's agent holds the store, and a host that
// vanishes closes no connection. Returns nothing when the reason is not known. Takes at most 3 s.
std::optional<ErrorRecord> cause_of_hang(ErrorStore& error_store);

// Returns the launcher's fault only for a killed rank: all others post their errors themselves, or
// have reason not to.
std::optional<ErrorRecord> killed_rank(const ErrorStore::AskLauncher& launcher);

// Returns the record of a rank that ends because of another's fault. That of a lost rank keeps its
// number.
ErrorRecord caused_by(const ErrorRecord& cause, int own_rank);

// --- How a waiting rank checks whether another rank has ended with a fault. Only the faults' keys
// are used.

// Returns how many faults were posted in the run, with one request where there are none. Throws
// what the store throws when it is gone.
std::int64_t count_posted_errors(c10d::Store& store);

// Throws the fault that another rank posted, as the cause of this rank's end; else returns.
void throw_posted_error(c10d::Store& store, ErrorStore& error_store);

}  // namespace scalemark::distributed
