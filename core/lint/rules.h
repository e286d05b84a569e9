// The rules of lint, by the files that hold them. Private to this folder.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/lint/lint.h"

namespace scalemark::lint {

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
void judge_products(const Table& table, Findings& findings);      // products.cpp
void judge_series(const Table& table, Findings& findings);        // series_rules.cpp
void judge_plausibility(const Table& table, Findings& findings);  // plausible.cpp
// Rows of one chip may stand in several tables, of which two may have one name.
struct SiblingFinding {
  const Table* table = nullptr;
  Finding finding;
};
void judge_siblings(std::span<const Table> tables,
                    std::vector<SiblingFinding>& all);  // siblings.cpp

}  // namespace scalemark::lint
