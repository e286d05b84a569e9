#include "apps/scalemark/setting_text.h"

#include <unistd.h>

#include <algorithm>
#include <string_view>

#include "core/base/terminal.h"
#include "core/settings/layers.h"

namespace scalemark::cli {
namespace {

// {"1":20971520,"3":1024} -> 1=20971520,3=1024
std::string list_of(std::string object) {
  std::erase_if(object, [](char c) { return c == '{' || c == '}' || c == '"'; });
  std::ranges::replace(object, ':', '=');
  return object;
}

// The column of a terminal at which the origins of settings begin; most of them are short words.
std::size_t origins_at(const Terminal& terminal) {
  constexpr int kLast = 66, kFirst = 46, kWord = 12;
  return terminal.is_terminal ? std::clamp(terminal.columns - kWord, kFirst, kLast) : kLast;
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

std::string setting_lines(const std::vector<SettingRow>& rows) {
  const std::size_t values = 32, origins = origins_at(terminal_of(STDOUT_FILENO));
  std::string text;
  std::string_view last;
  for (const SettingRow& row : rows) {
    const std::string_view now =
        row.option ? title(row.option->group) : "From the recipe, without an option of its own";
    if (now != last) text += "\n" + std::string(now) + "\n";
    last = now;
    std::string line = "  " + row.name;
    line.resize(std::max(values, line.size() + 2), ' ');
    line += row.value;
    line.resize(std::max(origins, line.size() + 2), ' ');
    text += line + row.origin + "\n";
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
