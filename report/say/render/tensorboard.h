// Writes a row of a report for TensorBoard: a session of its table of hparams, and scalars by step.
// Every number is the row's own. Knows no files, so that a run in progress can pass its own
// records.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "core/live/tensorboard/events.h"
#include "report/record/records.h"
#include "report/record/report.h"

namespace scalemark::reporting {

// Adds session, results, step times, phases, memory, losses and evaluations; for a run that failed
// its session only, and nothing for a skipped row. Steps are counted from 1, warm-up included; the
// step of values per epoch is the epoch. REPORT.md, "TensorBoard", lists the tags.
// `evaluations_written`: a run in progress has already written its evaluations.
void add_results(tensorboard::Events& events, const PointRecord& point,
                 bool evaluations_written = false);

// Adds what belongs to one evaluation.
void add_evaluation(tensorboard::Events& events, const Evaluation& evaluation, double time);

// Adds the efficiency of the first row of a scaling table that holds the point, where there is one.
void add_efficiency(tensorboard::Events& events, const Report& report, const std::string& point_id);

// Returns the command that shows the events in `folder`, behind a label that says what installs it
// where the program is not here.
std::pair<std::string, std::string> tensorboard_command(const std::string& folder, bool is_here);

}  // namespace scalemark::reporting
