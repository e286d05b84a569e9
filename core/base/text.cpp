#include "core/base/text.h"

#include <utility>

namespace scalemark {
namespace {

// Where `option` stands in a command line, with the value of one that has it: [first, second).
// Empty, at the end, where it does not.
std::pair<std::size_t, std::size_t> place_of(const std::string& command, std::string_view option,
                                             bool has_value) {
  for (std::size_t at = 0; (at = command.find(option, at)) != std::string::npos; ++at) {
    std::size_t end = at + option.size();
    const bool joined_value = end < command.size() && command[end] == '=';
    if (end < command.size() && command[end] != ' ' && !joined_value) continue;
    // The value ends at the next blank that stands in no quotes.
    if (has_value && end < command.size()) {
      bool quoted = false;
      for (++end; end < command.size() && (quoted || command[end] != ' '); ++end) {
        if (command[end] == '\'') quoted = !quoted;
      }
    }
    return {at, end};
  }
  return {command.size(), command.size()};
}

}  // namespace

std::vector<std::string_view> split(std::string_view text, std::string_view separator) {
  std::vector<std::string_view> pieces;
  for (std::size_t end; (end = text.find(separator)) != std::string_view::npos;) {
    pieces.push_back(text.substr(0, end));
    text.remove_prefix(end + separator.size());
  }
  pieces.push_back(text);
  return pieces;
}

std::vector<std::string_view> lines_of(std::string_view text) {
  auto lines = split(text, "\n");
  if (lines.back().empty()) lines.pop_back();
  return lines;
}

std::string without_option(std::string command, std::string_view option, bool has_value) {
  const auto [begin, end] = place_of(command, option, has_value);
  return command.erase(begin, end - begin);
}

std::optional<std::string> option_value(const std::string& command, std::string_view option) {
  const auto [begin, end] = place_of(command, option, true);
  const std::size_t value = begin + option.size() + 1;
  if (value >= end) return std::nullopt;
  std::string text = command.substr(value, end - value);
  std::erase(text, '\'');
  return text;
}

}  // namespace scalemark
