#include "core/lint/lint.h"

#include <algorithm>

#include "core/base/number_words.h"
#include "core/lint/rules.h"

namespace scalemark::lint {
namespace {

int rank_of(const std::string& severity) {
  return severity == kError ? 0 : severity == kWarning ? 1 : 2;
}

}  // namespace

Bounds quotient(const Printed& above, const Printed& below) {
  const double least = std::max(below.low(), below.value * 1e-3);  // "0.1": not 0 to 0.2
  return {std::max(0.0, above.low()) / below.high(), above.high() / least};
}

Bounds times(Bounds bounds, double factor) { return {bounds.low * factor, bounds.high * factor}; }

double gap(Bounds a, Bounds b) {
  if (a.low > b.high) return b.high > 0 ? a.low / b.high - 1 : 1;
  if (b.low > a.high) return a.high > 0 ? b.low / a.high - 1 : 1;
  return 0;
}

std::string gpus_text(const Row& row) {
  return significant(*row.gpus, 9) + (row.counts_nodes ? " node" : " GPU") +
         (*row.gpus == 1 ? "" : "s");
}

std::vector<Finding> lint(std::span<const Table> tables) {
  std::vector<SiblingFinding> siblings;
  judge_siblings(tables, siblings);
  std::vector<Finding> all;
  for (const Table& table : tables) {
    std::vector<Finding> own;
    Findings findings(table.name, own);
    judge_ratios(table, findings);
    judge_products(table, findings);
    judge_series(table, findings);
    judge_plausibility(table, findings);
    for (const SiblingFinding& one : siblings) {
      if (one.table == &table) own.push_back(one.finding);
    }
    std::ranges::stable_sort(own, {}, [](const Finding& one) { return rank_of(one.severity); });
    all.insert(all.end(), own.begin(), own.end());
  }
  return all;
}

}  // namespace scalemark::lint
