// The parts of explain(). Private to this folder.
#pragma once

#include "core/reporting/explain/explain.h"

namespace scalemark::reporting {

struct ChosenRow {
  const ScalingTable* table = nullptr;
  const ScalingRow* row = nullptr;
};
// Throws configuration() (78).
ChosenRow choose_row(const Report& report, const std::string& group,
                     const std::vector<const Report*>& collectives);

// Runs of a row that are ok and not withheld, in the report's order.
std::vector<const PointRecord*> runs_of(const Report& report, const ScalingRow& row);

// Absent when a run has no bucket timeline, or there is no run.
std::optional<Overlap> overlap_of(const std::vector<const PointRecord*>& runs);

// This command measures the network by itself for the buckets of `run`; absent where their
// collective is not known.
std::optional<std::string> comm_command(const PointRecord& run);

// Absent when no report has collectives like those of the buckets of `run`: the same backend, as
// many ranks as `run` has processes, and number format, through c10d, beside nothing.
std::optional<BucketTimes> bucket_times(const PointRecord& run,
                                        const std::vector<const Report*>& collectives);

// Ranks, devices and links that are proven slow, for the row.
std::vector<std::string> slow_parts(const Report& report, const ScalingRow& row,
                                    const std::vector<const Report*>& collectives);
// Lists what disturbed the row's runs or its baseline's, and GPUs that wait for their CPU.
std::vector<std::string> disturbances(const Report& report, const ChosenRow& chosen);

// The real effect with the largest proven gain at the row's number of ranks; null: none.
const EffectRecord* best_effect(const Report& report, const ScalingRow& row);

// Whether the report has effects at the row's number of ranks.
bool compares_options(const Report& report, const ScalingRow& row);

}  // namespace scalemark::reporting
