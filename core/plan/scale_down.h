// A run made smaller until it fits a machine and a time (--scale-down): the same experiment, which
// then shows the method and not the number. Pure: options and the machine in, options out, so that
// ranks on equal machines find the same.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/plan/listed_configs.h"

namespace scalemark::planning {

// The folder of images that are made where an experiment is about reading and no data is named.
inline constexpr const char* kMadeImages = "results/data/scale-down-images";

struct Change {
  std::string option, from, to;  // values as text; "none": the option is not given
};

struct ScaledDown {
  settings::RawSettings raw;    // changed values have the origin "scale_down"
  std::vector<Change> changes;  // in the order in which they were made
  double planned_s = 0;
};

// Changes options first to what the machine has: its device, ranks, precisions, backends. Then, in
// this order and only until the plan takes less than `limit_s`: sustained products and fresh
// starts; batch, image, sequence, small networks; of comm sizes of messages; steps; repetitions. A
// change that gains next to nothing is not made. Typed repetitions stay three, for an interval, and
// a typed --communication-cost stays. Options that are wrong do, too: the plan refuses them.
ScaledDown scaled_down(settings::Command command, const settings::RawSettings& given,
                       const Surveyed& surveyed, double limit_s);

// The time of --scale-down in s. Absent: it is not asked for, or is no time.
std::optional<double> scale_down_s(const settings::RawSettings& raw);

// "scaled down to about 3 min by the plan: batch_size 32 -> 4; ..."
std::string in_words(const ScaledDown& scaled);

}  // namespace scalemark::planning
