#include "core/launching/cpu_share.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "core/launching/parse.h"

namespace scalemark::launching {
namespace {

namespace fs = std::filesystem;

int affinity_cores() {
  // The default mask holds 1,024 processors; larger machines need a larger one.
  for (int processors = 1024; processors <= 1 << 20; processors *= 2) {
    cpu_set_t* mask = CPU_ALLOC(processors);
    if (mask == nullptr) break;
    const auto bytes = CPU_ALLOC_SIZE(processors);
    const int failed = sched_getaffinity(0, bytes, mask);
    const int count = failed == 0 ? CPU_COUNT_S(bytes, mask) : 0;
    CPU_FREE(mask);
    if (failed == 0) return std::max(1, count);
  }
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

std::optional<std::string> first_line(const fs::path& path) {
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line)) return {};
  return line;
}

std::optional<double> quota_v1(const fs::path& folder) {
  const auto quota = first_line(folder / "cpu.cfs_quota_us");
  const auto period = first_line(folder / "cpu.cfs_period_us");
  if (!quota || !period || *quota == "-1") return {};
  return quota_of_cpu_max(*quota + " " + *period);
}

// A limit may stand at any level between our group and the root of the mount.
template <typename Quota>
void narrow(const fs::path& mount, const std::string& group, Quota quota, double& cores) {
  fs::path folder = mount / fs::path(group).relative_path();
  for (int level = 0; level < 64; ++level) {
    if (const auto limit = quota(folder)) cores = std::min(cores, *limit);
    if (folder == mount || !folder.has_parent_path() || folder == folder.parent_path()) break;
    folder = folder.parent_path();
  }
  if (const auto limit = quota(mount)) cores = std::min(cores, *limit);
}

std::optional<double> quota_v2(const fs::path& folder) {
  const auto line = first_line(folder / "cpu.max");
  return line ? quota_of_cpu_max(*line) : std::nullopt;
}

// Lines of /proc/self/cgroup are "ID:CONTROLLERS:GROUP"; v2 has no controllers.
double cgroup_cores() {
  double cores = INFINITY;
  const fs::path root = "/sys/fs/cgroup";
  std::ifstream file("/proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    const auto first = line.find(':');
    const auto second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    std::string controllers = ",";
    controllers.append(line, first + 1, second - first - 1).append(",");
    const auto group = line.substr(second + 1);
    if (controllers == ",,") {
      narrow(root, group, quota_v2, cores);
      narrow(root / "unified", group, quota_v2, cores);
    } else if (controllers.find(",cpu,") != std::string::npos) {
      narrow(root / "cpu", group, quota_v1, cores);
    }
  }
  return cores;
}

bool all_digits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace

std::optional<double> quota_of_cpu_max(const std::string& text) {
  std::istringstream words(text);
  std::string quota;
  double period_us = 0;
  if (!(words >> quota >> period_us) || period_us <= 0 || !all_digits(quota)) return {};
  return std::stod(quota) / period_us;
}

int available_cores() {
  const double quota = cgroup_cores();
  const int cores = affinity_cores();
  if (quota >= cores) return cores;
  return std::max(1, static_cast<int>(std::floor(quota)));
}

int threads_per_rank(int cores, int local_world_size) {
  return std::max(1, cores / std::max(1, local_world_size));
}

int visible_gpus(const std::optional<std::string>& cuda_visible_devices, int device_files) {
  if (!cuda_visible_devices) return device_files;
  int count = 0;
  std::istringstream entries(*cuda_visible_devices);
  for (std::string entry; std::getline(entries, entry, ',');) {
    const auto index = parse_whole(entry);
    const bool by_uuid = entry.starts_with("GPU-") || entry.starts_with("MIG-");
    if (!by_uuid && (!index || *index >= device_files)) break;
    ++count;
  }
  return device_files == 0 ? 0 : count;
}

int visible_gpus(const Environment& environment) {
  int device_files = 0;
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator("/dev", failed)) {
    const auto name = entry.path().filename().string();
    if (name.starts_with("nvidia") && all_digits(std::string_view(name).substr(6))) ++device_files;
  }
  const auto visible = environment.find("CUDA_VISIBLE_DEVICES");
  if (visible == environment.end()) return visible_gpus(std::nullopt, device_files);
  return visible_gpus(visible->second, device_files);
}

int auto_nproc_per_node(int gpus, int cores, std::optional<int> threads) {
  if (gpus > 0) return gpus;
  if (!threads || *threads < 1) return 1;
  return std::max(1, cores / *threads);
}

}  // namespace scalemark::launching
