// Ends the process where the null device cannot continue.
#pragma once

#include <string>

namespace nullcuda {

// One line on stderr, then abort(): a call that the null device does not know must not pass.
[[noreturn]] void refuse(const std::string& what);

}  // namespace nullcuda

// The generated stubs call this: the null device does not implement `function`.
extern "C" [[noreturn]] void nullcuda_refuse(const char* function);
