#include "apps/scalemark/setting_text.h"

#include <algorithm>

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
  const std::string name(option.name);
  const auto value = values.find(name);
  const std::string word = option.words.empty() ? "" : std::string(option.words.front());
  std::string text = value == values.end() ? word : plain(value->second);
  for (const char* own : {"_by_rank", "_by_phase"}) {
    const auto found = values.find(name + own);
    if (found != values.end()) text += (text.empty() ? "" : ",") + list_of(found->second);
  }
  return text;
}

}  // namespace scalemark::cli
