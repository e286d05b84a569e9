// What settings must satisfy together: checks over several values at once, and notes on values that
// have no effect. Pure.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "core/catalogue/workload.h"
#include "core/settings/layers.h"
#include "core/settings/machine.h"
#include "core/settings/problem.h"
#include "core/settings/settings.h"

namespace scalemark::settings {

struct CheckInput {
  const Settings& settings;
  const RawSettings& raw;               // every value in force
  const catalogue::Workload* workload;  // nullptr: refused already
  const Machine& machine;
  const RankCount& ranks;
  const std::set<std::string>& refused;  // options with a problem of their own
};

std::vector<Problem> check_together(const CheckInput& input);

std::vector<std::string> notes_on_unused(const CheckInput& input);

}  // namespace scalemark::settings
