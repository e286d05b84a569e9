// The detection's way in and out: what it asks of this process and its machine (declared by
// detect.h), and the lines that `scalemark doctor` prints of what it found.
#pragma once

#include <string>
#include <vector>

#include "core/launch/detect.h"

namespace scalemark::launching {

// "rank 5 of 8                RANK, WORLD_SIZE": one line per field with the variable or option
// that it came from, then notes; or the problems, when there are any.
std::vector<std::string> describe(const Detection& detection);

}  // namespace scalemark::launching
