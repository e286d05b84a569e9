#include "core/reporting/output/journal_lines.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/strict_json.h"
#include "core/reporting/output/disk.h"

namespace scalemark::reporting {

JournalLines read_journal_lines(const std::filesystem::path& file) {
  JournalLines journal;
  const std::string text = read_if_there(file).value_or("");

  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::size_t next = std::min(end + 1, text.size());
    std::string line = text.substr(begin, end - begin);
    if (nests_too_deep(line) || !nlohmann::json::accept(line)) {
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
