// Which builds of this program's own libraries run here, by what their linker wrote into them.
#pragma once

#include <map>
#include <string>

namespace scalemark::process {

// "scalemark_engine" -> 40 hexadecimal digits, for each loaded library of the program: two builds
// that differ in code differ here. Empty where the linker writes no build id.
std::map<std::string, std::string> build_ids();

}  // namespace scalemark::process
