#include "core/launching/bind.h"

#include <linux/mempolicy.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <vector>

#include "core/base/error.h"
#include "core/placement/cpu_list.h"

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

// Preferred, not bound: where the node is full, memory of another one is slow, and none is fatal.
void prefer_memory_of(int node) {
  constexpr std::size_t kBits = 8 * sizeof(unsigned long);
  const auto at = static_cast<std::size_t>(node);
  std::vector<unsigned long> mask(at / kBits + 1);
  mask[at / kBits] = 1UL << (at % kBits);
  // The kernel reads one bit less than it is told.
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

}  // namespace scalemark::launching
