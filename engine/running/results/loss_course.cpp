#include "engine/running/results/loss_course.h"

#include <algorithm>
#include <span>

#include "core/reporting/point/rank_steps.h"

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

void average_losses(std::vector<reporting::RankMeasurement>& processes) {
  if (processes.empty()) return;
  const auto trains = [](const auto& process) { return !process.serves; };
  const std::span ranks(processes.begin(), std::ranges::find_if_not(processes, trains));
  double first = 0, last = 0;
  auto course = ranks.front().loss_course;
  for (auto& at : course) at.loss = 0;
  for (const auto& rank : ranks) {
    const auto n = static_cast<double>(ranks.size());
    first += rank.loss_first / n;
    last += rank.loss_last / n;
    for (std::size_t i = 0; i < course.size(); ++i)
      course[i].loss += rank.loss_course.at(i).loss / n;
  }
  for (auto& rank : ranks) {
    rank.loss_first = first;
    rank.loss_last = last;
    rank.loss_course = course;
  }
}

}  // namespace scalemark::running
