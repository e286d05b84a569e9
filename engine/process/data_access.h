// Reading data asks this of whoever has it done. Knows neither data nor ranks.
#pragma once

#include <functional>
#include <string>

#include "engine/process/shared_bytes.h"

namespace scalemark::process {

// By itself it serves a rank that reads everything itself and whom nobody waits for.
class DataAccess {
 public:
  virtual ~DataAccess() = default;

  // A sign of life: called often by what takes long.
  virtual void still_reading() {}

  // Returns what `make` returns, made by one rank of the machine alone. `what` names it: the same
  // for ranks that read the same. Throws what `make` throws, on the ranks that wait for it, too.
  virtual SharedBytes once_per_node(const std::string& /*what*/,
                                    const std::function<SharedBytes()>& make) {
    return make();
  }

  // How many ranks wait for what one of them makes: so many times its threads are free.
  virtual int ranks_here() const { return 1; }
};

}  // namespace scalemark::process
