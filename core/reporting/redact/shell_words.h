// A command line taken apart. Pure.
#pragma once

#include <string>
#include <vector>

namespace scalemark::reporting {

// Words as a shell takes them apart: quotes and backslashes are undone, nothing is expanded. Empty
// for a quote that nothing ends.
std::vector<std::string> shell_words(const std::string& line);

}  // namespace scalemark::reporting
