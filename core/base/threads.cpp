#include "core/base/threads.h"

#include <pthread.h>
#include <sys/resource.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <string>
#include <system_error>
#include <vector>

namespace scalemark {
namespace {

double seconds_on(clockid_t clock) {
  timespec time{};
  if (clock_gettime(clock, &time) != 0) return 0;
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

struct Threads {
  std::mutex mutex;
  std::vector<clockid_t> clocks;  // only threads that live have one
  double ended_s = 0;
};

// Never destroyed: a watching thread may outlive main().
Threads& threads() {
  static auto* all = new Threads;
  return *all;
}

clockid_t own_clock() {
  clockid_t clock{};
  return pthread_getcpuclockid(pthread_self(), &clock) == 0 ? clock : CLOCK_THREAD_CPUTIME_ID;
}

}  // namespace

WatchingThread::WatchingThread() {
  const std::lock_guard lock(threads().mutex);
  threads().clocks.push_back(own_clock());
}

WatchingThread::~WatchingThread() {
  const std::lock_guard lock(threads().mutex);
  const auto found = std::ranges::find(threads().clocks, own_clock());
  if (found != threads().clocks.end()) threads().clocks.erase(found);
  threads().ended_s += seconds_on(CLOCK_THREAD_CPUTIME_ID);
}

double watching_cpu_s() {
  const std::lock_guard lock(threads().mutex);
  double sum = threads().ended_s;
  for (const clockid_t clock : threads().clocks) sum += seconds_on(clock);
  return sum;
}

namespace {

namespace fs = std::filesystem;

std::string text_of(int resource) {
  rlimit limit{};
  if (getrlimit(resource, &limit) != 0) return "not known";
  return limit.rlim_cur == RLIM_INFINITY ? "unlimited" : std::to_string(limit.rlim_cur);
}

std::string word_in(const fs::path& file) {
  std::string word;
  std::ifstream(file) >> word;
  return word;
}

// The smallest pids.max of the process's own cgroup and those above it; empty: none is set.
// cgroups(7)
std::string smallest_pids_max() {
  std::ifstream groups("/proc/self/cgroup");
  std::string smallest;
  for (std::string line; std::getline(groups, line);) {
    const std::size_t colon = line.rfind(":/");
    const bool is_v2 = line.starts_with("0::");
    if (colon == line.npos || (!is_v2 && line.find(":pids") == line.npos)) continue;
    const fs::path root = is_v2 ? "/sys/fs/cgroup" : "/sys/fs/cgroup/pids";
    for (fs::path group = root / line.substr(colon + 2);; group = group.parent_path()) {
      const std::string most = word_in(group / "pids.max");
      const bool is_number = !most.empty() && most.find_first_not_of("0123456789") == most.npos;
      if (is_number && (smallest.empty() || std::stoull(most) < std::stoull(smallest))) {
        smallest = most;
      }
      if (group == root || !group.has_relative_path()) break;
    }
  }
  return smallest;
}

}  // namespace

bool is_thread_shortage(const std::exception& error) {
  const auto* of_system = dynamic_cast<const std::system_error*>(&error);
  return of_system != nullptr && of_system->code() == std::errc::resource_unavailable_try_again;
}

std::string small_thread_limits() {
  constexpr rlim_t kSmall = 256;
  std::string limits;
  rlimit limit{};
  if (getrlimit(RLIMIT_NPROC, &limit) == 0 && limit.rlim_cur < kSmall) {
    limits = "`ulimit -u` is " + std::to_string(limit.rlim_cur);
  }
  const std::string most = smallest_pids_max();
  if (!most.empty() && std::stoull(most) < kSmall) {
    limits += (limits.empty() ? "" : ", ") + ("pids.max of the cgroup is " + most);
  }
  return limits;
}

Error thread_shortage() {
  std::string limits = "`ulimit -u` is " + text_of(RLIMIT_NPROC);
  if (const std::string most = smallest_pids_max(); !most.empty()) {
    limits += ", pids.max of the cgroup is " + most;
  }
  if (const std::string memory = text_of(RLIMIT_AS); memory != "unlimited") {
    limits += ", `ulimit -v` is " + memory + " bytes";  // a thread needs a stack
  }
  return system_error("the system gives this process no further thread or process", limits,
                      "raise the limit (`ulimit -u`, TasksMax= of a service, --pids-limit of a "
                      "container), or lower --threads, --workers or the number of ranks");
}

}  // namespace scalemark
