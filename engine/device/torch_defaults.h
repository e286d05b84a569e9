// Changes what torch does by itself on a GPU: the order in which it tries its attention kernels,
// and how it frees pinned host memory.
#pragma once

#include <c10/core/Allocator.h>

namespace scalemark::device {

// Fixes the order in which torch tries its attention kernels for the whole process. On a GPU: flash
// (half precision, no mask), efficient (any dtype, masks), math; never cuDNN's. Torch itself puts
// cuDNN first on Hopper and newer, which plans for about a second at each new batch shape, and
// whose results for masks with -infinity and for dropout are not compared with the others' here.
// --deterministic, which refuses cuDNN, gets the same kernels.
void pin_attention_order();

// Frees pinned host memory without an exception. When a block that copies have used is freed,
// torch's allocator records events. On a failed GPU that throws from a destructor while the GPU's
// own error is being handled, and the process would end before its row is written. Every `memory`
// must come from the same allocator.
inline void quieten_deleter(c10::DataPtr& memory) {
  static const c10::DeleterFnPtr give_back = memory.get_deleter();
  if (memory.get_deleter() != give_back) return;  // the block is empty, or quiet already
  const c10::DeleterFnPtr quietly = [](void* context) {
    try {
      give_back(context);
    } catch (...) {  // the GPU's fault is already being reported
    }
  };
  static_cast<void>(memory.compare_exchange_deleter(give_back, quietly));
}

}  // namespace scalemark::device
