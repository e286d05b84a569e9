#include "core/base/renamed_variables.h"

#include <algorithm>
#include <array>

namespace scalemark {
namespace {

struct RenamedVariable {
  std::string_view old, now;
  bool works = false;  // whether the old name has an effect
};

constexpr auto kRenamed = std::to_array<RenamedVariable>({
#define SCALEMARK_RENAMED_VARIABLE(old, now, works) {old, now, works},
#include "core/base/renamed_variables.inc"
#undef SCALEMARK_RENAMED_VARIABLE
});

}  // namespace

std::string note_on_variable(std::string_view variable) {
  const auto found = std::ranges::find(kRenamed, variable, &RenamedVariable::old);
  if (found == kRenamed.end()) return {};
  return std::string(found->old) + " is the old name of " + std::string(found->now) +
         (found->works ? ", and still works" : ", and has no effect by that name");
}

}  // namespace scalemark
