// How a rank that fails tells the others why, and how they find out. Best effort in bounded time:
// the store may be as dead as the peer. Knows no report.
#pragma once

#include <chrono>
#include <exception>
#include <optional>
#include <torch/csrc/distributed/c10d/Store.hpp>

#include "core/base/error.h"

namespace scalemark::distributed {

// The shared error store of one run. Threads may use one object at the same time. Nothing throws,
// nothing takes much longer than its limit.
class ErrorStore {
 public:
  // `store`: the run's store (its connection is cloned). `hosts_store`: the server lives in this
  // process, so that the others lose it when this process ends.
  ErrorStore(const c10::intrusive_ptr<c10d::Store>& store, int rank, int world_size,
             bool hosts_store);

  // Tells why this rank ends. E_PEER_LOST is not posted: it is never a cause.
  void post(ErrorRecord record, std::chrono::milliseconds limit = kPostLimit) noexcept;

  struct Cause {
    std::optional<ErrorRecord> record;  // the first fault that another rank posted
    bool store_answers = true;
  };
  // Waits up to `limit` for another rank's fault: it may be posted a moment after its connections
  // broke. Returns at once when one is there, or when the store is gone. With a zero limit: looks
  // once.
  Cause find_cause(std::chrono::milliseconds limit = kCauseLimit) noexcept;

  // The last call of a rank, whether it ends well or not. The host of the store stays until every
  // rank has left or the limit is over, so that the others can still read why it ended.
  void leave(std::chrono::milliseconds limit = kLeaveLimit) noexcept;

  int rank() const { return rank_; }
  bool hosts_store() const { return hosts_store_; }
  // The error_store's own connection, in which no thread ever waits long: for other side threads,
  // too.
  const c10::intrusive_ptr<c10d::Store>& store() const { return store_; }

  static constexpr std::chrono::milliseconds kPostLimit{1000};
  static constexpr std::chrono::milliseconds kCauseLimit{4000};
  static constexpr std::chrono::milliseconds kLeaveLimit{5000};

 private:
  c10::intrusive_ptr<c10d::Store> store_;
  int rank_;
  int world_size_;
  bool hosts_store_;
};

// What a collective's exception means. Our own errors come back as they are; the loss of a peer
// becomes the cause that the peer posted, with the cause's code and exit code, or E_PEER_LOST (69)
// when nobody posted one; everything else is what record_of() in foreign_error.h says.
Error translate_collective_error(const std::exception_ptr& exception, ErrorStore& error_store,
                                 std::chrono::milliseconds limit = ErrorStore::kCauseLimit);

// Why this rank makes no progress: the fault that another one posted, or E_PEER_LOST (69) when the
// store, which rank 0 or the launcher's agent holds, does not answer: a host that vanishes closes
// no connection. Nothing: not known. Takes 3 s at the most.
std::optional<ErrorRecord> cause_of_hang(ErrorStore& error_store);

// The record of a rank that ends because of another's fault.
ErrorRecord caused_by(const ErrorRecord& cause, int own_rank);

}  // namespace scalemark::distributed
