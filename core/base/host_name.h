// The name of this machine.
#pragma once

#include <string>

namespace scalemark {

// Returns the name that gethostname() gives, or "localhost" when that is empty.
std::string host_name();

}  // namespace scalemark
