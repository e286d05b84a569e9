#include "engine/running/results/loss_course.h"

#include "core/reporting/point/loss_course.h"

namespace scalemark::running {

void LossCourse::note(std::int64_t step, const at::Tensor& loss) {
  if (reporting::keeps_loss_at(step)) warmup_.emplace_back(step, loss.clone());
}

std::vector<reporting::LossAtStep> LossCourse::with_window(
    std::int64_t before, const std::vector<double>& window) const {
  std::vector<reporting::LossAtStep> course;
  for (const auto& [step, loss] : warmup_) course.push_back({step, loss.item<double>()});
  for (std::size_t i = 0; i < window.size(); ++i) {
    const std::int64_t step = before + static_cast<std::int64_t>(i) + 1;
    if (reporting::keeps_loss_at(step)) course.push_back({step, window[i]});
  }
  return course;
}

}  // namespace scalemark::running
