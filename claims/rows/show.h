// Published tables as text: the list, and one of them. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "claims/rows/names.h"
#include "core/base/terminal.h"

namespace scalemark::published {

// Published numbers are compared by this machine, and by what lint says of them.
struct Here {
  std::string chip;  // CUDA's name without the maker; empty: no GPU
  std::int64_t gpus = 0;
  std::map<std::string, std::string> impossible = {};  // by id of a row: why it cannot be true
};

enum class Testable { kHere, kElsewhere, kNot };

// Where a table can be tested: here when one of its rows can.
struct Testability {
  Testable where = Testable::kNot;
  std::string why;  // elsewhere: "8 x A100-SXM4-80GB"; not at all: the reason that most rows have
  std::string sentence;  // not at all: a sentence about that reason
};
Testability testability(const NamedTable& table, const Here& here);

// Writes for each chip, network and precision that can be trained here what one GPU of others
// reached, from .. to, and by whom. Impossible rows are left out.
std::string reached_text(const std::vector<NamedTable>& tables, const Here& here = {},
                         const Terminal& terminal = {});

// Writes reached_text(); then, where there are few or `all_names`, a line for each table, with
// counts below. Aliases of several tables stand at the end.
std::string list_text(const std::vector<NamedTable>& tables, const Here& here,
                      bool all_names = false, const Terminal& terminal = {});

// Writes the rows of one table, with speed-ups and efficiencies as computed from its rates beside
// the printed ones, then its source and what of it can be tested.
std::string show_text(const NamedTable& table, const Here& here, const Terminal& terminal = {});

// Writes the rows of tables as CSV (RFC 4180, one column for each field that one of them has), as a
// Markdown table of the same columns, or as JSON Lines in the form of results/published.
std::string export_csv(const std::vector<NamedTable>& tables);
std::string export_markdown(const std::vector<NamedTable>& tables);
std::string export_json_lines(const std::vector<NamedTable>& tables);

}  // namespace scalemark::published
