// From a point's settings to the batches that one process of it trains on.
#pragma once

#include <memory>

#include "core/catalogue/workload.h"
#include "core/settings/settings.h"
#include "engine/device/device.h"
#include "engine/running/batch_source.h"
#include "engine/running/training_ranks.h"
#include "engine/running/workload_data.h"

namespace scalemark::running {

SamplingOptions sampling_of(device::Device& device, const settings::Settings& settings,
                            const TrainingRanks& ranks);

// Without an end: of the data set where there is one, else synthetic. The batches of several
// training ranks are joined. A dedicated server has none, and fetches none.
std::unique_ptr<BatchSource> open_source(device::Device& device, const settings::Settings& settings,
                                         const catalogue::Workload& workload,
                                         const WorkloadData& data, const TrainingRanks& ranks);

}  // namespace scalemark::running
