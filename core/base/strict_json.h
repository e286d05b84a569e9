// JSON that a person writes by hand: what would be ignored is refused, since a rule that is
// misspelt must not be a rule that is not there.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace scalemark {

// A document that is read: its name for error lines, and where its form is described.
struct JsonSource {
  std::string file;
  const char* hint = "";
};

// Throws configuration() (78) for text that is no JSON, nests deeper than kDeepestJson, or holds a
// key twice in one object: JSON allows that, but one of the two values would be lost.
nlohmann::json parse_strictly(std::string_view text, const JsonSource& source);

// Throws configuration() (78) unless `json` is an object without other keys. `where`: of the
// document, for the error line.
void refuse_other_keys(const nlohmann::json& json, const std::vector<std::string_view>& known,
                       const std::string& where, const JsonSource& source);

}  // namespace scalemark
