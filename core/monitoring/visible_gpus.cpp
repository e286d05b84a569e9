#include "core/monitoring/visible_gpus.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <string_view>

#include "core/base/number_words.h"
#include "core/base/text.h"
#include "core/monitoring/text_file.h"

namespace scalemark::monitoring {
namespace {

// Absent: no such GPU.
using IndexOfUuid = std::function<std::optional<int>(std::string_view)>;

std::string_view trimmed(std::string_view entry) {
  while (!entry.empty() && entry.front() == ' ') entry.remove_prefix(1);
  while (!entry.empty() && entry.back() == ' ') entry.remove_suffix(1);
  return entry;
}

std::optional<int> number_of(std::string_view entry, int gpus) {
  const auto number = whole_number(entry);
  return number && *number >= 0 && *number < gpus ? number : std::nullopt;
}

std::vector<int> chosen(std::string_view list, int gpus, const IndexOfUuid& index_of_uuid) {
  std::vector<int> visible;
  for (const std::string_view piece : split(list, ",")) {
    const std::string_view entry = trimmed(piece);
    const bool by_uuid = entry.starts_with("GPU-") || entry.starts_with("MIG-");
    const auto index = by_uuid ? index_of_uuid(entry) : number_of(entry, gpus);
    if (!index) break;
    if (std::ranges::find(visible, *index) != visible.end()) return {};
    visible.push_back(*index);
  }
  return visible;
}

}  // namespace

std::vector<int> visible_gpus(const std::optional<std::string>& cuda_visible_devices,
                              std::span<const Gpu> gpus) {
  if (!cuda_visible_devices) {
    std::vector<int> all;
    for (std::size_t i = 0; i < gpus.size(); ++i) all.push_back(static_cast<int>(i));
    return all;
  }
  const auto index_of = [&](std::string_view uuid) -> std::optional<int> {
    const auto found = std::ranges::find_if(gpus, [&](const Gpu& gpu) {
      return gpu.uuid.starts_with(uuid) ||
             std::ranges::any_of(gpu.mig_instances, [&](const MigInstance& instance) {
               return instance.uuid.starts_with(uuid);
             });
    });
    if (found == gpus.end()) return std::nullopt;
    return static_cast<int>(found - gpus.begin());
  };
  return chosen(*cuda_visible_devices, static_cast<int>(gpus.size()), index_of);
}

int visible_gpu_count(const std::optional<std::string>& cuda_visible_devices, int gpus) {
  if (!cuda_visible_devices || gpus == 0) return gpus;
  std::vector<std::string> uuids;  // numbered behind the indices, so that none is taken for another
  const auto index_of = [&](std::string_view uuid) -> std::optional<int> {
    const auto known = std::ranges::find(uuids, uuid);
    const auto at = static_cast<int>(known - uuids.begin());
    if (known == uuids.end()) uuids.emplace_back(uuid);
    return gpus + at;
  };
  return static_cast<int>(chosen(*cuda_visible_devices, gpus, index_of).size());
}

int gpu_device_files() {
  constexpr std::string_view kName = "nvidia";
  int count = 0;
  for (const std::filesystem::path& entry : entries_of("/dev")) {
    const std::string name = entry.filename();
    const bool numbered = name.size() > kName.size() &&
                          name.find_first_not_of("0123456789", kName.size()) == std::string::npos;
    if (name.starts_with(kName) && numbered) ++count;
  }
  return count;
}

}  // namespace scalemark::monitoring
