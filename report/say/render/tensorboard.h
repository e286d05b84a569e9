// A row of a report as TensorBoard shows it: a session of its table of hparams, scalars by step.
// Every number is the row's own. Knows no files: a run that is still alive gives its own records.
#pragma once

#include <cstdint>
#include <string>

#include "core/live/tensorboard/events.h"
#include "report/record/records.h"
#include "report/record/report.h"

namespace scalemark::reporting {

// Session, results, step times, phases, memory, losses and evaluations; of a run that failed its
// session only, and nothing of a skipped row. Steps are counted from 1, warm-up included; of values
// per epoch the step is the epoch. docs/REPORT.md, "TensorBoard", lists the tags.
// `evaluations_written`: a live run has told its evaluations when they were made.
void add_results(tensorboard::Events& events, const PointRecord& point,
                 bool evaluations_written = false);

// The part of it that belongs to one evaluation.
void add_evaluation(tensorboard::Events& events, const Evaluation& evaluation, double time);

// The efficiency of the first row of a scaling table that holds the point, where one does.
void add_efficiency(tensorboard::Events& events, const Report& report, const std::string& point_id);

}  // namespace scalemark::reporting
