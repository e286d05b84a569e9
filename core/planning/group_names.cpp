#include "core/planning/group_names.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

namespace scalemark::planning {
namespace {

struct ShortName {
  std::string_view option, name;
};

constexpr std::array kShortNames{ShortName{"image_size", "i"},
                                 ShortName{"sequence_length", "s"},
                                 ShortName{"workers", "j"},
                                 ShortName{"threads", "t"},
                                 ShortName{"bucket_cap_mb", "bucket"},
                                 ShortName{"first_bucket_cap_mb", "firstbucket"},
                                 ShortName{"gradient_compression", "compress-"},
                                 ShortName{"learning_rate", "lr"},
                                 ShortName{"data", "data-"},
                                 ShortName{"device", ""},
                                 ShortName{"backend", ""},
                                 ShortName{"optimizer", ""},
                                 ShortName{"memory_format", ""}};

// Already in the first part of the name.
constexpr std::array<std::string_view, 6> kBasics{
    "workload",   "precision",         "strategy",
    "batch_size", "global_batch_size", "gradient_accumulation_steps"};

std::string label(const std::string& option) {
  for (const ShortName& entry : kShortNames) {
    if (entry.option == option) return std::string(entry.name);
  }
  std::string text = option + "-";
  std::ranges::replace(text, '_', '-');
  return text;
}

// A path is told by its last part. What is left fits file names and shells.
std::string plain(std::string value) {
  while (value.size() > 1 && value.ends_with('/')) value.pop_back();
  value = value.substr(value.rfind('/') + 1);
  std::ranges::replace_if(
      value, [](unsigned char c) { return !(std::isalnum(c) && c < 0x80) && c != '.' && c != '-'; },
      '_');
  return value.substr(0, 40);
}

std::string size_name(const PlannedPoint& point) {
  const auto& size = point.settings.size;
  std::string text = point.batch_search ? "bauto"
                     : size.batch_size  ? "b" + std::to_string(size.batch_size)
                                        : "g" + std::to_string(size.global_batch_size);
  if (point.skipped && size.batch_size && size.global_batch_size) {
    text += "-g" + std::to_string(size.global_batch_size);
  }
  const auto accumulation = size.gradient_accumulation_steps;
  if (accumulation > 1) text += "-a" + std::to_string(accumulation);
  return text;
}

}  // namespace

std::string group_name(const PlannedPoint& point, const settings::RawSettings& raw,
                       const std::vector<std::string>& varying) {
  std::string name = point.settings.what.workload + "-" + size_name(point) + "-" +
                     point.settings.parallel.precision + "-w" + std::to_string(point.world_size) +
                     "-" + point.settings.parallel.strategy;
  for (const std::string& option : varying) {
    const auto found = raw.find(option);
    if (found == raw.end() || std::ranges::count(kBasics, option) > 0) continue;
    name += "-" + label(option) + plain(found->second.text);
  }
  return name;
}

}  // namespace scalemark::planning
