#include "core/settings/layers.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "core/settings/unknown_option.h"

namespace scalemark::settings {
namespace {

constexpr std::string_view kPrefix = "SCALEMARK_";

void add_config(const ConfigFile& file, Command command, Layers& layers) {
  ConfigValues config = parse_config(file, command);
  for (auto& [name, text] : config.values) {
    layers.raw[name] = {std::move(text), "config " + file.path};
  }
  layers.problems.insert(layers.problems.end(), config.problems.begin(), config.problems.end());
}

std::string option_name_of(std::string_view variable) {
  std::string name(variable.substr(kPrefix.size()));
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
  return name;
}

void add_variable(const std::string& variable, const std::string& text, Command command,
                  Layers& layers) {
  if (is_internal_variable(variable)) return;
  const std::string name = option_name_of(variable);
  const Option* option = find_option(name, command);
  if (!option || option->layer) {
    std::string hint = unknown_option_hint(name, command);
    layers.problems.push_back(
        {variable, text, "no option has this name", "environment", std::move(hint)});
  } else if (takes(command, *option)) {
    layers.raw[std::string(option->name)] = {text, "environment"};
  } else {
    layers.notes.push_back(variable + " has no meaning for " + std::string(command_name(command)));
  }
}

void add_pair(const std::string& pair, Command command, Layers& layers) {
  const std::size_t equals = pair.find('=');
  if (equals == std::string::npos || equals == 0) {
    layers.problems.push_back({"--set", pair, "KEY=VALUE is expected", "set", ""});
    return;
  }
  const std::string name = normalised(std::string_view(pair).substr(0, equals));
  const Option* option = find_option(name, command);
  if (!option || option->layer || !takes(command, *option)) {
    layers.problems.push_back(
        {"--set", pair, "unknown key '" + name + "'", "set", unknown_option_hint(name, command)});
    return;
  }
  layers.raw[std::string(option->name)] = {pair.substr(equals + 1), "set"};
}

}  // namespace

bool is_internal_variable(std::string_view name) {
  static constexpr std::array<std::string_view, 7> kInternal{
      "SCALEMARK_RANK_SPEC", "SCALEMARK_TEST_DATA", "SCALEMARK_SOURCE_DIR", "SCALEMARK_BINARY_DIR",
      "SCALEMARK_PYTHON",    "SCALEMARK_CUDA",      "SCALEMARK_TORCH_DIR"};
  return std::ranges::count(kInternal, name) > 0;
}

Layers merge_layers(const Sources& sources, Command command) {
  Layers layers;
  for (const ConfigFile& file : sources.config_files) add_config(file, command, layers);
  for (const auto& [variable, text] : sources.environment) {
    if (variable.starts_with(kPrefix)) add_variable(variable, text, command, layers);
  }
  for (const auto& [name, text] : sources.options) {
    const Option* option = find_option(name);
    if (option && !option->layer) layers.raw[std::string(option->name)] = {text, "option"};
  }
  for (const std::string& pair : sources.set) add_pair(pair, command, layers);
  return layers;
}

}  // namespace scalemark::settings
