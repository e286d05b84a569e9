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

// An error is two printed numbers that cannot both be true; a warning is a number that cannot be
// true beside others of its kind; an info is only unlikely. The rounding of printed digits is
// always allowed for. docs/LINT.md has the arithmetic of the rules.
struct Finding {
  const reporting::FindingKind* kind = nullptr;
  std::string severity;  // the severity of the kind, or a lower one
  std::string table, row, text;
};

// Judges the tables one after the other. Within a table the worst findings come first.
std::vector<Finding> lint(std::span<const Table> tables);

// All from here to judge_siblings() is shared by the rules, and private to this folder.

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

// The range of a ratio of printed numbers that their digits allow.
struct Bounds {
  double low = 0, high = 0;
};
Bounds quotient(const Printed& above, const Printed& below);
Bounds times(Bounds bounds, double factor);

// Returns by what share the nearest ends of two ranges differ; 0 where the ranges overlap.
double gap(Bounds a, Bounds b);
inline Bounds bounds_of(const Printed& printed) { return {printed.low(), printed.high()}; }

std::string gpus_text(const Row& row);  // "1 GPU"; the row must have a count

void judge_ratios(const Table& table, Findings& findings);        // ratios.cpp
void judge_products(const Table& table, Findings& findings);      // work_rules.cpp
void judge_series(const Table& table, Findings& findings);        // series_rules.cpp
void judge_plausibility(const Table& table, Findings& findings);  // series_rules.cpp
// Rows of one chip may stand in several tables, and two tables may have the same name.
struct SiblingFinding {
  const Table* table = nullptr;
  Finding finding;
};
void judge_siblings(std::span<const Table> tables,
                    std::vector<SiblingFinding>& all);  // series_rules.cpp

// The first line of a result counts these.
struct Judged {
  std::size_t tables = 0, rows = 0;
  std::size_t compared = 0;  // printed numbers that another number of their table can contradict
};

// Writes a line of counts, then each table with its findings, worst first.
std::string findings_text(std::span<const Finding> findings, const Judged& judged,
                          const Terminal& terminal);
std::string markdown_text(std::span<const Finding> findings, const Judged& judged);
// Writes one object per finding: code, severity, table, row, text.
std::string json_lines(std::span<const Finding> findings);

// Explains a rule: its arithmetic, an example, and what to do. Throws no_input() (66), listing all
// codes, for an unknown `code`.
std::string explanation_text(const std::string& code, const Terminal& terminal);

// Writes docs/LINT.md's table of all rules.
std::string explanations_markdown();

}  // namespace scalemark::lint
