#include "engine/distributed/posted_error.h"

namespace scalemark::distributed {

std::int64_t count_posted_errors(c10d::Store& store) {
  return store.check({"fault/count"}) ? store.add("fault/count", 0) : 0;
}

void throw_posted_error(c10d::Store& store, ErrorStore& error_store) {
  if (count_posted_errors(store) == 0) return;
  if (const auto end = error_store.own_end()) throw Error(*end);
}

}  // namespace scalemark::distributed
