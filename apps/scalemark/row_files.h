// Files of published rows that commands read and write, and `import`, which makes one of others'
// logs.
#pragma once

#include <string>
#include <vector>

#include "claims/import/tables.h"
#include "claims/rows/row.h"
#include "core/settings/reader.h"

namespace scalemark::cli {

// The text of a table or a log. Throws no_input() (66) where it cannot be read, bad_data() (65) for
// a file that is larger than any of these.
std::string read_row_text(const std::string& path);

// Rows of a table's file, ordered by id; --fields and --group give what the file does not say, and
// --allow-unread takes a file of which some cells cannot be read.
importing::TableFile read_row_file(const std::string& path, const settings::ToolValues& values);

// Which run of a log --run wants; absent: the only one. Throws usage() (64).
std::optional<int> run_of_log(const settings::ToolValues& values);

// Throws usage() (64) for --fields or --allow-unread beside a table that comes with the program:
// its rows are whole.
void refuse_idle_fields(const settings::ToolValues& values);

// Rows of the program's own library, or of the folder that --library names.
std::vector<published::Row> library_rows(const settings::ToolValues& values);

// Writes JSON Lines in the form of results/published, and replaces the file as a whole. Throws
// bad_data() (65), and writes nothing, for rows that could not be read again.
void write_row_file(const std::string& path, const std::vector<published::Row>& rows);

}  // namespace scalemark::cli
