// The published rows that come with the project: a folder of JSON Lines files, one per source
// repository. Reads files; judges nothing.
#pragma once

#include <string>
#include <vector>

#include "core/published/row.h"

namespace scalemark::published {

// All rows of the *.jsonl files in `folder`, ordered by id. Throws no_input() (66) when the folder
// cannot be read or holds none, bad_data() (65) for a row that does not parse or an id that two
// rows have.
std::vector<Row> read_library(const std::string& folder);

}  // namespace scalemark::published
