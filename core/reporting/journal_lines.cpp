#include "core/reporting/journal_lines.h"

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "core/base/error.h"

namespace scalemark::reporting {

JournalLines read_journal_lines(const std::filesystem::path& file) {
  JournalLines journal;
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return journal;
  std::ostringstream all;
  all << stream.rdbuf();
  const std::string text = all.str();

  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::size_t next = std::min(end + 1, text.size());
    std::string line = text.substr(begin, end - begin);
    if (!nlohmann::json::accept(line)) {
      if (next < text.size()) {
        throw bad_data(file.string() + " is damaged in line " +
                       std::to_string(journal.lines.size() + 1));
      }
      journal.torn = true;
      break;
    }
    journal.lines.push_back(std::move(line));
    journal.lacks_line_end = journal.torn = end == text.size();
    begin = next;
  }
  journal.whole_bytes = begin;
  return journal;
}

}  // namespace scalemark::reporting
