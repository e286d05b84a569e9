#include "refuse.h"

#include <cstdio>
#include <cstdlib>

namespace nullcuda {

void refuse(const std::string& what) {
  std::fprintf(stderr, "nullcuda: %s\n", what.c_str());
  std::fflush(stderr);
  std::abort();
}

}  // namespace nullcuda

void nullcuda_refuse(const char* function) {
  nullcuda::refuse(std::string(function) + " is not part of the null device");
}
