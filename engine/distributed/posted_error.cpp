#include "engine/distributed/posted_error.h"

namespace scalemark::distributed {

std::int64_t count_posted_errors(c10d::Store& store) {
  return store.check({"fault/count"}) ? store.add("fault/count", 0) : 0;
}

void throw_posted_error(c10d::Store& store, ErrorStore& error_store) {
  if (count_posted_errors(store) == 0) return;
  const auto cause = error_store.find_cause(std::chrono::milliseconds(0));
  if (cause.record) throw Error(caused_by(*cause.record, error_store.rank()));
}

}  // namespace scalemark::distributed
