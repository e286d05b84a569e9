// Changes what torch does by itself on a GPU: the order in which it tries its attention kernels,
// and how it frees pinned host memory.
#pragma once

#include <c10/core/Allocator.h>

namespace scalemark::device {

// Fixes the order in which torch tries its attention kernels. On a GPU: flash (half precision, no
// mask), efficient (any dtype, masks), math; never cuDNN's. Permanent, for the whole process: torch
// itself puts cuDNN first on Hopper and newer, which plans about a second for each new batch shape;
// its results for masks with -infinity and for dropout are not compared with the others' here.
// --deterministic, which refuses cuDNN, gets the same kernels.
void pin_attention_order();

// Frees pinned host memory without an exception. Torch's allocator records events when a block that
// copies have used is freed; on a failed GPU this throws from a destructor, while the GPU's own
// error is being handled: the process would end before its row is written. Every `memory` passed
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
