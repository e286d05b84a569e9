// Names of points: short, readable, and the same for the same point of the same sweep. Pure.
// Private to this room.
#pragma once

#include <string>
#include <vector>

#include "core/planning/plan.h"
#include "core/settings/layers.h"

namespace scalemark::planning {

// "resnet50-b32-fp32-w4-ddp", then what varies beyond these: "-overlap-off-i224". Of the options in
// `varying` those count that `raw` has. Not yet unique: two folders may have one name.
std::string group_name(const PlannedPoint& point, const settings::RawSettings& raw,
                       const std::vector<std::string>& varying);

}  // namespace scalemark::planning
