#include "core/settings/processes.h"

#include "core/base/words.h"
#include "core/settings/reader.h"

namespace scalemark::settings {
namespace {

Processes processes_with(std::string_view strategy, Server server) {
  const auto* known = catalogue::find_strategy(strategy);
  if (!known) return {};
  const bool serves = known->updates == catalogue::Updates::kServer;
  return {.count = known->processes, .dedicated_server = serves && server == Server::kDedicated};
}

Problem problem_with(const Settings& settings, const char* option, std::string found,
                     std::string allowed, std::string hint) {
  return {.option = option,
          .found = std::move(found),
          .allowed = std::move(allowed),
          .origin = value_at(settings.origins, option),
          .hint = std::move(hint)};
}

}  // namespace

Processes process_kind_of(const ParallelSettings& parallel) {
  return processes_with(parallel.strategy, parallel.server);
}

Processes processes_in(const RawSettings& raw) {
  return processes_with(value_at(raw, "strategy").text,
                        find_word<Server>(value_at(raw, "server").text).value_or(Server::kRank0));
}

int nodes_in(const RawSettings& raw) {
  return static_cast<int>(value_in<std::int64_t>(raw, "nnodes").value_or(1));
}

int process_count(const Processes& processes, int world_size) {
  if (processes.count == catalogue::ProcessCount::kOne) return 1;
  return world_size + (processes.dedicated_server ? 1 : 0);
}

int world_size_of(const Settings& settings) {
  const auto& size = settings.size;
  const std::int64_t of_rank = size.batch_size * size.gradient_accumulation_steps;
  return of_rank > 0 ? static_cast<int>(size.global_batch_size / of_rank) : 1;
}

LaunchSettings launch_of(const Settings& settings) {
  LaunchSettings launch = settings.launch;
  if (launch.nnodes == 1) {
    launch.nproc_per_node =
        process_count(process_kind_of(settings.parallel), launch.nproc_per_node);
  }
  return launch;
}

TrainingRankCount training_ranks(const Settings& settings, int launched) {
  const Processes processes = process_kind_of(settings.parallel);
  if (processes.count == catalogue::ProcessCount::kOne) {
    TrainingRankCount ranks{.world_size = settings.launch.nproc_per_node, .problem = {}};
    if (launched == 1) return ranks;
    ranks.problem = problem_with(
        settings, "strategy", settings.parallel.strategy,
        "is one process with all replicas, and " + std::to_string(launched) + " are launched",
        "start one process on one node; --nproc-per-node is the number of its replicas");
    return ranks;
  }
  if (!processes.dedicated_server) return {.world_size = launched, .problem = {}};
  if (launched > 1) return {.world_size = launched - 1, .problem = {}};
  return {.world_size = 1,
          .problem = problem_with(settings, "server", "dedicated",
                                  "needs a process beside the training ranks, and 1 is launched",
                                  "start one more, or use --server rank0")};
}

}  // namespace scalemark::settings
