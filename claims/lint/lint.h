// Is a table of throughputs believable? Rules over printed numbers, and their findings as text: for
// people, as Markdown, and as JSON Lines. Pure.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "claims/rows/table.h"
#include "core/base/terminal.h"
#include "report/record/finding_kinds.h"

namespace scalemark::lint {

using tables::Printed;
using tables::Row;
using tables::Series;
using tables::Table;

// An error is two printed numbers that cannot both be true, a warning one that cannot be true with
// its siblings, an info is only unlikely. Rounding of the printed digits is always granted. Rules
// with their arithmetic: docs/LINT.md.
struct Finding {
  const reporting::FindingKind* kind = nullptr;
  std::string severity;  // the kind's, or less
  std::string table, row, text;
};

// Judges all tables, in their order; worst first within one.
std::vector<Finding> lint(std::span<const Table> tables);

// From here to judge_siblings() all is private to this folder: the rules share it.

inline constexpr const char* kError = "error";
inline constexpr const char* kWarning = "warning";
inline constexpr const char* kInfo = "info";

// Findings about one table.
class Findings {
 public:
  Findings(std::string table, std::vector<Finding>& all) : table_(std::move(table)), all_(all) {}

  void add(const reporting::FindingKind& kind, const char* severity, const std::string& row,
           const reporting::AllNamed& values) {
    all_.push_back({&kind, severity, table_, row, make_finding(kind, row, values).text});
  }

 private:
  std::string table_;
  std::vector<Finding>& all_;
};

// A ratio of printed numbers, with what their digits leave open.
struct Bounds {
  double low = 0, high = 0;
};
Bounds quotient(const Printed& above, const Printed& below);
Bounds times(Bounds bounds, double factor);

// By how much the nearest ends of two ranges differ, as a share; 0 where they overlap.
double gap(Bounds a, Bounds b);
inline Bounds bounds_of(const Printed& printed) { return {printed.low(), printed.high()}; }

std::string gpus_text(const Row& row);  // "1 GPU"; the row has a count

void judge_ratios(const Table& table, Findings& findings);        // ratios.cpp
void judge_products(const Table& table, Findings& findings);      // ratios.cpp
void judge_series(const Table& table, Findings& findings);        // series_rules.cpp
void judge_plausibility(const Table& table, Findings& findings);  // series_rules.cpp
// Rows of one chip may stand in several tables, of which two may have one name.
struct SiblingFinding {
  const Table* table = nullptr;
  Finding finding;
};
void judge_siblings(std::span<const Table> tables,
                    std::vector<SiblingFinding>& all);  // series_rules.cpp

// The first line of a result counts these.
struct Judged {
  std::size_t tables = 0, rows = 0;
  std::size_t compared = 0;  // printed numbers that others of their table can contradict
};

// A line of counts, then each table with its findings, worst first.
std::string findings_text(std::span<const Finding> findings, const Judged& judged,
                          const Terminal& terminal);
std::string markdown_text(std::span<const Finding> findings, const Judged& judged);
// One object per finding: code, severity, table, row, text.
std::string json_lines(std::span<const Finding> findings);

// Explains `code`: its arithmetic, an example, what to do. Throws no_input() (66), with all
// codes, for one that lint does not know.
std::string explanation_text(const std::string& code, const Terminal& terminal);

// docs/LINT.md's table of all rules.
std::string explanations_markdown();

}  // namespace scalemark::lint
