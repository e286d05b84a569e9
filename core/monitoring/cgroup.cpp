#include <algorithm>

#include "core/base/number_words.h"
#include "core/base/text.h"
#include "core/monitoring/environment.h"
#include "core/monitoring/text_file.h"

namespace scalemark::monitoring {
namespace {

namespace fs = std::filesystem;

// v1 says "no limit" with the largest multiple of a page; no machine has 2^60 bytes.
constexpr std::uint64_t kUnlimitedFrom = 1ULL << 60;

template <class T>
void tighten(std::optional<T>& limit, T value) {
  if (!limit || value < *limit) limit = value;
}

void tighten_cpus(CgroupLimits& limits, std::optional<std::int64_t> quota_us,
                  std::optional<std::int64_t> period_us) {
  if (!quota_us || !period_us || *quota_us <= 0 || *period_us <= 0) return;
  tighten(limits.cpus, static_cast<double>(*quota_us) / static_cast<double>(*period_us));
}

void tighten_memory(CgroupLimits& limits, const fs::path& file) {
  const auto bytes = number_in<std::int64_t>(file);  // absent for "max"
  if (!bytes || *bytes < 0 || static_cast<std::uint64_t>(*bytes) >= kUnlimitedFrom) return;
  tighten(limits.memory_bytes, static_cast<std::uint64_t>(*bytes));
}

// Calls read(folder) for `group` and each group above it, up to the mount itself. In a container
// the group's path may not exist below the mount: then only the mount is read.
template <class Read>
void walk_up(const fs::path& mount, fs::path group, Read read) {
  for (group = group.relative_path(); !group.empty(); group = group.parent_path()) {
    read(mount / group);
  }
  read(mount);
}

// "0::/user.slice" or "4:cpu,cpuacct:/job": the path of `controller`, "" for v2.
std::string group_path(const std::string& text, const std::string& controller) {
  for (const std::string_view line : lines_of(text)) {
    const auto first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const auto controllers = split(line.substr(first + 1, second - first - 1), ",");
    if (std::ranges::count(controllers, controller) > 0) {
      return std::string(line.substr(second + 1));
    }
  }
  return "/";
}

void read_v2(CgroupLimits& limits, const fs::path& folder) {
  if (const auto line = read_line(folder / "cpu.max")) {
    const auto blank = line->find(' ');
    if (blank != std::string::npos) {
      tighten_cpus(limits, leading_number<std::int64_t>(*line),
                   leading_number<std::int64_t>(line->substr(blank + 1)));
    }
  }
  tighten_memory(limits, folder / "memory.max");
}

void read_v1_cpu(CgroupLimits& limits, const fs::path& folder) {
  tighten_cpus(limits, number_in<std::int64_t>(folder / "cpu.cfs_quota_us"),
               number_in<std::int64_t>(folder / "cpu.cfs_period_us"));
}

}  // namespace

std::vector<fs::path> cgroup_cpu_folders(const fs::path& root) {
  const fs::path mount = root / "sys/fs/cgroup";
  const auto groups = read_text(root / "proc/self/cgroup").value_or("");
  std::vector<fs::path> folders;
  const auto add = [&](const fs::path& folder) { folders.push_back(folder); };
  std::error_code ignored;
  if (fs::exists(mount / "cgroup.controllers", ignored)) {
    walk_up(mount, group_path(groups, ""), add);
  } else if (fs::exists(mount / "cpu", ignored)) {
    walk_up(mount / "cpu", group_path(groups, "cpu"), add);
  }
  return folders;
}

CgroupLimits cgroup_limits(const fs::path& root) {
  CgroupLimits limits;
  const fs::path mount = root / "sys/fs/cgroup";
  const auto groups = read_text(root / "proc/self/cgroup").value_or("");
  std::error_code ignored;
  if (fs::exists(mount / "cgroup.controllers", ignored)) {
    limits.version = 2;
    walk_up(mount, group_path(groups, ""), [&](const fs::path& f) { read_v2(limits, f); });
  } else if (fs::exists(mount / "memory", ignored) || fs::exists(mount / "cpu", ignored)) {
    limits.version = 1;
    walk_up(mount / "cpu", group_path(groups, "cpu"),
            [&](const fs::path& f) { read_v1_cpu(limits, f); });
    walk_up(mount / "memory", group_path(groups, "memory"),
            [&](const fs::path& f) { tighten_memory(limits, f / "memory.limit_in_bytes"); });
  }
  return limits;
}

}  // namespace scalemark::monitoring
