// Text as one word of a shell.
#pragma once

#include <string>

namespace scalemark::cli {

// Quoted when anything in it is unusual.
std::string shell_word(const std::string& text);

}  // namespace scalemark::cli
