// One point: from settings and an open session to what each rank measured.
#pragma once

#include <functional>
#include <vector>

#include "core/catalogue/workload.h"
#include "core/reporting/records.h"
#include "core/settings/settings.h"
#include "engine/running/session.h"
#include "engine/running/step_watch.h"
#include "engine/running/workload_data.h"

namespace scalemark::running {

struct PointOutcome {
  std::vector<reporting::RankMeasurement> ranks;   // on rank 0, in rank order; empty elsewhere
  std::vector<reporting::Evaluation> evaluations;  // --epochs
  bool stopped = false;                            // an agreed stop came before the end
};

// Collective. Builds the network, warms up and measures (or trains for --epochs), and gathers.
using EpochReport = std::function<void(const reporting::Evaluation&)>;
PointOutcome run_point(Session& session, const settings::Settings& settings,
                       const catalogue::Workload& workload, const WorkloadData& data,
                       StepWatch& watch, const EpochReport& report_epoch);

}  // namespace scalemark::running
