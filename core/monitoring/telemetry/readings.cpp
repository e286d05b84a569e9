#include "core/monitoring/telemetry/readings.h"

#include <algorithm>

namespace scalemark::monitoring {

void Readings::note(double value) {
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
  if (n_ == 0 || interval_s >= least_interval_s_) note((now.value - before.value) / interval_s);
}

void Readings::add(double now_s, std::optional<double> value) {
  if (!value) return;
  const At now{.s = now_s, .value = *value};
  const bool is_gauge = name_.kind == SourceKind::kGauge;
  if (is_gauge) note(*value);
  if (before_ && now.s <= before_->s) return;
  if (before_ && is_gauge) seconds_ += now.s - before_->s;
  if (before_ && !is_gauge) add_growth(*before_, now);
  before_ = now;
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
                        .observed_s = seconds_};
  if (name_.kind == SourceKind::kCounter) {
    summary.total = growth_;
    summary.mean = growth_ / seconds_;
  }
  return summary;
}

}  // namespace scalemark::monitoring
