// A rate per GPU against those of the same chip, network, precision and batch with fewer GPUs,
// wherever they stand.
#include <algorithm>
#include <map>

#include "core/base/number_words.h"
#include "core/lint/rules.h"

namespace scalemark::lint {
namespace {

constexpr double kAbove = 1.10;
constexpr std::size_t kEnough = 5;

struct Sibling {
  const Table* table = nullptr;
  const Row* row = nullptr;
  Printed per_gpu;
};

std::string kin_of(const Table& table, const Row& row) {
  // A table that names no chip is about one machine.
  const std::string machine = row.chip.empty() ? "table " + table.name : row.chip;
  return machine + "|" + row.network + "|" + row.phase + "|" + row.precision + "|" + row.unit +
         "|" + (row.batch ? significant(*row.batch, 9) : "") + "|" +
         (row.sequence_length ? std::to_string(*row.sequence_length) : "");
}

void judge_kin(const std::vector<Sibling>& kin, std::vector<SiblingFinding>& all) {
  for (const Sibling& one : kin) {
    std::size_t fewer = 0;
    double most = 0;
    for (const Sibling& other : kin) {
      if (!(*other.row->gpus < *one.row->gpus)) continue;
      fewer++;
      most = std::max(most, other.per_gpu.high());
    }
    if (fewer < kEnough || one.per_gpu.low() <= kAbove * most) continue;
    std::vector<Finding> found;
    Findings(one.table->name, found)
        .add(reporting::finding_kinds::off_siblings, kWarning, one.row->id,
             {{"per_gpu", one.per_gpu.value},
              {"gpus", gpus_text(*one.row)},
              {"above", one.per_gpu.value / most - 1},
              {"rows", fewer}});
    all.push_back({one.table, std::move(found.front())});
  }
}

}  // namespace

void judge_siblings(std::span<const Table> tables, std::vector<SiblingFinding>& all) {
  std::map<std::string, std::vector<Sibling>> families;
  for (const Table& table : tables) {
    for (const Row& row : table.rows) {
      const auto rate = rate_of(row);
      if (!rate || !row.gpus) continue;
      families[kin_of(table, row)].push_back({&table, &row, scaled(*rate, 1 / *row.gpus)});
    }
  }
  for (const auto& [name, kin] : families) judge_kin(kin, all);
}

}  // namespace scalemark::lint
