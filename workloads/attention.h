// Which of torch's attention kernels are used, and in which order they are tried. Knows no network.
#pragma once

#include <ATen/core/Tensor.h>

#include <optional>
#include <string>
#include <vector>

namespace scalemark::workloads {

// On a GPU: flash (half precision, no mask), efficient (any dtype, masks), math; never cuDNN's. Of
// the process, and for good: torch puts cuDNN first by itself on Hopper and newer, and plans about
// a second for each new shape of a batch; its results for masks with -infinity and for dropout are
// not compared with the others' here. --deterministic, which refuses cuDNN, gets the same kernels.
void pin_attention_order();

// Torch's choices for the attention of one network, asked once without a mask and once with one.
class AttentionChoices {
 public:
  // As scaled_dot_product_attention is about to be called.
  void note(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
            const std::optional<at::Tensor>& mask, double dropout);

  std::vector<std::string> names() const;  // flash | efficient | cudnn | math, each once

 private:
  std::optional<std::int64_t> without_mask_, with_mask_;
};

}  // namespace scalemark::workloads
