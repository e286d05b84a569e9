#include "engine/distributed/posted_fault.h"

namespace scalemark::distributed {

std::int64_t count_posted_faults(c10d::Store& store) {
  return store.check({"fault/count"}) ? store.add("fault/count", 0) : 0;
}

void throw_posted_fault(c10d::Store& store, FaultBoard& board) {
  if (count_posted_faults(store) == 0) return;
  const auto cause = board.find_cause(std::chrono::milliseconds(0));
  if (cause.record) throw Error(caused_by(*cause.record, board.rank()));
}

}  // namespace scalemark::distributed
