#include "core/launching/descriptors.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <string>

#include "core/base/error.h"

namespace scalemark::launching {
namespace {

constexpr rlim_t kMostAsked = 1u << 20;  // a hard limit may be "unlimited"

// Descriptors that any number of ranks needs: libraries, data and report files, short-lived ones.
constexpr std::uint64_t kOfAnyRank = 48, kOfAnyLauncher = 24;
// Rank 0 holds the store, to which each rank has two connections. Each rank has a Gloo connection
// to each other one in the run's control group, and one in the point's group.
constexpr std::uint64_t kStorePerRank = 2, kGlooPerRank = 2;
constexpr std::uint64_t kPipesPerRank = 2;

}  // namespace

void fill_standard_descriptors() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(fd, F_GETFD) >= 0) continue;
    open("/dev/null", fd == STDOUT_FILENO ? O_RDONLY : O_RDWR);  // takes the lowest free number
  }
}

std::uint64_t raise_descriptor_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return kMostAsked;  // no limit is known then
  const rlim_t wanted = std::max(limit.rlim_cur, std::min(limit.rlim_max, kMostAsked));
  if (wanted != limit.rlim_cur) {
    const rlimit raised{wanted, limit.rlim_max};
    if (setrlimit(RLIMIT_NOFILE, &raised) == 0) limit.rlim_cur = wanted;
  }
  return limit.rlim_cur;
}

std::uint64_t descriptors_of_rank(int rank, int world_size) {
  const auto ranks = static_cast<std::uint64_t>(world_size);
  return kOfAnyRank + kGlooPerRank * ranks + (rank == 0 ? kStorePerRank * ranks : 0);
}

std::uint64_t descriptors_of_launcher(int ranks) {
  return kOfAnyLauncher + kPipesPerRank * static_cast<std::uint64_t>(ranks);
}

void require_descriptors(std::uint64_t needed, std::uint64_t limit, const char* who, int ranks) {
  if (limit >= needed) return;
  const std::string number = std::to_string(needed);
  throw system_error("a process may open " + std::to_string(limit) + " files and connections here",
                     std::string(who) + " of " + std::to_string(ranks) + " ranks needs " + number,
                     "raise the hard limit: `ulimit -Hn " + number +
                         "`, LimitNOFILE= of a service, --ulimit nofile of a container");
}

}  // namespace scalemark::launching
