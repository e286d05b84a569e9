// Fills in the fields of a point's record that are known before it runs: its identity. Pure.
#pragma once

#include "core/catalogue/workload.h"
#include "core/plan/plan.h"
#include "core/settings/settings.h"
#include "report/record/records.h"

namespace scalemark::reporting {

struct RanksOfPoint {
  int world_size = 1, nodes = 1;  // training ranks; machines
};

PointRecord point_identity(const settings::Settings& settings, const planning::RunLength& length,
                           const RanksOfPoint& ranks, const catalogue::Workload& workload,
                           const catalogue::ModelShape& shape);

// Takes shapes from a point's settings, since a sweep has not read its data yet.
PointRecord point_identity(const planning::PlannedPoint& point);

}  // namespace scalemark::reporting
