#include "workloads/attention.h"

#include <ATen/Context.h>
#include <ATen/SDPBackend.h>
#include <ATen/ops/_fused_sdp_choice.h>

#include <set>

namespace scalemark::workloads {
namespace {

std::string name_of(std::int64_t choice) {
  switch (static_cast<at::SDPBackend>(choice)) {
    case at::SDPBackend::math:
      return "math";
    case at::SDPBackend::flash_attention:
      return "flash";
    case at::SDPBackend::efficient_attention:
      return "efficient";
    case at::SDPBackend::cudnn_attention:
      return "cudnn";
    default:
      return "other";
  }
}

}  // namespace

void AttentionChoices::note(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                            const std::optional<at::Tensor>& mask, double dropout) {
  std::optional<std::string>& choice = mask ? with_mask_ : without_mask_;
  if (choice) return;
  // Autocast casts the mask on its way to the kernel.
  const auto used = mask ? std::optional(mask->to(query.scalar_type())) : std::nullopt;
  choice = name_of(at::_fused_sdp_choice(query, key, value, used, dropout));
}

void AttentionChoices::note_own(const std::optional<at::Tensor>& mask) {
  (mask ? with_mask_ : without_mask_) = "own";
}

std::vector<std::string> AttentionChoices::names() const {
  std::set<std::string> names;
  for (const auto& choice : {without_mask_, with_mask_}) {
    if (choice) names.insert(*choice);
  }
  return {names.begin(), names.end()};
}

}  // namespace scalemark::workloads
