#include "core/monitoring/text_file.h"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <system_error>

namespace scalemark::monitoring {

std::optional<std::string> read_text(const std::filesystem::path& file) {
  std::ifstream stream(file);
  if (!stream) return std::nullopt;
  std::ostringstream text;
  text << stream.rdbuf();
  if (stream.bad()) return std::nullopt;
  return text.str();
}

std::optional<std::string> read_line(const std::filesystem::path& file) {
  auto text = read_text(file);
  if (!text) return std::nullopt;
  text->resize(std::min(text->find('\n'), text->size()));
  const auto first = text->find_first_not_of(" \t");
  if (first == std::string::npos) return "";
  return text->substr(first, text->find_last_not_of(" \t\r") - first + 1);
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

}  // namespace scalemark::monitoring
