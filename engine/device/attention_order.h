// The order in which torch tries its attention kernels.
#pragma once

namespace scalemark::device {

// On a GPU: flash (half precision, no mask), efficient (any dtype, masks), math; never cuDNN's.
// Permanent, for the whole process: torch itself puts cuDNN first on Hopper and newer, which plans
// about a second for each new batch shape; its results for masks with -infinity and for dropout are
// not compared with the others' here. --deterministic, which refuses cuDNN, gets the same kernels.
void pin_attention_order();

}  // namespace scalemark::device
