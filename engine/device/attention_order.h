// In which order torch tries its attention kernels.
#pragma once

namespace scalemark::device {

// On a GPU: flash (half precision, no mask), efficient (any dtype, masks), math; never cuDNN's. Of
// the process, and for good: torch puts cuDNN first by itself on Hopper and newer, and plans about
// a second for each new shape of a batch; its results for masks with -infinity and for dropout are
// not compared with the others' here. --deterministic, which refuses cuDNN, gets the same kernels.
void pin_attention_order();

}  // namespace scalemark::device
