// The losses of a run at the steps that every run keeps (core/reporting/point/rank_steps.h), those
// of its warm-up among them: what runs of different lengths are compared by.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "core/reporting/record/records.h"

namespace scalemark::running {

class LossCourse {
 public:
  // The loss of an unmeasured step, counted from 1: at a step that is kept, a copy stays on the
  // device. Never waits for it.
  void note(std::int64_t step, const at::Tensor& loss);

  // With the losses of a window that followed `before` steps. The device must have been
  // synchronised.
  std::vector<reporting::LossAtStep> with_window(std::int64_t before,
                                                 const std::vector<double>& window) const;

 private:
  std::vector<std::pair<std::int64_t, at::Tensor>> warmup_;
};

// The losses of each rank become the mean over ranks (docs/METRICS.md): the same on every rank's
// record.
void average_losses(std::vector<reporting::RankMeasurement>& processes);

}  // namespace scalemark::running
