// The environment says what goes wrong on purpose. It is read once per process, except for the
// counter.
#pragma once

#include <cstdint>
#include <string>

namespace nullnccl {

// A rank notices this when a peer was killed or has aborted its communicator.
enum class PeerLoss {
  kError,   // an asynchronous remote error, as over a network transport
  kSilent,  // nothing: its collectives hang, as over NVLink and shared memory
};

struct Modes {
  // NULLNCCL_HANG_AT=n: the n-th collective (1, 2, ...) of each process never completes until it is
  // aborted; NULLNCCL_HANG_RANK=r: only that of rank r of its communicator. 0 and -1: none, all.
  std::int64_t hang_at = 0;
  int hang_rank = -1;
  // NULLNCCL_DIE_AT=n, NULLNCCL_DIE_RANK=r: there the process kills itself instead.
  std::int64_t die_at = 0;
  int die_rank = -1;
  // NULLNCCL_ABORT_SECONDS: how long an abort takes once the device is free.
  double abort_s = 0;
  // NULLNCCL_PEER_LOSS=error|silent
  PeerLoss peer_loss = PeerLoss::kError;
  // NULLNCCL_LOG=1: what is created and how it ends, a line each on stderr.
  bool log = false;
  // NULLNCCL_EMPTY=1: messages of more than 2^18 elements are not carried, and take no time.
  bool empty = false;
  // Its own log claims this (debug_log.h). NULLNCCL_PATH: the way between GPUs of a node, as the
  // path of a graph (NVL, PHB, ...) or SHM. NULLNCCL_NETWORK: between nodes, "Socket", "IB" or
  // "IB/GDRDMA".
  std::string path = "NVL", network = "Socket";
};

const Modes& modes();

// Counts one collective of this process; returns whether it is the one that hangs on this rank.
// Does not return from the one at which this rank kills itself.
bool next_collective_hangs(int rank);

// One line, when NULLNCCL_LOG asks for it.
void log(const char* what, int rank, int size);

}  // namespace nullnccl
