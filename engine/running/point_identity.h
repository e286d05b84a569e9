// What is known of a point before it runs: the identity fields of its record. Pure.
#pragma once

#include "core/catalogue/workload.h"
#include "core/launching/world.h"
#include "core/planning/plan.h"
#include "core/reporting/record/records.h"
#include "core/settings/settings.h"

namespace scalemark::running {

reporting::PointRecord point_identity(const settings::Settings& settings,
                                      const planning::RunLength& length,
                                      const launching::World& world,
                                      const catalogue::Workload& workload,
                                      const catalogue::ModelShape& shape);

}  // namespace scalemark::running
