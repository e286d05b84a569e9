// Frees pinned host memory without an exception. Torch's allocator records events when a block that
// copies have used is freed; on a failed GPU this throws from a destructor, while the GPU's own
// error is being handled: the process would end before its row is written.
#pragma once

#include <c10/core/Allocator.h>

namespace scalemark::device {

// Every `memory` passed must come from the same allocator.
inline void quieten_deleter(c10::DataPtr& memory) {
  static const c10::DeleterFnPtr give_back = memory.get_deleter();
  if (memory.get_deleter() != give_back) return;  // of an empty block, or quiet already
  const c10::DeleterFnPtr quietly = [](void* context) {
    try {
      give_back(context);
    } catch (...) {  // the GPU's fault is already being reported
    }
  };
  static_cast<void>(memory.compare_exchange_deleter(give_back, quietly));
}

}  // namespace scalemark::device
