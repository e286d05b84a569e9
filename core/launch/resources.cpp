#include "core/launch/resources.h"

#include <fcntl.h>
#include <linux/mempolicy.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "core/machine/places.h"

namespace scalemark::launching {
namespace {

void bind_to_cpus(const std::vector<int>& cpus) {
  const int most = cpus.back() + 1;
  const std::size_t size = CPU_ALLOC_SIZE(most);
  const std::unique_ptr<cpu_set_t, void (*)(cpu_set_t*)> set(
      CPU_ALLOC(most), [](cpu_set_t* allocated) { CPU_FREE(allocated); });
  if (!set) throw system_error("no memory for a set of " + std::to_string(most) + " CPUs");
  CPU_ZERO_S(size, set.get());
  for (const int cpu : cpus) CPU_SET_S(cpu, size, set.get());
  if (sched_setaffinity(0, size, set.get()) == 0) return;
  throw system_error(
      "--bind: CPUs " + placement::cpu_list(cpus) + " cannot be had: " + std::strerror(errno),
      "CPUs of this process's cpuset", "leave --bind out");
}

// The node is preferred, not bound: once it is full, slow memory of another one is better than
// none.
void prefer_memory_of(int node) {
  constexpr std::size_t kBits = 8 * sizeof(unsigned long);
  const auto at = static_cast<std::size_t>(node);
  std::vector<unsigned long> mask(at / kBits + 1);
  mask[at / kBits] = 1UL << (at % kBits);
  // The kernel reads one bit less than this length.
  if (syscall(SYS_set_mempolicy, MPOL_PREFERRED, mask.data(), mask.size() * kBits + 1) == 0) return;
  throw system_error("--bind numa: memory node " + std::to_string(node) +
                         " cannot be preferred: " + std::strerror(errno),
                     "set_mempolicy(2), which container runtimes forbid by default, is allowed",
                     "give the container the capability SYS_NICE, or use --bind cores");
}

}  // namespace

void bind_process(const placement::Place& place) {
  bind_to_cpus(place.cpus);
  if (place.memory_node) prefer_memory_of(*place.memory_node);
}

namespace {

constexpr rlim_t kMostAsked = 1u << 20;  // a hard limit may be "unlimited"

// A process needs these descriptors whatever the number of ranks: for libraries, data and report
// files, and short-lived ones.
constexpr std::uint64_t kOfAnyRank = 48, kOfAnyLauncher = 24;
// Each rank has two connections to the store, and a launcher two pipes to it.
constexpr std::uint64_t kStorePerRank = 2, kPipesPerRank = 2;

void require_descriptors(std::uint64_t needed, const char* who, int ranks) {
  const std::uint64_t limit = raise_descriptor_limit();
  if (limit >= needed) return;
  const std::string number = std::to_string(needed);
  throw system_error("a process may open " + std::to_string(limit) + " files and connections here",
                     std::string(who) + " of " + std::to_string(ranks) + " ranks needs " + number,
                     "raise the hard limit: `ulimit -Hn " + number +
                         "`, LimitNOFILE= of a service, --ulimit nofile of a container");
}

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

std::uint64_t descriptors_of_rank(int rank, int world_size, const Rendezvous& at, int meshes) {
  const auto ranks = static_cast<std::uint64_t>(world_size);
  const bool holds_store = rank == 0 && at.kind != Rendezvous::Kind::kFile && !at.agent_store;
  // Control traffic goes along a tree in the run's group, and in a point's without a mesh.
  const auto tree = static_cast<std::uint64_t>(std::bit_width(ranks));
  return kOfAnyRank + 2 * tree + static_cast<std::uint64_t>(meshes) * ranks +
         (holds_store ? kStorePerRank * ranks : 0);
}

void require_descriptors_of_rank(int rank, int world_size, const Rendezvous& at, int meshes) {
  require_descriptors(world_size == 1 ? 0 : descriptors_of_rank(rank, world_size, at, meshes),
                      rank == 0 ? "rank 0" : "a rank", world_size);
}

void require_descriptors_of_launcher(int ranks) {
  require_descriptors(kOfAnyLauncher + kPipesPerRank * static_cast<std::uint64_t>(ranks),
                      "the launcher", ranks);
}

namespace {

constexpr const char* kFallback = "/tmp";
constexpr std::string_view kLongestName = "/scalemark-XXXXXX/launcher";

// Fills a file, since a full disk may still have room for a folder. A limit of file sizes (EFBIG)
// is not the folder's.
int failure_of_file(const std::string& path) {
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  const int failure = file.open() && ::write(file.get(), "x", 1) == 1 ? 0 : errno;
  ::unlink(path.c_str());
  return failure == EFBIG ? 0 : failure;
}

// Why `folder` cannot be used; empty: it can.
std::string failure_in(const std::string& folder, std::size_t longest_path) {
  if (longest_path != 0 && folder.size() + kLongestName.size() > longest_path) {
    return "too long for the path of a socket";
  }
  std::string own = folder + "/scalemark-XXXXXX";
  int failure = 0;
  if (::mkdtemp(own.data()) == nullptr) {
    failure = errno;
  } else {
    failure = failure_of_file(own + "/probe");
    ::rmdir(own.c_str());
  }
  return failure == 0 ? "" : std::strerror(failure);
}

}  // namespace

TemporaryPlace temporary_place(std::size_t longest_path) {
  std::string named;
  for (const char* variable : {"TMPDIR", "TMP", "TEMP", "TEMPDIR"}) {
    const char* folder = std::getenv(variable);
    if (folder == nullptr || *folder == '\0') continue;
    const std::string failure = failure_in(folder, longest_path);
    if (failure.empty()) return {.path = folder, .note = ""};
    named = std::string(variable) + "=" + folder + " cannot be used (" + failure + ")";
    break;
  }
  const std::string failure = failure_in(kFallback, longest_path);
  if (failure.empty()) {
    return {.path = kFallback, .note = named.empty() ? "" : named + ": /tmp is used instead"};
  }
  throw system_error("no temporary folder can be made: " + (named.empty() ? "" : named + ", ") +
                         "/tmp cannot be used (" + failure + ")",
                     {}, "set TMPDIR to a folder of this machine that can be written to");
}

TemporaryFolder::TemporaryFolder(const std::filesystem::path& place) {
  std::string pattern = place / "scalemark-XXXXXX";
  if (::mkdtemp(pattern.data()) == nullptr) {
    throw system_error("cannot create the folder " + pattern + ": " + std::strerror(errno), {},
                       "set TMPDIR to a folder that can be written to");
  }
  path_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace scalemark::launching
