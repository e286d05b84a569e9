#include "core/settings/output_name.h"

namespace scalemark::settings {
namespace {

const std::string* value_of(std::string_view word, const Place& place) {
  if (word == "host") return &place.host;
  if (word == "job") return &place.job;
  if (word == "date") return &place.date;
  return nullptr;
}

}  // namespace

std::optional<std::string> fill_placeholders(std::string_view pattern, const Place& place) {
  std::string filled;
  while (true) {
    const std::size_t brace = pattern.find_first_of("{}");
    filled += pattern.substr(0, brace);
    if (brace == std::string_view::npos) return filled;
    const std::size_t end = pattern.find('}', brace);
    if (pattern[brace] == '}' || end == std::string_view::npos) return std::nullopt;
    const std::string* value = value_of(pattern.substr(brace + 1, end - brace - 1), place);
    if (!value) return std::nullopt;
    filled += *value;
    pattern.remove_prefix(end + 1);
  }
}

}  // namespace scalemark::settings
