// Published tables as text: the list, and one of them. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "claims/rows/names.h"
#include "core/base/terminal.h"

namespace scalemark::published {

// This machine, as far as published numbers ask for it.
struct Here {
  std::string chip;  // CUDA's name without the maker; empty: no GPU
  std::int64_t gpus = 0;
};

enum class Testable { kHere, kElsewhere, kNot };

// Says what of a table can be tested, by its rows: here when one of them can.
struct Testability {
  Testable where = Testable::kNot;
  std::string why;       // elsewhere: "A100-SXM4-80GB x 8"; not: the reason that most rows have
  std::string sentence;  // not: about that reason
};
Testability testability(const NamedTable& table, const Here& here);

// A line for each table, with counts below. Aliases of several tables stand at the end.
std::string list_text(const std::vector<NamedTable>& tables, const Here& here,
                      const Terminal& terminal = {});

// The rows of one table, with speed-ups and efficiencies as computed from its rates beside the
// printed ones, its source, and what can be tested of it.
std::string show_text(const NamedTable& table, const Here& here, const Terminal& terminal = {});

// The rows of tables as CSV (RFC 4180, one column for each field that one of them has), as a
// Markdown table of the same columns, or as JSON Lines in the form of results/published.
std::string export_csv(const std::vector<NamedTable>& tables);
std::string export_markdown(const std::vector<NamedTable>& tables);
std::string export_json_lines(const std::vector<NamedTable>& tables);

}  // namespace scalemark::published
