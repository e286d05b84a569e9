#include "core/catalogue/backends.h"

namespace scalemark::catalogue {

std::vector<std::string_view> backend_names() {
  return {
#define SCALEMARK_BACKEND(name, provider) #name,
#include "core/catalogue/backend_list.inc"
#undef SCALEMARK_BACKEND
  };
}

}  // namespace scalemark::catalogue
