#include "core/monitoring/text_file.h"

#include <fstream>
#include <sstream>

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

}  // namespace scalemark::monitoring
