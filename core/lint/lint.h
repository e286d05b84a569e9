// Is a table of throughputs believable? Rules over printed numbers: an error is two of them that
// cannot both be true, a warning one that cannot be true with its siblings, an info is only
// unlikely. Rounding of the printed digits is always granted. Pure. Rules with their arithmetic:
// docs/LINT.md.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/lint/table.h"
#include "core/reporting/record/finding_kinds.h"

namespace scalemark::lint {

struct Finding {
  const reporting::FindingKind* kind = nullptr;
  std::string severity;  // the kind's, or less
  std::string table, row, text;
};

// Judges all tables, in their order; worst first within one.
std::vector<Finding> lint(std::span<const Table> tables);

}  // namespace scalemark::lint
