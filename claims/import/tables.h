// Reads rows from files other than logs: printed tables, timm's benchmark CSV,
// SuperBench's summary and baseline, and rows in the form of results/published. Reads texts, no
// files.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "claims/import/given_fields.h"
#include "claims/rows/row.h"
#include "claims/rows/table.h"

namespace scalemark::importing {

// Makes the rows of printed tables as far as they and --fields say what they need.
std::vector<published::Row> rows_of_tables(std::span<const tables::Table> tables,
                                           const std::string& file, const GivenFields& given);

struct TableFile {
  std::string form;  // "SuperBench summary"
  std::vector<published::Row> rows;
};

// Decides by the ending: .jsonl, .json, .csv, .tsv, .md, .txt, .html.
bool is_table_file(const std::string& path);

// Returns the form of a text that is such a file, and throws tables::NoTable (65) for another.
std::string form_of_table(std::string_view text, const std::string& file);

// Makes rows with ids from `group`'s slug. Rows in our own form keep their ids, and their groups
// unless `group` is `named` by a person. Throws unread_file() (65) for a text without such a table,
// configuration() (78) for what is missing or contradicts.
struct TableRequest {
  std::string file, group;
  bool named = false;
  bool allow_unread = false;  // else bad_data() (65) for a table with a cell that cannot be read
};
TableFile read_table_file(std::string_view text, const TableRequest& request,
                          const GivenFields& given);

}  // namespace scalemark::importing
