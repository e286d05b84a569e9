// The errors that only engine/distributed throws, and the classification of exceptions from torch,
// CUDA, NCCL or Gloo. Does not use the error store: the cause of a lost peer is found elsewhere.
#pragma once

#include <chrono>
#include <exception>
#include <string>
#include <vector>

#include "core/base/error.h"

namespace scalemark::distributed {

// E_RENDEZVOUS, 69: the ranks did not find each other.
Error rendezvous_error(std::string what, std::string expected = {}, std::string hint = {});

// E_PEER_LOST, 69: a rank that was there is gone.
Error peer_lost(std::string what, std::string expected = {}, std::string hint = {});

// E_RANKS_DISAGREE, 76.
Error ranks_disagree(std::string what, std::string expected = {}, std::string hint = {});

// "2.5 s"
std::string in_seconds(std::chrono::milliseconds duration);

// "ranks 1, 2 and 5-9" or "rank 1", of ascending numbers; of scattered ones 16 and how many more
// there are. `noun`: "rank", or "node".
std::string name_ranks(const std::vector<int>& ranks, const std::string& noun = "rank");

// The meaning of an exception that torch, CUDA, NCCL or Gloo threw. It follows from the exception's
// type where the library has one for it, else from its text.
enum class Meaning { kOutOfMemory, kGpuFault, kPeerLost, kOther };

// Checks for memory first, whichever library was refused it (cuBLAS, or NCCL during a collective),
// then for faults of the GPU, then for a peer or a store that is gone or does not answer.
Meaning meaning_of(const std::exception& exception);

// The record with which this exception ends a rank: our own error unchanged, E_OUT_OF_MEMORY (80),
// E_GPU_FAULT (84), E_PEER_LOST (69), E_SYSTEM (71) for a thread that could not be started, or
// E_BUG (70) for all else.
ErrorRecord record_of(const std::exception& exception);

// Returns the exception's first line, without c10's stack trace and without the secret of keys that
// it quotes.
std::string one_line(const std::exception& exception);

}  // namespace scalemark::distributed
