// A command line taken apart. Pure.
#pragma once

#include <string>
#include <vector>

namespace scalemark::reporting {

// Words as a shell splits them: quotes and backslashes are undone, nothing is expanded. Empty for a
// quote without its end.
std::vector<std::string> shell_words(const std::string& line);

}  // namespace scalemark::reporting
