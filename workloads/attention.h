// Which of torch's attention kernels a network uses. Knows no network.
#pragma once

#include <ATen/core/Tensor.h>

#include <optional>
#include <string>
#include <vector>

namespace scalemark::workloads {

// Torch's choices for the attention of one network, asked once without a mask and once with one.
class AttentionChoices {
 public:
  // Takes the arguments of the scaled_dot_product_attention call that follows.
  void note(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
            const std::optional<at::Tensor>& mask, double dropout);

  std::vector<std::string> names() const;  // flash | efficient | cudnn | math, each once

 private:
  std::optional<std::int64_t> without_mask_, with_mask_;
};

}  // namespace scalemark::workloads
