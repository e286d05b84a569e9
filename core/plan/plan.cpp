#include "core/plan/plan.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

#include "core/base/error.h"
#include "core/settings/layers.h"

namespace scalemark::planning {

settings::Settings with_batch_size(settings::Settings settings, std::int64_t batch_size,
                                   int world_size) {
  auto& size = settings.size;
  const std::int64_t accumulation = std::max<std::int64_t>(1, size.gradient_accumulation_steps);
  std::int64_t global = 0;
  if (batch_size < 1 || __builtin_mul_overflow(batch_size, accumulation, &global) ||
      __builtin_mul_overflow(global, world_size, &global)) {
    throw bug("no batch size: " + std::to_string(batch_size));
  }
  if (settings.recipe.lr_scaling == settings::LrScaling::kLinear && size.global_batch_size > 0) {
    settings.recipe.learning_rate *=
        static_cast<double>(global) / static_cast<double>(size.global_batch_size);
  }
  size = {batch_size, accumulation, global};
  return settings;
}

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
                                 ShortName{"backend", ""},
                                 ShortName{"optimizer", ""},
                                 ShortName{"memory_format", ""}};

// The first part of the name has these already.
constexpr std::array<std::string_view, 6> kBasics{
    "workload",   "precision",         "strategy",
    "batch_size", "global_batch_size", "gradient_accumulation_steps"};

std::string label(const std::string& option) {
  for (const ShortName& entry : kShortNames) {
    if (entry.option == option) return std::string(entry.name);
  }
  if (settings::is_variable_key(option)) return std::string(settings::variable_in(option)) + "-";
  std::string text = option + "-";
  std::ranges::replace(text, '_', '-');
  return text;
}

std::string batch_name(const settings::SizeSettings& size) {
  return "b" + std::to_string(size.batch_size);
}

// A point without a batch size, or with one that is not known yet.
std::string batch_name(const PlannedPoint& point) {
  const auto& size = point.settings.size;
  if (point.batch_search) return "bauto";
  const std::string global = "g" + std::to_string(size.global_batch_size);
  if (size.batch_size == 0) return global;
  return batch_name(size) + (point.skipped && size.global_batch_size ? "-" + global : "");
}

std::string basic_name(const settings::Settings& settings, const std::string& batch,
                       int world_size) {
  const auto accumulation = settings.size.gradient_accumulation_steps;
  return settings.task.workload + "-" + batch +
         (accumulation > 1 ? "-a" + std::to_string(accumulation) : "") + "-" +
         std::string(name_of(settings.parallel.precision)) + "-w" + std::to_string(world_size) +
         "-" + settings.parallel.strategy;
}

}  // namespace

std::string point_name(const settings::Settings& settings, int world_size) {
  return basic_name(settings, batch_name(settings.size), world_size);
}

std::string plain_value(std::string value) {
  while (value.size() > 1 && value.ends_with('/')) value.pop_back();
  value = value.substr(value.rfind('/') + 1);
  std::ranges::replace_if(
      value, [](unsigned char c) { return !(std::isalnum(c) && c < 0x80) && c != '.' && c != '-'; },
      '_');
  return value.substr(0, 40);
}

std::string name_part(const std::string& option, const std::string& value) {
  return "-" + label(option) + plain_value(value);
}

std::string group_name(const PlannedPoint& point) {
  std::string name = basic_name(point.settings, batch_name(point), point.world_size);
  for (const auto& [option, value] : point.varying) name += name_part(option, value);
  return name;
}

std::vector<std::pair<std::string, std::string>> varying_options(
    const settings::RawSettings& raw, const std::vector<std::string>& varying) {
  std::vector<std::pair<std::string, std::string>> values;
  for (const std::string& option : varying) {
    const auto found = raw.find(option);
    if (found == raw.end() || std::ranges::count(kBasics, option) > 0) continue;
    values.emplace_back(option, found->second.text);
  }
  return values;
}

}  // namespace scalemark::planning
