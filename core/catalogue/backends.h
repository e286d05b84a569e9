// The names of the communication backends. What a backend can do is its provider's to say
// (engine/distributed/backend.h).
#pragma once

#include <string_view>
#include <vector>

namespace scalemark::catalogue {

// In the order of backend_list.inc.
std::vector<std::string_view> backend_names();

}  // namespace scalemark::catalogue
