// The data of a collective whose every result is known beforehand and exact in each type, written
// into and compared with tensors of any device (core/collectives/exact_data.h has the values).
#pragma once

#include "core/reporting/record/collective_records.h"
#include "engine/communicating/buffers.h"

namespace scalemark::communicating {

// Writes what rank `rank` gives in round `round`; what it receives is overwritten first.
void fill(const Buffers& buffers, const planning::CollectivePoint& point, int rank, int round);

// Adds to `times` the elements of this rank that are not what the collective must give.
void count_wrong(const Buffers& buffers, const planning::CollectivePoint& point, int rank,
                 int round, reporting::CollectiveTimes& times);

// Zeros, which sums of any number of calls leave as they are.
void clear(const Buffers& buffers);

}  // namespace scalemark::communicating
