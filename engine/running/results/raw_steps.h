// --raw-steps: what all ranks of a point measured, into one file that rank 0 of the run writes.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "engine/distributed/groups.h"
#include "engine/running/point.h"
#include "engine/running/window.h"

namespace scalemark::running {

// Every value of the window, as the rank's part of the file.
reporting::RawPart raw_steps(const Window& window, const std::vector<reporting::CostBlock>& blocks);

struct RawStepsPlace {
  std::filesystem::path output;  // folder of the report; what ranks other than 0 pass is ignored
  std::string point;             // its id
};

// Collective over `control`, whose rank 0 is that of the run. The ranks' outcome.raw_steps come to
// rank 0 in rounds, which writes them as they come: however many steps and ranks there are, it
// holds no more than 16 MiB of them at a time, in at most three copies. Sets
// outcome.raw_steps_file, or not_saved where the disk fails. `after_round`: tells a watchdog that
// there is progress. Does nothing where no steps were asked for.
void save_raw_steps(distributed::ControlGroup& control, const RawStepsPlace& place,
                    PointOutcome& outcome, const std::function<void()>& after_round);

// The same for the outcome of a point of one rank that ran elsewhere.
void save_raw_steps(const RawStepsPlace& place, PointOutcome& outcome);

}  // namespace scalemark::running
