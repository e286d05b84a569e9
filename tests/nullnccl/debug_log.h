// The lines of NCCL's own log that tell how it carries data, in the form of NCCL 2.18 to 2.30, and
// where and when NCCL writes them: NCCL_DEBUG and NCCL_DEBUG_FILE are read once per process.
// NULLNCCL_PATH and NULLNCCL_NETWORK (modes.h) say what is claimed.
#pragma once

#include <string>

namespace nullnccl {

// This machine's name, by which ranks of one node know each other.
std::string host();

// A communicator of rank `rank` was made.
void debug_log_made(int rank, int size);
// Rank `from`, which is here, has connected itself to rank `to` on machine `other_host`.
void debug_log_connected(int from, int to, const std::string& other_host);

}  // namespace nullnccl
