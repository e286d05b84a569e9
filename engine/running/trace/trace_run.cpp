#include "engine/running/trace/trace_run.h"

#include <optional>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/field.h"
#include "core/base/text.h"
#include "core/base/wire.h"
#include "engine/running/trace/trace_file.h"
#include "engine/running/trace/traced_steps.h"

namespace scalemark::running {
namespace {

std::string quoted(const std::string& word) { return std::string("\"") + word + "\""; }

std::string member(const char* name, const std::string& value) {
  return quoted(name) + ": " + value;
}

std::string ranks_of(const launching::World& world) {
  std::vector<std::string> ranks;
  for (int i = 0; i < world.world_size; ++i) ranks.push_back(std::to_string(i));
  return std::string("[") + joined(ranks, ", ") + "]";
}

// Writes what torch.profiler writes of the default process group, letter for letter: HTA looks for
// the rank with its space before the number.
std::string distributed_info(process::RankGroup& rank_group) {
  const launching::World& world = rank_group.world();
  const std::string backend(rank_group.backend());
  const auto type = rank_group.device().torch_device().type();
  const std::string device = c10::DeviceTypeName(type, /*lower_case=*/true);
  const std::vector<std::string> group{
      member("pg_name", quoted("0")), member("pg_desc", quoted("default_pg")),
      member("backend_config", quoted(device + ":" + backend)),
      member("pg_size", std::to_string(world.world_size)), member("ranks", ranks_of(world))};
  std::vector<std::string> info{
      member("backend", quoted(backend)), member("rank", std::to_string(world.rank)),
      member("world_size", std::to_string(world.world_size)), member("pg_count", "1"),
      member("pg_config", std::string("[{") + joined(group, ", ") + "}]")};
  const auto versions = rank_group.context().backend_versions();
  const auto nccl = versions.find("nccl");
  if (backend == "nccl" && nccl != versions.end() && nccl->second.running_with) {
    info.push_back(member("nccl_version", quoted(*nccl->second.running_with)));
  }
  return std::string("{") + joined(info, ", ") + "}";
}

// Returns what went wrong, for rank 0.
std::optional<ErrorRecord> write(const StepTrace& trace, const std::filesystem::path& folder,
                                 const process::RankGroup& rank_group) {
  try {
    const launching::World& world = rank_group.world();
    if (world.rank == 0) remove_traces_from(folder, world.world_size);
    write_trace(trace, trace_file(folder, world.rank));
    return std::nullopt;
  } catch (const Error& error) {
    ErrorRecord record = error.record();
    record.rank = rank_group.global_rank();
    return record;
  }
}

}  // namespace

std::filesystem::path trace_folder(const settings::Settings& settings, const std::string& run_id) {
  if (settings.measuring.trace.empty()) return {};
  return std::filesystem::path(settings.measuring.trace) / run_id;
}

void trace_run(process::RankGroup& rank_group, const StepContext& context,
               const TraceRequest& request, PointOutcome& outcome) {
  if (request.folder.empty()) return;
  context.watch.enter("window");
  const StepTrace trace = trace_steps(context, request.steps, distributed_info(rank_group));
  context.watch.enter("report");
  if (!trace) return;
  const auto problem = write(trace, request.folder, rank_group);
  for (const std::string& bytes : rank_group.control().gather(to_wire(problem))) {
    if (!outcome.not_saved) outcome.not_saved = from_wire<std::optional<ErrorRecord>>(bytes);
  }
}

}  // namespace scalemark::running
