// The name of this machine.
#pragma once

#include <string>

namespace scalemark {

// As gethostname() returns it; "localhost" when that is empty.
std::string host_name();

}  // namespace scalemark
