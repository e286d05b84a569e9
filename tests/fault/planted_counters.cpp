// A machine whose clocks and counters are wrong for one rank, without a hook in the program:
// preloaded, it takes the place of clock_gettime(). Each variable is "LOCAL_RANK:VALUE".
//   CLOCK_JUMPS       VALUE is a file: once it is there, CLOCK_MONOTONIC is 5 s ahead
//   CPU_CLOCK_FACTOR  CLOCK_PROCESS_CPUTIME_ID counts VALUE times as much
//   CPU_GROUP         VALUE is the file cgroup.procs of the control group that the rank begins in
#include <dlfcn.h>
#include <unistd.h>

#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <string_view>

#include "tests/fault/local_rank.h"

namespace {

constexpr double kJump_s = 5;

using ClockCall = int (*)(clockid_t, timespec*);

int real_clock(clockid_t clock, timespec* time) {
  static const auto call = reinterpret_cast<ClockCall>(::dlsym(RTLD_NEXT, "clock_gettime"));
  return call(clock, time);
}

// Returns what `variable` says of this rank; empty: nothing.
std::string planted(const char* variable) {
  const char* wanted = std::getenv(variable);
  const std::string_view text = wanted ? wanted : "";
  const auto colon = text.find(':');
  const std::string own = scalemark::fault::local_rank();
  if (colon == text.npos || own.empty() || text.substr(0, colon) != own) return "";
  return std::string(text.substr(colon + 1));
}

// Constructed before main(), and read by clocks only behind that.
struct Planted {
  std::string jump_file = planted("CLOCK_JUMPS");
  double factor = 1;
  std::atomic<bool> jumped{false};

  Planted() {
    if (const std::string text = planted("CPU_CLOCK_FACTOR"); !text.empty()) {
      factor = std::atof(text.c_str());
    }
    const std::string group = planted("CPU_GROUP");
    if (group.empty()) return;
    std::FILE* file = std::fopen(group.c_str(), "w");
    const bool joined = file != nullptr && std::fprintf(file, "%d\n", ::getpid()) > 0;
    if (file == nullptr || std::fclose(file) != 0 || !joined) {
      std::fprintf(stderr, "planted_counters: cannot join %s\n", group.c_str());
      std::abort();
    }
  }
};

std::atomic<Planted*> made{nullptr};

__attribute__((constructor)) void make() {
  static Planted here;
  made.store(&here);
}

void add(timespec* time, double seconds) {
  const double all = static_cast<double>(time->tv_sec) + 1e-9 * static_cast<double>(time->tv_nsec);
  const double sum = all + seconds;
  time->tv_sec = static_cast<time_t>(std::floor(sum));
  time->tv_nsec = static_cast<long>(1e9 * (sum - std::floor(sum)));
}

bool has_jumped(Planted& here) {
  if (!here.jumped.load() && ::access(here.jump_file.c_str(), F_OK) == 0) here.jumped.store(true);
  return here.jumped.load();
}

}  // namespace

extern "C" int clock_gettime(clockid_t clock, timespec* time) {
  const int result = real_clock(clock, time);
  Planted* here = made.load();
  if (result != 0 || here == nullptr) return result;
  if (clock == CLOCK_MONOTONIC && !here->jump_file.empty() && has_jumped(*here)) {
    time->tv_sec += static_cast<time_t>(kJump_s);
  }
  if (clock == CLOCK_PROCESS_CPUTIME_ID && here->factor != 1) {
    const double seconds =
        static_cast<double>(time->tv_sec) + 1e-9 * static_cast<double>(time->tv_nsec);
    add(time, (here->factor - 1) * seconds);
  }
  return result;
}
