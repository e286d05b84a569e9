#include "core/machine/topology.h"

#include <linux/mempolicy.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <iterator>
#include <map>
#include <vector>

#include "core/base/characters.h"
#include "core/base/words.h"
#include "core/machine/places.h"
#include "core/machine/text_file.h"

namespace scalemark::monitoring {
namespace {

namespace fs = std::filesystem;

std::vector<int> read_list(const fs::path& file) {
  const auto list = placement::parse_cpu_list(read_line(file).value_or(""));
  return list.value_or(std::vector<int>{});
}

std::optional<int> read_number(const fs::path& file) {
  const auto value = number_in<int>(file);
  return value.value_or(-1) >= 0 ? value : std::nullopt;  // -1: the kernel does not know
}

std::map<int, int> node_of_cpus(const fs::path& root) {
  std::map<int, int> node_of;
  const fs::path nodes = root / "sys/devices/system/node";
  for (const int node : read_list(nodes / "online")) {
    for (const int cpu : read_list(nodes / ("node" + std::to_string(node)) / "cpulist")) {
      node_of[cpu] = node;
    }
  }
  return node_of;
}

// core_cpus_list is the name since Linux 5.3, thread_siblings_list the one before.
int core_of(const fs::path& cpu_folder, int cpu) {
  for (const char* name : {"core_cpus_list", "thread_siblings_list"}) {
    const auto siblings = read_list(cpu_folder / "topology" / name);
    if (!siblings.empty()) return siblings.front();
  }
  return cpu;
}

}  // namespace

placement::Topology read_topology(const fs::path& root) {
  const auto node_of = node_of_cpus(root);
  placement::Topology topology;
  const auto allowed = placement::parse_cpu_list(allowed_cpus(root));
  for (const int cpu : allowed.value_or(std::vector<int>{})) {
    const fs::path folder = root / "sys/devices/system/cpu" / ("cpu" + std::to_string(cpu));
    topology.cpus.push_back(
        {.id = cpu,
         .core = core_of(folder, cpu),
         .package = read_number(folder / "topology/physical_package_id").value_or(0),
         .node = value_at(node_of, cpu)});
  }
  return topology;
}

std::string allowed_cpus(const fs::path& root) {
  const std::string status = read_text(root / "proc/self/status").value_or("");
  return std::string(behind_key(status, "Cpus_allowed_list:").value_or(""));
}

std::optional<int> preferred_memory_node() {
  constexpr std::size_t kWords = 16;  // 1,024 nodes, as many as Linux can have
  constexpr std::size_t kBits = 8 * sizeof(unsigned long);
  unsigned long mask[kWords] = {};
  int mode = 0;
  if (syscall(SYS_get_mempolicy, &mode, mask, kWords * kBits, nullptr, 0) != 0) return std::nullopt;
  if (mode != MPOL_PREFERRED) return std::nullopt;
  const auto* word = std::ranges::find_if(mask, [](unsigned long bits) { return bits != 0; });
  if (word == std::end(mask)) return std::nullopt;  // the local node, wherever that is
  return static_cast<int>(static_cast<std::size_t>(word - mask) * kBits) + std::countr_zero(*word);
}

std::optional<int> memory_node_of_pci(std::string_view address, const fs::path& root) {
  std::string name = lower_case(address);
  const bool long_domain = name.find(':') == 8;  // the kernel writes four digits of it
  if (long_domain) name.erase(0, 4);
  if (name.empty() || name.find('/') != std::string::npos) return std::nullopt;
  return read_number(root / "sys/bus/pci/devices" / name / "numa_node");
}

}  // namespace scalemark::monitoring
