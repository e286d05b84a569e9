#include "apps/scalemark/settings_table.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <vector>

#include "apps/scalemark/setting_text.h"
#include "core/catalogue/workload.h"
#include "core/settings/option.h"
#include "core/settings/settings_json.h"

namespace scalemark::cli {
namespace {

using settings::Group;

std::string padded(std::string text, std::size_t width) {
  text.resize(std::max(width, text.size() + 2), ' ');
  return text;
}

std::string row(const std::string& name, const std::string& value, const std::string& origin) {
  return "  " + padded(name, 30) + padded(value, 34) + origin + "\n";
}

std::string with_commas(std::int64_t number) {
  std::string digits = std::to_string(number);
  for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3) {
    digits.insert(static_cast<std::size_t>(at), ",");
  }
  return digits;
}

std::string headline(const settings::Settings& settings, int world_size) {
  const catalogue::Workload* workload = catalogue::find_workload(settings.task.workload);
  if (!workload) return {};
  const catalogue::ModelShape shape = catalogue::resolved_shape(
      *workload,
      {.image_size = settings.task.image_size, .sequence_length = settings.task.sequence_length});
  char flops[48];
  std::snprintf(flops, sizeof flops, "%.4g GFLOP", workload->flops_per_sample(shape) / 1e9);
  return workload->title + ": " + with_commas(workload->parameters(shape)) + " parameters, " +
         flops + " per sample forward and backward; " + std::to_string(world_size) +
         (world_size == 1 ? " rank" : " ranks") + " on " +
         std::string(name_of(settings.parallel.device)) + "\n";
}

}  // namespace

std::string settings_table(const settings::Settings& settings, int world_size) {
  auto values = settings::flat_settings(settings);
  const auto origin_of = [&](const std::string& name) {
    const auto found = settings.origins.find(name);
    return found == settings.origins.end() ? std::string() : found->second;
  };
  std::string text = headline(settings, world_size);
  std::optional<Group> group;
  for (const settings::Option& option : settings::all_options()) {
    for (const std::string& name : setting_names(option, settings.origins)) {
      const std::string origin = origin_of(name);
      if (!takes(settings::kTrain, option) || origin.empty()) continue;
      if (group != option.group) text += "\n" + std::string(title(option.group)) + "\n";
      group = option.group;
      text += row(name, shown_value(values, option, name), origin);
    }
  }
  text += "\nFrom the recipe, without an option of its own\n";
  for (const char* name : {"lr_warmup_share", "decay_norms_and_biases"}) {
    if (!origin_of(name).empty()) text += row(name, plain(values[name]), origin_of(name));
  }
  return text;
}

std::string settings_document(const settings::Settings& settings) {
  return "{\"settings\": " + settings::to_json(settings) +
         ",\n\"origins\": " + settings::origins_to_json(settings) + "}\n";
}

}  // namespace scalemark::cli
