#include "tests/nullnccl/debug_log.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <mutex>

#include "tests/nullnccl/modes.h"

namespace nullnccl {
namespace {

// Null: NCCL_DEBUG does not ask for these lines.
std::FILE* open_log() {
  const char* level = std::getenv("NCCL_DEBUG");
  if (level == nullptr || std::string(level) != "INFO") return nullptr;
  const char* name = std::getenv("NCCL_DEBUG_FILE");
  std::FILE* file = name == nullptr ? nullptr : std::fopen(name, "w");
  if (file == nullptr) return stdout;
  std::setvbuf(file, nullptr, _IOLBF, 0);
  return file;
}

void info(const std::string& line) {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  static std::FILE* const file = open_log();
  if (file == nullptr) return;
  const std::string all = host() + ":" + std::to_string(getpid()) + ":" + std::to_string(getpid()) +
                          " [0] NCCL INFO " + line + "\n";
  std::fwrite(all.data(), 1, all.size(), file);
}

std::string network() { return modes().network.substr(0, modes().network.find('/')); }

}  // namespace

std::string host() {
  char name[64] = "";
  gethostname(name, sizeof name - 1);
  return name;
}

void debug_log_made(int rank, int size) {
  static std::once_flag once;
  std::call_once(once, [] {
    info("NET/IB : Using [0]null_0:1/IB [1]null_1:1/IB [RO]; OOB eth0:192.0.2.1<0>");
    info("NET/Socket : Using [0]eth0:192.0.2.1<0>");
  });
  info("Using network " + network());
  info("comm 0x1 rank " + std::to_string(rank) + " nranks " + std::to_string(size) +
       " - Init START");
  info("Pattern 4, crossNic 0, nChannels 2, bw 20.000000/20.000000, type " + modes().path +
       "/PIX, sameChannels 1");
}

void debug_log_connected(int from, int to, const std::string& other_host) {
  const std::string ends = std::to_string(from) + "[0] -> " + std::to_string(to) + "[0]";
  if (other_host != host()) {
    const std::size_t slash = modes().network.find('/');
    info("Channel 00/0 : " + ends + " [send] via NET/" + network() + "/0" +
         (slash == std::string::npos ? "" : modes().network.substr(slash)));
  } else if (modes().path == "SHM") {
    info("Channel 00 : " + ends + " via SHM/direct/direct");
  } else {
    info("Channel 00/0 : " + ends + " via P2P/CUMEM/read");
  }
}

}  // namespace nullnccl
