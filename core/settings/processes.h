// How many processes a point has for its training ranks: one each as a rule, one more with a
// dedicated server, one for all where the ranks are replicas in threads. Pure.
#pragma once

#include <optional>

#include "core/catalogue/strategy.h"
#include "core/settings/layers.h"
#include "core/settings/problem.h"
#include "core/settings/settings.h"

namespace scalemark::settings {

struct Processes {
  catalogue::ProcessCount count = catalogue::ProcessCount::kOnePerRank;
  bool dedicated_server = false;  // the last process
};

Processes process_kind_of(const ParallelSettings& parallel);
// Reads raw texts before they are settings; a text that is none counts as the default.
Processes processes_in(const RawSettings& raw);

// The nodes of the run by --nnodes; a text that is no such number counts as the default, 1.
constexpr int kMostNodes = 65536, kMostRanksOfNode = 4096;
int nodes_in(const RawSettings& raw);

int process_count(const Processes& processes, int world_size);

inline bool has_dedicated_server(const Processes& processes) { return processes.dedicated_server; }
inline bool has_dedicated_server(const ParallelSettings& parallel) {
  return process_kind_of(parallel).dedicated_server;
}

// The training ranks that the sizes of `settings` were resolved for.
int world_size_of(const Settings& settings);

// The launch options with processes in the place of training ranks, for the built-in launcher. On
// several nodes a dedicated server is one of the processes that they count.
LaunchSettings launch_of(const Settings& settings);

// The training ranks of `launched` processes; or the problem with so many.
struct TrainingRankCount {
  int world_size = 1;
  std::optional<Problem> problem;
};
TrainingRankCount training_ranks(const Settings& settings, int launched);

}  // namespace scalemark::settings
