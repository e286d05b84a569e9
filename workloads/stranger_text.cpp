#include "workloads/stranger_text.h"

#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "core/base/error.h"
#include "core/base/strict_json.h"

namespace scalemark::workloads {

using nlohmann::json;

std::string in_quotes(std::string_view name) {
  constexpr std::size_t kMost = 100;
  if (name.size() <= kMost) return "'" + std::string(name) + "'";
  std::size_t end = kMost;
  while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xC0) == 0x80) --end;
  return "'" + std::string(name.substr(0, end)) + "...'";
}

// nlohmann lets the last of two equal keys win; here two equal names are an error.
json parse_object(const std::string& text, const std::string& what) {
  std::vector<std::set<std::string>> keys;
  const auto watch = [&](int, json::parse_event_t event, json& parsed) {
    if (event == json::parse_event_t::object_start) keys.emplace_back();
    if (event == json::parse_event_t::object_end) keys.pop_back();
    if (event == json::parse_event_t::key) {
      const auto& key = parsed.get_ref<const std::string&>();
      if (!keys.back().insert(key).second)
        throw bad_data(what + " has the name " + in_quotes(key) + " twice");
    }
    return true;
  };
  if (nests_too_deep(text)) throw bad_data(what + " is nested too deeply");
  try {
    json parsed = json::parse(text, watch);
    if (!parsed.is_object()) throw bad_data(what + " is not a JSON object");
    return parsed;
  } catch (const json::exception& error) {
    const std::string why = without_library_name(error.what());
    throw bad_data(what + " is not valid JSON: " + why.substr(0, why.find("; last read")));
  }
}

}  // namespace scalemark::workloads
