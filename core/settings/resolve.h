// From raw values to typed settings: defaults and the workload's recipe are filled in, "auto" is
// decided, everything is checked. Pure: the machine arrives as numbers.
#pragma once

#include <vector>

#include "core/settings/layers.h"
#include "core/settings/machine.h"
#include "core/settings/problem.h"
#include "core/settings/settings.h"

namespace scalemark::settings {

struct Resolution : Remarks {
  Settings settings;  // complete only when there is no problem
  RawSettings raw;    // every value in force, as text, with its origin
};

// `given` holds what a person asked for (merge_layers); default < recipe < given. All problems are
// found in one pass; values that depend on a refused one are not checked.
Resolution resolve(const RawSettings& given, const Surroundings& surroundings);

}  // namespace scalemark::settings
