// Makes the complaint of a JSON parser fit for an error line.
#pragma once

#include <string>

namespace scalemark {

// "[json.exception.parse_error.101] parse error at line 1, ..." without the bracket.
inline std::string without_library_name(const std::string& text) {
  const std::size_t end = text.starts_with("[json.exception") ? text.find("] ") : std::string::npos;
  return end == std::string::npos ? text : text.substr(end + 2);
}

}  // namespace scalemark
