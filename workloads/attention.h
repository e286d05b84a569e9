// Which attention kernels a network uses: torch's or our own. Knows no network.
#pragma once

#include <ATen/core/Tensor.h>

#include <optional>
#include <string>
#include <vector>

namespace scalemark::workloads {

// What the attention of one network is computed by, noted once without a mask and once with one.
class AttentionChoices {
 public:
  // Asks torch for its choice.
  // Takes the arguments of the scaled_dot_product_attention call that follows.
  void note(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
            const std::optional<at::Tensor>& mask, double dropout);

  void note_own(const std::optional<at::Tensor>& mask);  // dropout_attention()

  std::vector<std::string> names() const;  // flash | efficient | cudnn | math | own, each once

 private:
  std::optional<std::string> without_mask_, with_mask_;
};

}  // namespace scalemark::workloads
