// Ends a backend whose collectives do not notice a lost peer. This may take long, or for ever
// (NCCL's abort waits for its own threads), so each call continues in its own thread once its time
// is up.
#pragma once

#include <chrono>
#include <torch/csrc/distributed/c10d/Backend.hpp>

namespace scalemark::distributed {

// An abort of NCCL takes milliseconds. One that takes longer must not hold this rank.
inline constexpr std::chrono::milliseconds kAbortLimit{2000};

// Whether the backend has noticed that a peer is gone. Safe from another thread.
bool lost_a_peer(c10d::Backend& backend) noexcept;

// Ends a healthy backend; every member calls it: issued operations complete and the communicators
// are freed. Returns after `limit` at the latest.
void shut_down(const c10::intrusive_ptr<c10d::Backend>& backend,
               std::chrono::milliseconds limit) noexcept;

// Ends pending collectives: safe while another thread is stuck in one.
void abort(const c10::intrusive_ptr<c10d::Backend>& backend) noexcept;

// Releases the backend; aborts it unless one of the above ended it. The last owner calls it.
void release(c10::intrusive_ptr<c10d::Backend> backend, bool is_ended) noexcept;

// Whether such a call is still running: then this process must end without its destructors.
bool ends_are_pending() noexcept;

}  // namespace scalemark::distributed
