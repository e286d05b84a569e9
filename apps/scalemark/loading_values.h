// Commands that load data without training share this: their options, the text of what was skipped,
// and the line with which they end when they are asked to stop.
#pragma once

#include <string>
#include <vector>

#include "core/settings/reader.h"
#include "data/data_api.h"

namespace scalemark::cli {

data::ImageDecoding decoding_of(const settings::ToolValues& values);
data::OnBadSample on_bad_sample_of(const settings::ToolValues& values);

// A line for each skipped sample, below a line that counts them; empty where there is none.
std::string skipped_text(const std::vector<data::SkippedSample>& skipped);

// While it lives, SIGINT ends the process with 130, SIGTERM and SIGUSR1 with 75, and its last line
// says `what` and `hint`; a signal that is ignored stays so. It is for commands of a single process
// that have nothing to put in order first. At most one may live at a time: a signal handler takes
// no argument.
class StopLine {
 public:
  StopLine(const std::string& what, const std::string& hint);
  ~StopLine();
  StopLine(const StopLine&) = delete;
  StopLine& operator=(const StopLine&) = delete;
};

}  // namespace scalemark::cli
