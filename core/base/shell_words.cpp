#include "core/base/shell_words.h"

#include <algorithm>
#include <string_view>

#include "core/base/text.h"

namespace scalemark {
namespace {

// They stand around what shell_word() prints by a command.
constexpr std::string_view kPrinted = "\"$(printf '", kPrintedEnd = "')\"";

// The text that printf makes of a format that shell_word() wrote: "\351", "\\" and "%%".
std::string printed_by_shell(std::string_view format) {
  constexpr std::size_t kDigits = 3;
  std::string text;
  while (!format.empty()) {
    const bool pair = format.starts_with("\\\\") || format.starts_with("%%");
    if (!pair && format.front() == '\\' && format.size() > kDigits) {
      text += static_cast<char>(std::stoi(std::string(format.substr(1, kDigits)), nullptr, 8));
      format.remove_prefix(1 + kDigits);
    } else {
      text += format.front();
      format.remove_prefix(pair ? 2 : 1);
    }
  }
  return text;
}

bool is_format(std::string_view format) {
  constexpr std::string_view kOctal = "01234567";
  for (std::size_t i = 0; i < format.size(); ++i) {
    const std::string_view rest = format.substr(i);
    if (rest.starts_with("\\\\") || rest.starts_with("%%")) {
      ++i;
    } else if (rest.front() == '\\') {
      if (rest.size() < 4 || rest.substr(1, 3).find_first_not_of(kOctal) != std::string::npos ||
          rest[1] > '3') {
        return false;
      }
      i += 3;
    } else if (rest.front() == '%') {
      return false;
    }
  }
  return true;
}

}  // namespace

std::vector<std::string> shell_words(const std::string& line) {
  std::vector<std::string> words;
  bool in_word = false;
  char quote = '\0';
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quote == '\0' && (c == ' ' || c == '\t' || c == '\n')) {
      in_word = false;
      continue;
    }
    if (!in_word) words.emplace_back();
    in_word = true;
    if (quote == '\0' && std::string_view(line).substr(i).starts_with(kPrinted)) {
      const std::size_t begin = i + kPrinted.size(), end = line.find('\'', begin);
      const std::string_view rest = std::string_view(line).substr(std::min(end, line.size()));
      const auto format = std::string_view(line).substr(begin, end - begin);
      if (rest.starts_with(kPrintedEnd) && is_format(format)) {
        words.back() += printed_by_shell(format);
        i = end + kPrintedEnd.size() - 1;
        continue;
      }
    }
    if (quote != '\0' && c == quote) {
      quote = '\0';
    } else if (quote == '\0' && (c == '\'' || c == '"')) {
      quote = c;
    } else if (quote != '\'' && c == '\\' && i + 1 < line.size()) {
      words.back() += line[++i];
    } else {
      words.back() += c;
    }
  }
  return quote == '\0' ? words : std::vector<std::string>{};
}

std::string shell_line(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) {
    if (!line.empty()) line += ' ';
    line += shell_word(word);
  }
  return line;
}

}  // namespace scalemark
