// Reads the lines of a journal, of which a killed run may have left the last one incomplete. Knows
// nothing of their content. Private to this folder.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace scalemark::reporting {

struct JournalLines {
  std::vector<std::string> lines;  // whole ones, without line ends
  bool torn = false;               // the file does not end with a line end after a whole line
  std::size_t whole_bytes = 0;     // of a torn file: how much of it is whole lines
  bool lacks_line_end = false;     // of a torn file: only the line end after them is missing
};

// A file that is not there has no lines. Throws bad_data() (65) for a line before the last that is
// no JSON, io_error() (74) for a file that cannot be read.
JournalLines read_journal_lines(const std::filesystem::path& file);

}  // namespace scalemark::reporting
