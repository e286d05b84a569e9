// Values of options that were not given: the table's defaults and the workload's recipe, as raw
// text. Pure.
#pragma once

#include "core/catalogue/workload.h"
#include "core/settings/layers.h"

namespace scalemark::settings {

// The recipe and the shape of `workload` under the names of options, origin "recipe".
RawSettings recipe_values(const catalogue::Workload& workload);

// The table's own defaults for the command, origin "default"; options without one are left out.
RawSettings default_values(Command command);

}  // namespace scalemark::settings
