#include "core/settings/builtin_configs.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/base/error.h"
#include "core/settings/near_match.h"

namespace scalemark::settings {
namespace {

std::optional<NamedText> find_builtin(std::string_view name) {
  const auto found = std::ranges::find(builtin_configs(), name, &NamedText::name);
  return found == builtin_configs().end() ? std::nullopt : std::optional(*found);
}

bool is_path(const std::string& text) {
  return text.find('/') != std::string::npos || text.ends_with(".json");
}

// The file that was meant may be built in under its name.
std::string hint_for_path(const std::string& path) {
  const std::string stem = std::filesystem::path(path).stem().string();
  for (const NamedText& config : builtin_configs()) {
    if (stem == std::filesystem::path(config.name).filename()) {
      return "a configuration of this name is built in: --config " + std::string(config.name);
    }
  }
  return "";
}

Error unknown_name(const std::string& name, const char* what) {
  std::vector<std::string_view> names;
  for (const NamedText& config : builtin_configs()) names.push_back(config.name);
  std::string hint = did_you_mean(name, names);
  if (hint.empty()) hint = "`scalemark configs` lists them";
  return no_input("'" + name + "' is no " + what, "", std::move(hint));
}

}  // namespace

ConfigFile read_config(const std::string& path_or_name, std::vector<std::string>& notes) {
  const auto builtin = find_builtin(path_or_name);
  std::error_code none;
  const bool is_there = std::filesystem::exists(path_or_name, none) &&
                        !(builtin && std::filesystem::is_directory(path_or_name, none));
  if (is_there) {
    if (builtin) {
      notes.push_back("--config " + path_or_name +
                      ": the file here is read, not the built-in configuration of that name");
    }
    return {path_or_name, read_text_file(path_or_name)};
  }
  if (builtin) return {path_or_name, std::string(builtin->text)};
  if (!is_path(path_or_name))
    throw unknown_name(path_or_name, "file and no built-in configuration");
  if (const std::string hint = hint_for_path(path_or_name); !hint.empty()) {
    throw no_input("there is no '" + path_or_name + "'", "a JSON file is expected", hint);
  }
  return {path_or_name, read_text_file(path_or_name)};  // says why it cannot be read
}

std::string_view builtin_config(const std::string& name) {
  if (const auto found = find_builtin(name)) return found->text;
  throw unknown_name(name, "built-in configuration");
}

ConfigFacts facts_of(std::string_view text) {
  const auto json = nlohmann::json::parse(text);
  return {json.value("command", ""), json.value("about", ""),
          json.value("claims", std::vector<std::string>())};
}

}  // namespace scalemark::settings
