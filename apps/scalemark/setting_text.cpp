#include "apps/scalemark/setting_text.h"

#include <algorithm>
#include <cstdio>

#include "core/settings/variables.h"

namespace scalemark::cli {
namespace {

// {"1":20971520,"3":1024} -> 1=20971520,3=1024
std::string list_of(std::string object) {
  std::erase_if(object, [](char c) { return c == '{' || c == '}' || c == '"'; });
  std::ranges::replace(object, ':', '=');
  return object;
}

}  // namespace

std::string plain(const std::string& json) {
  if (json == "true") return "on";
  if (json == "false") return "off";
  if (json.size() >= 2 && json.front() == '"') return json.substr(1, json.size() - 2);
  return json;
}

std::string shown_value(const std::map<std::string, std::string>& values,
                        const settings::Option& option) {
  return shown_value(values, option, std::string(option.name));
}

std::string shown_value(const std::map<std::string, std::string>& values,
                        const settings::Option& option, const std::string& name) {
  const auto value = values.find(name);
  const std::string word = option.words.empty() ? "" : std::string(option.words.front());
  std::string text = value == values.end() ? word : plain(value->second);
  for (const char* own : {"_by_rank", "_by_phase"}) {
    const auto found = values.find(name + own);
    if (found != values.end()) text += (text.empty() ? "" : ",") + list_of(found->second);
  }
  return text;
}

std::vector<std::string> setting_names(const settings::Option& option,
                                       const std::map<std::string, std::string>& origins) {
  if (option.kind != settings::Kind::kVariable) return {std::string(option.name)};
  std::vector<std::string> names;
  for (const auto& [name, origin] : origins) {
    if (settings::is_variable_key(name)) names.push_back(name);
  }
  return names;
}

std::string duration_text(double seconds) {
  char text[32];
  if (seconds < 120) {
    std::snprintf(text, sizeof text, "%.1f s", seconds);
  } else if (seconds < 7200) {
    std::snprintf(text, sizeof text, "%.0f min", seconds / 60);
  } else {
    std::snprintf(text, sizeof text, "%.1f h", seconds / 3600);
  }
  return text;
}

std::string members_text(const std::vector<int>& members) {
  std::string text;
  for (std::size_t i = 0; i < members.size();) {
    std::size_t last = i;
    while (last + 1 < members.size() && members[last + 1] == members[last] + 1) ++last;
    text += (text.empty() ? "" : ",") + std::to_string(members[i]);
    if (last > i) text += "-" + std::to_string(members[last]);
    i = last + 1;
  }
  return text;
}

}  // namespace scalemark::cli
