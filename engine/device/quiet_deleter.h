// Pinned host memory that is given back without a throw. Torch's allocator records events when a
// block comes back that copies have used; on a GPU that has failed that throws, out of a
// destructor, in the middle of the unwinding that was to say why: the process would end before its
// row is written.
#pragma once

#include <c10/core/Allocator.h>

namespace scalemark::device {

// All of `memory` come from one allocator of the process.
inline void quieten_deleter(c10::DataPtr& memory) {
  static const c10::DeleterFnPtr give_back = memory.get_deleter();
  if (memory.get_deleter() != give_back) return;  // of an empty block, or quiet already
  const c10::DeleterFnPtr quietly = [](void* context) {
    try {
      give_back(context);
    } catch (...) {  // the fault is on its way, or has been told
    }
  };
  static_cast<void>(memory.compare_exchange_deleter(give_back, quietly));
}

}  // namespace scalemark::device
