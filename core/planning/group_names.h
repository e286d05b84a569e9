// Names of points: short, readable, and the same for the same point of the same sweep. Pure.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/planning/plan.h"
#include "core/settings/layers.h"

namespace scalemark::planning {

// point_name(), then what varies beyond it: "resnet50-b32-fp32-w4-ddp-overlap-off-i224". Not yet
// unique: two folders may have one name.
std::string group_name(const PlannedPoint& point);

// The form of an option's value in a name: the last part of a path, and of any text the characters
// that fit file names and shells.
std::string plain_value(std::string value);

// One option that varies adds this to the name: "-data-photos".
std::string name_part(const std::string& option, const std::string& value);

// The options in `varying` that `raw` has and point_name() leaves out, with their values.
std::vector<std::pair<std::string, std::string>> varying_options(
    const settings::RawSettings& raw, const std::vector<std::string>& varying);

}  // namespace scalemark::planning
