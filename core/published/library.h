// The published rows that come with the project, one JSON Lines file per source: as the program
// holds them, or in a folder. Judges nothing.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "core/base/words.h"
#include "core/published/row.h"

namespace scalemark::published {

// The files of results/published, inside the program; parsed only when one is asked for.
std::span<const NamedText> library_files();

// Throws bad_data() (65) for an id that two rows have. `where`: of the library, for the error line.
void order_by_id(std::vector<Row>& rows, const std::string& where);

// All rows of the program's own library, ordered by id.
std::vector<Row> own_library();

// Whether a file of this name belongs to a library: *.jsonl, and not hidden.
bool is_library_file(const std::filesystem::path& path);

// All rows of such files in `folder`, ordered by id. Throws no_input() (66) when the folder
// cannot be read or holds none, bad_data() (65) for a row that does not parse or an id that two
// rows have.
std::vector<Row> read_library(const std::string& folder);

}  // namespace scalemark::published
