#include "engine/train/results/losses.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <string>

#include "core/base/error.h"
#include "engine/device/torch_defaults.h"
#include "report/judge/point/rank_steps.h"

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

LossTrace::LossTrace(c10::Device device, std::int64_t steps, const training::LossHistory* history)
    : on_cpu_(device.is_cpu()), history_(history) {
  if (on_cpu_) {
    host_ = at::empty({steps}, at::TensorOptions().dtype(at::kDouble));
    cpu_values_ = host_.mutable_data_ptr<double>();
  } else {
    host_ = at::empty({steps}, at::TensorOptions().dtype(at::kFloat).pinned_memory(true));
    device::quieten_deleter(host_.storage().unsafeGetStorageImpl()->_mutable_data_ptr_no_checks());
  }
}

void LossTrace::push(const at::Tensor& loss) {
  const std::int64_t i = pushed_.load(std::memory_order_relaxed);
  if (i >= host_.size(0)) throw bug("more losses than the window has steps");
  if (history_) {
    if (i + 1 - fetched_ == training::LossHistory::kSteps) fetch(/*non_blocking=*/true, i + 1);
  } else if (on_cpu_) {
    cpu_values_[i] = loss.scalar_type() == at::kDouble
                         ? *loss.const_data_ptr<double>()
                         : static_cast<double>(*loss.const_data_ptr<float>());
  } else {
    host_[i].copy_(loss, /*non_blocking=*/true);
  }
  pushed_.store(i + 1, std::memory_order_release);
}

std::optional<double> LossTrace::latest() const {
  const std::int64_t n = pushed_.load(std::memory_order_acquire);
  if (!on_cpu_ || history_ || n == 0) return std::nullopt;
  return cpu_values_[n - 1];
}

// Copies the losses from fetched_ to `end`, which are the latest ones of the history.
void LossTrace::fetch(bool non_blocking, std::int64_t end) {
  if (end == fetched_) return;
  host_.slice(0, fetched_, end).copy_(history_->latest(end - fetched_), non_blocking);
  fetched_ = end;
}

std::vector<double> LossTrace::values() {
  if (history_) fetch(/*non_blocking=*/false, pushed_.load(std::memory_order_acquire));
  const at::Tensor wide = host_.to(at::kDouble);
  const double* data = wide.const_data_ptr<double>();
  return {data, data + pushed_.load(std::memory_order_acquire)};
}

void require_finite(const std::vector<double>& losses, std::int64_t first_step) {
  for (std::size_t i = 0; i < losses.size(); ++i) {
    require_finite("the loss", losses[i], first_step + static_cast<std::int64_t>(i));
  }
}

void require_finite(const std::string& what, double loss, std::optional<std::int64_t> step) {
  if (std::isfinite(loss)) return;
  throw Error(ErrorRecord{
      .code = "E_NUMERICS",
      .exit_code = ExitCode::kNumerics,
      .what = what + " became " + (std::isnan(loss) ? "NaN" : "infinite"),
      .expected = "a finite loss",
      .hint = "lower --learning-rate (--lr-scaling linear fits the recipe's to the batch "
              "size), add --lr-warmup-steps or --clip-grad-norm, or try --precision fp32",
      .step = step});
}

}  // namespace scalemark::running
