// The readings of one source, as they come, in constant memory. Pure: time arrives as a number.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "core/monitoring/telemetry/source.h"

namespace scalemark::monitoring {

class Readings {
 public:
  // `least_interval_s`: a shorter interval of a counter, at the end of a stretch, counts in mean
  // and total only: the steps of coarse counters would look like bursts.
  explicit Readings(SourceName name, double least_interval_s = 0)
      : name_(std::move(name)), least_interval_s_(least_interval_s) {}

  // Between two stretches nothing is counted.
  void begin_stretch() { before_.reset(); }
  // `now_s` grows within a stretch. An absent value is left out; a counter that fell was reset, and
  // counts from there.
  void add(double now_s, std::optional<double> value);

  // Absent: nothing was read; of a counter: less than two readings.
  std::optional<SourceSummary> summary() const;

 private:
  struct At {
    double s = 0, value = 0;
  };
  void add_growth(const At& before, const At& now);
  void note(double value);

  SourceName name_;
  double least_interval_s_;
  std::optional<At> before_;
  std::int64_t n_ = 0;
  double sum_ = 0, min_ = 0, max_ = 0, first_ = 0, last_ = 0;
  double growth_ = 0, seconds_ = 0;
};

}  // namespace scalemark::monitoring
