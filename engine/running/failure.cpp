#include "engine/running/failure.h"

#include "engine/distributed/foreign_error.h"

namespace scalemark::running {

ErrorRecord record_of(const std::exception_ptr& exception, distributed::FaultBoard* board) {
  try {
    std::rethrow_exception(exception);
  } catch (const std::exception& error) {
    const auto meaning = distributed::meaning_of(error);
    if (board != nullptr && meaning == distributed::Meaning::kPeerLost) {
      return distributed::translate_collective_error(exception, *board).record();
    }
    return distributed::record_of(error);
  } catch (...) {
    return bug("an exception of an unknown type").record();
  }
}

}  // namespace scalemark::running
