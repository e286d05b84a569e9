// Smaller values of single options, for scale_down.h: pure functions from lists of texts to lists
// of texts. An empty list: it cannot become smaller. Private to core/plan.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/settings/machine.h"

namespace scalemark::planning {

using Texts = std::vector<std::string>;

// Each number halved, but none below `least`; numbers that become alike are one.
Texts halved(const Texts& numbers, std::int64_t least);

// The same, or empty where numbers become alike: an axis keeps its values.
Texts halved_apart(const Texts& numbers, std::int64_t least);

// Larger numbers become `most`; numbers that become alike are one. Words stay.
Texts at_most(const Texts& counts, int most);

// The largest number is left out, but not of two; a single one is halved, down to `least`.
Texts without_largest(const Texts& numbers, std::int64_t least);

// The largest message becomes a quarter of itself, or is dropped where that is no larger than
// another.
Texts smaller_messages(const Texts& sizes);

// Networks that have a small one of their family become that: bert-large -> bert-mini.
Texts mini_networks(const Texts& workloads);

// The smallest batch that one of these workloads has by itself; "0" where there is none.
std::string smallest_own_batch(const Texts& workloads);

bool is_supported(const std::string& precision, const settings::PrecisionDevice& device);

// The texts for which `stays` holds, or `otherwise` where there are none.
Texts only(const Texts& texts, const std::function<bool(const std::string&)>& stays,
           const std::string& otherwise);

}  // namespace scalemark::planning
