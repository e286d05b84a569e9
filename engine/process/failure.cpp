#include "engine/process/failure.h"

#include "engine/distributed/foreign_error.h"

namespace scalemark::process {

ErrorRecord record_of(const std::exception_ptr& exception, distributed::ErrorStore* error_store) {
  try {
    std::rethrow_exception(exception);
  } catch (const std::exception& error) {
    const auto meaning = distributed::meaning_of(error);
    const bool lost = error_store != nullptr && meaning == distributed::Meaning::kPeerLost;
    if (lost && !error_store->has_peers()) {
      return system_error(
                 "the only rank cannot communicate with itself: " + distributed::one_line(error),
                 {}, "see whether this machine's network is up (`ip addr`)")
          .record();
    }
    if (lost) {
      return distributed::translate_collective_error(exception, *error_store).record();
    }
    return distributed::record_of(error);
  } catch (...) {
    return bug("an exception of an unknown type").record();
  }
}

}  // namespace scalemark::process
