// JSON that others wrote, and what of it is refused: text that is no JSON or nests too deep, keys
// that are repeated or unknown.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace scalemark {

// Makes the complaint of a JSON parser fit for an error line: "[json.exception.parse_error.101]
// parse error at line 1, ..." without the bracket.
inline std::string without_library_name(const std::string& text) {
  const std::size_t end = text.starts_with("[json.exception") ? text.find("] ") : std::string::npos;
  return end == std::string::npos ? text : text.substr(end + 2);
}

inline constexpr int kDeepestJson = 64;  // our own documents need 10

// Whether objects and lists nest deeper than kDeepestJson up to the first error of syntax. Brackets
// within strings do not count. It is asked before a text is parsed: our parser reads any depth, but
// copying, comparing and printing its values recurse once per level, and a hostile file of brackets
// would overflow the stack.
bool nests_too_deep(std::string_view json);

// A document that is read: its name for error lines, and where its form is described.
struct JsonSource {
  std::string file;
  const char* hint = "";
};

// A person wrote the text: what would be ignored is refused, since a misspelt rule must not count
// as absent. Throws configuration() (78) for text that is no JSON, nests deeper than kDeepestJson,
// or holds a key twice in one object: JSON allows that, but one of the two values would be lost.
nlohmann::json parse_strictly(std::string_view text, const JsonSource& source);

// Throws configuration() (78) unless `json` is an object without other keys. `where`: its place in
// the document, for the error line.
void refuse_other_keys(const nlohmann::json& json, const std::vector<std::string_view>& known,
                       const std::string& where, const JsonSource& source);

}  // namespace scalemark
