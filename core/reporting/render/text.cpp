#include "core/reporting/render/text.h"

namespace scalemark::reporting {
namespace {

std::string escaped(std::string_view text, bool replace_controls) {
  std::string result;
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '&') {
      result += "&amp;";
    } else if (c == '<') {
      result += "&lt;";
    } else if (c == '>') {
      result += "&gt;";
    } else if (c == '"') {
      result += "&quot;";
    } else if (c == '\'') {
      result += "&#39;";
    } else if (replace_controls && (code < 0x20 || code == 0x7F)) {
      result += c == '\n' || c == '\t' || c == '\r' ? "&#" + std::to_string(code) + ";"
                                                    : std::string("\xEF\xBF\xBD");
    } else {
      result += c;
    }
  }
  return result;
}

}  // namespace

std::string xml_escaped(std::string_view text) {
  std::string result = escaped(text, true);
  for (const std::string_view forbidden : {"\xEF\xBF\xBE", "\xEF\xBF\xBF"}) {  // U+FFFE, U+FFFF
    for (std::size_t at = 0; (at = result.find(forbidden, at)) != std::string::npos;) {
      result.replace(at, forbidden.size(), "\xEF\xBF\xBD");
    }
  }
  return result;
}

std::string html_escaped(std::string_view text) { return escaped(text, false); }

}  // namespace scalemark::reporting
