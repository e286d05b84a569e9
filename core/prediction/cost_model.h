// The time of one step on N ranks, as compute plus communication (docs/PREDICTION.md, "The model").
// Holds fitted numbers; fit.h finds them.
#pragma once

#include <array>

#include "core/prediction/allreduce.h"

namespace scalemark::prediction {

// T(N) = level x [T_1 (1 + s ln N) + max(0, C(N) - h T_backward)]
struct CostModel {
  double compute_s = 0;      // T_1
  double jitter_growth = 0;  // s
  double overlap = 0;        // h, the share of backward that hides communication
  double backward_s = 0;     // 0 where it is not known: then h is 0 and C is what is not hidden
  int chunks = 1;            // of a tree
  double payload_bytes = 1;  // 1 where it is not known: links then cost seconds per payload
  std::array<Link, kLevels> links;
  double level = 1;  // brings the curve through the largest count that was measured
};

double compute_s(const CostModel& model, int world_size);  // T_1 (1 + s ln N)
// C(N) before overlap: libraries take whichever of ring and tree is cheaper.
double communication_s(const CostModel& model, Layout layout);
double step_s(const CostModel& model, int world_size, Layout layout);

}  // namespace scalemark::prediction
