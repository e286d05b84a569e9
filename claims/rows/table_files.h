// Makes tables of throughputs that others published: rows of the published library, and files that
// somebody wrote. Reads texts, no files.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "claims/rows/names.h"
#include "claims/rows/table.h"
#include "core/base/error.h"

namespace scalemark::tables {

// A file of which no row can be read, although it has the columns of such a table.
class UnreadTable : public Error {
 public:
  using Error::Error;
};

// A file that holds no table of throughputs.
class NoTable : public Error {
 public:
  using Error::Error;
};

// "3 of 12 cells could not be read, line 7: '1/2/4'"
std::string unread_text(const Unread& unread);

// Makes tables of the rows with a throughput or a speed-up.
std::vector<Table> tables_of(const std::vector<published::NamedTable>& tables);

// Reads the tables of a file by its ending: .csv and .tsv, .jsonl (rows as in results/published),
// .html and .htm, else Markdown, and where that holds no table, CSV. Throws NoTable (65), listing
// the headers that were seen, where none holds throughputs, and UnreadTable (65).
std::vector<Table> read_tables(std::string_view text, const std::string& file);

}  // namespace scalemark::tables
