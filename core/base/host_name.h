// What this machine calls itself.
#pragma once

#include <string>

namespace scalemark {

// As gethostname() says; "localhost" where it says nothing.
std::string host_name();

}  // namespace scalemark
