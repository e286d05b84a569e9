// Where the backend of this test spoils what Gloo brought: see faulty_backend.cpp.
#pragma once

#include <cstdint>

namespace scalemark::distributed {

// The rank finds this element of its result wrong.
struct Fault {
  int rank = 0;
  std::int64_t element = 0;
};

// The next groups of this process show this fault; null, as at the beginning: none.
void plant(const Fault* fault);

}  // namespace scalemark::distributed
