#include "core/base/strict_json.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "core/base/characters.h"
#include "core/base/error.h"
#include "core/base/text.h"

namespace scalemark {

bool nests_too_deep(std::string_view json) {
  int depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '[' || c == '{') {
      if (++depth > kDeepestJson) return true;
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return false;
}

using Json = nlohmann::json;

Json parse_strictly(std::string_view text, const JsonSource& source) {
  const std::string name = "'" + source.file + "'";
  if (const std::string encoding = wide_encoding_of(text); !encoding.empty()) {
    throw configuration(name + " is in " + encoding, "UTF-8 is expected", utf8_hint(encoding));
  }
  if (nests_too_deep(text)) {
    throw configuration(name + " nests deeper than any such file", {}, source.hint);
  }
  std::vector<std::set<std::string>> open;
  std::string twice;
  const auto watch = [&](int, Json::parse_event_t event, Json& parsed) {
    if (event == Json::parse_event_t::object_start) open.emplace_back();
    if (event == Json::parse_event_t::object_end) open.pop_back();
    if (event == Json::parse_event_t::key &&
        !open.back().insert(parsed.get<std::string>()).second) {
      twice = parsed.get<std::string>();
    }
    return true;
  };
  Json json = Json::parse(text, watch, /*allow_exceptions=*/false);
  if (json.is_discarded()) throw configuration(name + " is not JSON", {}, source.hint);
  if (!twice.empty()) throw configuration(name + " has the key '" + twice + "' twice");
  return json;
}

void refuse_other_keys(const Json& json, const std::vector<std::string_view>& known,
                       const std::string& where, const JsonSource& source) {
  if (!json.is_object()) throw configuration(where + " is no JSON object", {}, source.hint);
  for (const auto& [key, value] : json.items()) {
    if (std::ranges::find(known, key) != known.end()) continue;
    throw configuration(where + " has the unknown key '" + key + "'",
                        known.empty() ? "none is known there" : joined(known, ", ") + " are known",
                        source.hint);
  }
}

}  // namespace scalemark
