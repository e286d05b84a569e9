#include "tests/nullnccl/modes.h"

#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace nullnccl {
namespace {

const char* variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0' ? value : nullptr;
}

Modes read() {
  Modes modes;
  if (const char* text = variable("NULLNCCL_HANG_AT")) modes.hang_at = std::atoll(text);
  if (const char* text = variable("NULLNCCL_HANG_RANK")) modes.hang_rank = std::atoi(text);
  if (const char* text = variable("NULLNCCL_DIE_AT")) modes.die_at = std::atoll(text);
  if (const char* text = variable("NULLNCCL_DIE_RANK")) modes.die_rank = std::atoi(text);
  if (const char* text = variable("NULLNCCL_ABORT_SECONDS")) modes.abort_s = std::atof(text);
  if (const char* text = variable("NULLNCCL_PEER_LOSS")) {
    modes.peer_loss = std::strcmp(text, "silent") == 0 ? PeerLoss::kSilent : PeerLoss::kError;
  }
  modes.log = variable("NULLNCCL_LOG") != nullptr;
  modes.empty = variable("NULLNCCL_EMPTY") != nullptr;
  if (const char* text = variable("NULLNCCL_PATH")) modes.path = text;
  if (const char* text = variable("NULLNCCL_NETWORK")) modes.network = text;
  return modes;
}

bool is_meant(std::int64_t number, int rank, std::int64_t at, int at_rank) {
  return number == at && (at_rank < 0 || at_rank == rank);
}

}  // namespace

const Modes& modes() {
  static const Modes modes = read();
  return modes;
}

bool next_collective_hangs(int rank) {
  static std::atomic<std::int64_t> count{0};
  const std::int64_t number = ++count;
  if (is_meant(number, rank, modes().die_at, modes().die_rank)) std::raise(SIGKILL);
  return is_meant(number, rank, modes().hang_at, modes().hang_rank);
}

void log(const char* what, int rank, int size) {
  if (modes().log) {
    std::fprintf(stderr, "nullnccl: pid %d rank %d of %d: %s\n", getpid(), rank, size, what);
  }
}

}  // namespace nullnccl
