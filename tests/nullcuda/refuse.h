// How the null device says that it cannot go on.
#pragma once

#include <string>

namespace nullcuda {

// One line on stderr, then abort(): a call that the null device does not know must not pass.
[[noreturn]] void refuse(const std::string& what);

}  // namespace nullcuda

// For the generated stubs: `function` is none of the null device's.
extern "C" [[noreturn]] void nullcuda_refuse(const char* function);
