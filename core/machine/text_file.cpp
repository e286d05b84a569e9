#include "core/machine/text_file.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <sstream>
#include <system_error>

#include "core/base/text.h"

namespace scalemark::monitoring {

std::optional<std::string> read_text(const std::filesystem::path& file) {
  std::ifstream stream(file);
  if (!stream) return std::nullopt;
  std::ostringstream text;
  text << stream.rdbuf();
  if (stream.bad()) return std::nullopt;
  return text.str();
}

std::optional<std::string_view> behind_key(std::string_view text, std::string_view key) {
  for (std::string_view line : lines_of(text)) {
    if (!line.starts_with(key)) continue;
    line.remove_prefix(key.size());
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    return line.substr(0, line.find_last_not_of(" \t\r") + 1);
  }
  return std::nullopt;
}

std::optional<std::string> read_line(const std::filesystem::path& file) {
  const auto text = read_text(file);
  if (!text) return std::nullopt;
  return std::string(behind_key(*text, "").value_or(""));
}

std::vector<std::filesystem::path> entries_of(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> entries;
  std::error_code error;
  for (std::filesystem::directory_iterator it(folder, error), end; !error && it != end;
       it.increment(error)) {
    entries.push_back(it->path());
  }
  std::ranges::sort(entries);
  return entries;
}

std::optional<std::array<double, 2>> first_numbers(KeptFile& file) {
  const std::string_view text = file.text();
  std::array<double, 2> numbers{};
  const char* at = text.data();
  for (double& number : numbers) {
    while (at < text.data() + text.size() && *at == ' ') ++at;
    const auto parsed = std::from_chars(at, text.data() + text.size(), number);
    if (parsed.ec != std::errc()) return std::nullopt;
    at = parsed.ptr;
  }
  return numbers;
}

}  // namespace scalemark::monitoring
