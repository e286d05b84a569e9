// The built-in launcher passes this to each rank that it starts, as one JSON line in one
// environment variable. Knows nothing of how ranks are started.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/terminal.h"
#include "core/launching/world.h"

namespace scalemark::launching {

inline constexpr std::string_view kRankSpecVariable = "SCALEMARK_RANK_SPEC";

struct RankSpec {
  World world;
  Rendezvous rendezvous;
  std::string error_file;  // where this rank writes why it failed; empty: nowhere
  bool terminal = false;   // the launcher's stderr is a terminal and this rank may draw on it
  Terminal output;         // what the launcher's stdout is: results go there
  std::vector<int> ignored_signals;  // by the launcher since its start; mpirun resets them
};

std::string to_json(const RankSpec& spec);

// Throws Error (78) when the text lacks a field or no rank can have its values.
RankSpec parse_rank_spec(std::string_view json);

}  // namespace scalemark::launching
