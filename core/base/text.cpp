#include "core/base/text.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <string_view>
#include <utility>

#include "core/base/characters.h"

namespace scalemark {

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

std::string prometheus_label(std::string_view name, std::string_view value) {
  std::string text = std::string(name) + "=\"";
  for (const char c : value) {
    if (c == '\\' || c == '"') text += '\\';
    text += c == '\n' ? std::string("\\n") : std::string(1, c);
  }
  return text + '"';
}

namespace {

// These stand around a word that shell_word() writes as a command.
constexpr std::string_view kPrinted = "\"$(printf '", kPrintedEnd = "')\"";

// Whether a terminal would act on a part of it, or show it as something else. What ends with a line
// end cannot be printed by a command substitution, which drops it.
bool has_unshown(std::string_view word) {
  if (word.ends_with('\n')) return false;
  while (!word.empty()) {
    const std::size_t length = utf8_length(word);
    if (length == 0 || acting_length(word) > 0) return true;
    word.remove_prefix(length);
  }
  return false;
}

// Every POSIX shell reads "$(printf '...')" back; $'...' of bash has another meaning in dash, where
// a quote within it would end the word.
std::string printed_word(std::string_view word) {
  std::string text(kPrinted);
  while (!word.empty()) {
    const std::size_t length = utf8_length(word), acting = acting_length(word);
    const std::size_t taken = std::max<std::size_t>(length, 1);
    // printf would take a dash at the beginning for an option.
    const bool is_option = word.front() == '-' && text == kPrinted;
    const bool named = length == 0 || acting > 0 || word.front() == '\'' || is_option;
    for (const char c : word.substr(0, taken)) {
      if (named) {
        std::array<char, 5> octal{};
        std::snprintf(octal.data(), octal.size(), "\\%03o", static_cast<unsigned char>(c));
        text += octal.data();
      } else {
        text += std::string(c == '\\' || c == '%' ? 2 : 1, c);
      }
    }
    word.remove_prefix(taken);
  }
  return text.append(kPrintedEnd);
}

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

std::string shell_word(const std::string& word) {
  if (has_unshown(word)) return printed_word(word);
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@%+=:,./_-";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

namespace {

struct ShellWord {
  std::string text;
  std::size_t begin = 0, end = 0;  // in the line, quotes included
};

// Returns the words of a line; none for a quote without its end.
std::vector<ShellWord> words_with_places(const std::string& line) {
  std::vector<ShellWord> words;
  bool in_word = false;
  char quote = '\0';
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quote == '\0' && (c == ' ' || c == '\t' || c == '\n')) {
      in_word = false;
      continue;
    }
    if (!in_word) words.push_back({.text = {}, .begin = i, .end = i});
    in_word = true;
    std::string& text = words.back().text;
    if (quote == '\0' && std::string_view(line).substr(i).starts_with(kPrinted)) {
      const std::size_t begin = i + kPrinted.size(), end = line.find('\'', begin);
      const std::string_view rest = std::string_view(line).substr(std::min(end, line.size()));
      const auto format = std::string_view(line).substr(begin, end - begin);
      if (rest.starts_with(kPrintedEnd) && is_format(format)) {
        text += printed_by_shell(format);
        i = end + kPrintedEnd.size() - 1;
        words.back().end = i + 1;
        continue;
      }
    }
    if (quote != '\0' && c == quote) {
      quote = '\0';
    } else if (quote == '\0' && (c == '\'' || c == '"')) {
      quote = c;
    } else if (quote != '\'' && c == '\\' && i + 1 < line.size()) {
      text += line[++i];
    } else {
      text += c;
    }
    words.back().end = i + 1;
  }
  return quote == '\0' ? words : std::vector<ShellWord>{};
}

// Where an option stands in a command line, and its value: the next word, or what follows its "=".
struct PlaceOfOption {
  std::size_t begin = 0, end = 0;  // with its value
  std::optional<std::string> value;
};

std::optional<PlaceOfOption> place_of(const std::string& command, const std::string& option,
                                      bool has_value) {
  const auto words = words_with_places(command);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto& [text, begin, end] = words[i];
    if (text.starts_with(option + "="))
      return PlaceOfOption{.begin = begin, .end = end, .value = text.substr(option.size() + 1)};
    if (text != option) continue;
    if (!has_value || i + 1 == words.size())
      return PlaceOfOption{.begin = begin, .end = end, .value = std::nullopt};
    return PlaceOfOption{.begin = begin, .end = words[i + 1].end, .value = words[i + 1].text};
  }
  return std::nullopt;
}

}  // namespace

std::vector<std::string> shell_words(const std::string& line) {
  std::vector<std::string> words;
  for (ShellWord& word : words_with_places(line)) words.push_back(std::move(word.text));
  return words;
}

std::string without_option(std::string command, const std::string& option, bool has_value) {
  const auto place = place_of(command, option, has_value);
  if (!place) return command;
  const std::size_t begin =
      command.find_last_not_of(' ', std::max<std::size_t>(place->begin, 1) - 1) + 1;
  return command.erase(begin, place->end - begin);
}

std::optional<std::string> option_value(const std::string& command, const std::string& option) {
  const auto place = place_of(command, option, /*has_value=*/true);
  return place ? place->value : std::nullopt;
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
