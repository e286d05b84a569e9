#include "core/machine/telemetry/source.h"

#include <algorithm>

namespace scalemark::monitoring {

// `seconds`: how much time of stretches had passed.
void Readings::note(double value, double seconds) {
  constexpr std::size_t kMostKept = 512;
  if (in_last_kept_ == 0) kept_.push_back({.s = seconds, .value = 0});
  kept_.back().value += value / static_cast<double>(values_per_kept_);
  in_last_kept_ = (in_last_kept_ + 1) % values_per_kept_;
  if (kept_.size() == kMostKept && in_last_kept_ == 0) {
    for (std::size_t i = 0; i < kMostKept / 2; ++i) {
      kept_[i] = {.s = kept_[2 * i].s, .value = (kept_[2 * i].value + kept_[2 * i + 1].value) / 2};
    }
    kept_.resize(kMostKept / 2);
    values_per_kept_ *= 2;
  }

  min_ = n_ == 0 ? value : std::min(min_, value);
  max_ = n_ == 0 ? value : std::max(max_, value);
  if (n_ == 0) first_ = value;
  last_ = value;
  sum_ += value;
  ++n_;
}

void Readings::add_growth(const At& before, const At& now) {
  if (now.value < before.value) return;
  const double interval_s = now.s - before.s;
  growth_ += now.value - before.value;
  seconds_ += interval_s;
  if (n_ == 0 || interval_s >= least_interval_s_)
    note((now.value - before.value) / interval_s, seconds_);
}

void Readings::add(double now_s, std::optional<double> value) {
  if (!value) return;
  const At now{.s = now_s, .value = *value};
  const bool is_gauge = name_.kind == SourceKind::kGauge;
  if (is_gauge) note(*value, seconds_);
  if (before_ && now.s <= before_->s) return;
  if (before_ && is_gauge) seconds_ += now.s - before_->s;
  if (before_ && !is_gauge) add_growth(*before_, now);
  before_ = now;
}

std::vector<double> Readings::course() const {
  constexpr std::size_t kFew = 2 * kPartsOfCourse;
  const std::size_t whole = kept_.size() - (in_last_kept_ > 0 ? 1 : 0);
  if (whole < kFew || !(seconds_ > 0)) return {};
  std::vector<double> sums(kPartsOfCourse, 0.0), counts(kPartsOfCourse, 0.0);
  for (std::size_t i = 0; i < whole; ++i) {
    const auto part = static_cast<std::size_t>(kPartsOfCourse * kept_[i].s / seconds_);
    sums[std::min(part, kPartsOfCourse - 1)] += kept_[i].value;
    counts[std::min(part, kPartsOfCourse - 1)] += 1;
  }
  for (std::size_t i = 0; i < kPartsOfCourse; ++i) sums[i] /= std::max(1.0, counts[i]);
  return sums;
}

std::optional<SourceSummary> Readings::summary() const {
  if (n_ == 0) return std::nullopt;
  SourceSummary summary{.source = name_.source,
                        .device = name_.device,
                        .n = n_,
                        .mean = sum_ / static_cast<double>(n_),
                        .min = min_,
                        .max = max_,
                        .first = first_,
                        .last = last_,
                        .total = std::nullopt,
                        .observed_s = seconds_,
                        .course = course()};
  if (name_.kind == SourceKind::kCounter) {
    summary.total = growth_;
    summary.mean = growth_ / seconds_;
  }
  return summary;
}

}  // namespace scalemark::monitoring
