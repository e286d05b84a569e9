// One screen of runs while they run: what `scalemark top` draws. Pure: a text of at most
// terminal.rows lines, each at most terminal.columns wide, from views that are made (rates.h).
#pragma once

#include <optional>
#include <span>
#include <string>

#include "core/base/terminal.h"
#include "core/live/rates.h"

namespace scalemark::live {

struct ShownRun {
  std::string source;  // the folder or file
  std::optional<Status> status;
  RunNow now;
  std::optional<double> lasted_s;  // seconds from its start to the status
  std::string problem;             // why it cannot be read, in one sentence
};

// Where `terminal` is no terminal, all ranks, machines and findings are shown, in lines of any
// length. `footer` is the last line, if it is not empty. Lines end with a line end.
std::string screen_text(std::span<const ShownRun> runs, const Terminal& terminal,
                        const std::string& footer = "");

}  // namespace scalemark::live
