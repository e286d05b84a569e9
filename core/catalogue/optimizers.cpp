#include "core/catalogue/optimizers.h"

#include <algorithm>
#include <array>
#include <string>

#include "core/base/error.h"

namespace scalemark::catalogue {
namespace {

struct Row {
  std::string_view name;
  OptimizerState state;
  int update_copies;
};

constexpr auto kRows = std::to_array<Row>({
#define SCALEMARK_OPTIMIZER(name, maker, state, update_copies) \
  {#name, OptimizerState::state, update_copies},
#include "core/catalogue/optimizer_list.inc"
#undef SCALEMARK_OPTIMIZER
});

const Row& row_of(std::string_view optimizer) {
  const auto found = std::ranges::find(kRows, optimizer, &Row::name);
  if (found == kRows.end()) throw bug("no optimizer '" + std::string(optimizer) + "'");
  return *found;
}

}  // namespace

std::vector<std::string_view> optimizer_names() {
  std::vector<std::string_view> names;
  for (const Row& row : kRows) names.push_back(row.name);
  return names;
}

int state_copies(std::string_view optimizer, double momentum) {
  if (row_of(optimizer).state == OptimizerState::kTwoMoments) return 2;
  return momentum > 0 ? 1 : 0;
}

int update_copies(std::string_view optimizer) { return row_of(optimizer).update_copies; }

}  // namespace scalemark::catalogue
