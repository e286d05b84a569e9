// How a backend ends whose collectives do not notice a lost peer. It may take long over it, or for
// ever (NCCL's abort waits for its own threads), so each end goes on in a thread of its own once
// its time is up.
#pragma once

#include <chrono>
#include <torch/csrc/distributed/c10d/Backend.hpp>

namespace scalemark::distributed {

// An abort of NCCL takes milliseconds. One that takes longer must not hold this rank.
inline constexpr std::chrono::milliseconds kAbortLimit{2000};

// Whether it has noticed by itself that a peer is gone. Safe from another thread.
bool lost_a_peer(c10d::Backend& backend) noexcept;

// The end of a healthy one, made by every member: what was issued is completed and the
// communicators are given back. Returns after `limit` at the latest.
void shut_down(const c10::intrusive_ptr<c10d::Backend>& backend,
               std::chrono::milliseconds limit) noexcept;

// Ends pending collectives: safe while another thread is stuck in one.
void abort(const c10::intrusive_ptr<c10d::Backend>& backend) noexcept;

// Lets go of it, aborting it unless it `is_ended` by one of the above. The last owner calls it.
void release(c10::intrusive_ptr<c10d::Backend> backend, bool is_ended) noexcept;

// Whether such an end is still going on: then this process must end without its destructors.
bool ends_are_pending() noexcept;

}  // namespace scalemark::distributed
