// What libscalemark_engine.so offers to the light program: one exported function returns this
// table. Torch-free on purpose: the program includes it without ever linking torch.
#pragma once

#include <string>

#include "core/base/exit_code.h"
#include "core/base/part.h"
#include "core/launching/world.h"
#include "core/planning/plan.h"
#include "core/settings/settings.h"

namespace scalemark::running {

// Changes whenever a struct that passes through changes its layout; the commit of the build is
// compared as well, so an engine and a program of different builds refuse each other by name.
inline constexpr const char* kEngineAbi = "scalemark-engine/2";

struct RunRequest {
  settings::Settings settings;  // resolved
  launching::World world;
  launching::Rendezvous rendezvous;
  std::string command_line;    // as typed, for the report
  std::string library_folder;  // where libscalemark_cuda.so stands: beside the engine
  std::string error_file;      // of the built-in launcher; empty: none
  bool terminal = false;       // may this rank draw a progress bar on stderr?
};

struct SweepRequest {
  RunRequest run;       // its settings: those of one point, for what all points share
  planning::Plan plan;  // members are assigned anew when the ranks have met
};

struct EngineApi {
  PartStamp stamp;
  const char* torch_version;  // "2.11.0", as loaded
  // Trains one configuration as one rank. Rank 0 writes the report and prints the table; the exit
  // code is the process's own. Errors are printed by the engine in the fixed form and never thrown
  // across the door.
  ExitCode (*train)(const RunRequest& request);
  ExitCode (*sweep)(const SweepRequest& request);
};

}  // namespace scalemark::running

extern "C" const scalemark::running::EngineApi* scalemark_engine_api();
