#include "core/settings/variables.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "core/base/renamed_variables.h"

namespace scalemark::settings {
namespace {

constexpr std::string_view kPrefix = "env.";

struct RefusedVariable {
  std::string_view name, instead;
};

constexpr auto kRefused = std::to_array<RefusedVariable>({
#define SCALEMARK_REFUSED_VARIABLE(name, instead) {name, instead},
#include "core/settings/refused_variables.inc"
#undef SCALEMARK_REFUSED_VARIABLE
});

bool is_name(std::string_view name) {
  const auto fits = [](unsigned char c) { return c < 0x80 && (std::isalnum(c) || c == '_'); };
  return !name.empty() && !std::isdigit(static_cast<unsigned char>(name.front())) &&
         std::ranges::all_of(name, fits);
}

bool is_meant(std::string_view pattern, std::string_view name) {
  if (!pattern.ends_with('*')) return pattern == name;
  pattern.remove_suffix(1);
  return name.starts_with(pattern);
}

// Empty: nothing is wrong with it.
std::string_view instead_of(std::string_view name) {
  const auto found = std::ranges::find_if(
      kRefused, [&](const RefusedVariable& refused) { return is_meant(refused.name, name); });
  return found == kRefused.end() ? std::string_view() : found->instead;
}

std::string replaced(std::string text, std::string_view what, std::string_view by) {
  for (std::size_t at = text.find(what); at != std::string::npos;
       at = text.find(what, at + by.size())) {
    text.replace(at, what.size(), by);
  }
  return text;
}

}  // namespace

bool is_variable_key(std::string_view key) {
  return key.starts_with(kPrefix) && key.size() > kPrefix.size();
}

std::string_view variable_in(std::string_view key) { return key.substr(kPrefix.size()); }

std::string variable_key(std::string_view variable) {
  return std::string(kPrefix) + std::string(variable);
}

std::string value_of_variable(std::string_view element) {
  return element.empty() ? kUnset : replaced(std::string(element), "\\,", ",");
}

std::string element_of(std::string_view value) { return replaced(std::string(value), ",", "\\,"); }

void add_variable(std::string_view name, std::string_view text, const std::string& origin,
                  Layers& layers) {
  const std::string key = variable_key(name);
  const std::string_view instead = instead_of(name);
  if (!is_name(name)) {
    layers.problems.push_back({"--env", std::string(name),
                               "a variable's name is of letters, digits and underscores", origin,
                               "--env NAME=VALUE"});
  } else if (!instead.empty()) {
    layers.problems.push_back(
        {key, std::string(text), "is no variable of --env", origin, std::string(instead)});
  } else {
    layers.raw[key] = {text.empty() ? kUnset : std::string(text), origin};
  }
  if (std::string told = told_about_variable(name); !told.empty()) {
    layers.notes.push_back("--env: " + std::move(told));
  }
}

}  // namespace scalemark::settings
