// What is known of a point before it runs: the identity fields of its record. Pure.
#pragma once

#include "core/catalogue/workload.h"
#include "core/planning/plan.h"
#include "core/reporting/record/records.h"
#include "core/settings/settings.h"

namespace scalemark::reporting {

struct RanksOfPoint {
  int world_size = 1, nodes = 1;  // training ranks, machines
};

PointRecord point_identity(const settings::Settings& settings, const planning::RunLength& length,
                           const RanksOfPoint& ranks, const catalogue::Workload& workload,
                           const catalogue::ModelShape& shape);

// Of a point of a sweep before its data is read, so with the shape that its settings say.
PointRecord point_identity(const planning::PlannedPoint& point);

}  // namespace scalemark::reporting
