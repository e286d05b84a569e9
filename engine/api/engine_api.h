// libscalemark_engine offers this to the light program: one exported function returns this
// table. Torch-free on purpose: the program includes it without ever linking torch.
#pragma once

#include "core/base/error.h"
#include "core/base/plugin.h"
#include "engine/comm/comm_run.h"
#include "engine/fingerprint/measure_run.h"
#include "engine/sweep/sweep_run.h"
#include "engine/train/train_run.h"

namespace scalemark::api {

// Changes whenever a struct that passes through changes its layout; the commit of the build is
// compared as well, so an engine and a program of different builds refuse each other by name.
inline constexpr const char* kEngineAbi = "scalemark-engine/4";

struct EngineApi {
  PluginStamp stamp;
  // Trains one configuration as one rank. Rank 0 writes the report and prints the table; the exit
  // code is the process's own. Errors are printed by the engine in the fixed form and never thrown
  // across the interface.
  ExitCode (*train)(const running::TrainRequest& request);
  ExitCode (*sweep)(const sweeping::SweepRequest& request);
  // Measures what this machine does by itself: doctor --measure.
  fingerprint::MeasuredMachine (*measure)(const fingerprint::MeasureRequest& request);
  ExitCode (*comm)(const communicating::CommRequest& request);
};

}  // namespace scalemark::api

extern "C" const scalemark::api::EngineApi* scalemark_engine_api();
