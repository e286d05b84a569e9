#include "engine/running/trace/trace_run.h"

#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/error_json.h"
#include "engine/running/trace/trace_file.h"
#include "engine/running/trace/traced_steps.h"

namespace scalemark::running {
namespace {

// As torch.profiler writes it of the default process group: HTA and others read their ranks here.
std::string distributed_info(process::RankGroup& rank_group) {
  const launching::World& world = rank_group.world();
  const std::string backend(rank_group.backend());
  const auto device = rank_group.device().torch_device().type();
  std::vector<int> ranks(static_cast<std::size_t>(world.world_size));
  std::iota(ranks.begin(), ranks.end(), 0);
  const nlohmann::json group{
      {"pg_name", "0"},
      {"pg_desc", "default_pg"},
      {"backend_config", c10::DeviceTypeName(device, /*lower_case=*/true) + ":" + backend},
      {"pg_size", world.world_size},
      {"ranks", ranks}};
  nlohmann::json info{{"backend", backend},
                      {"rank", world.rank},
                      {"world_size", world.world_size},
                      {"pg_count", 1},
                      {"pg_config", nlohmann::json::array({group})}};
  const auto versions = rank_group.context().backend_versions();
  const auto nccl = versions.find("nccl");
  if (backend == "nccl" && nccl != versions.end() && nccl->second.running_with) {
    info["nccl_version"] = *nccl->second.running_with;
  }
  return info.dump();
}

// What went wrong, for rank 0; empty: nothing.
std::string write(const StepTrace& trace, const std::filesystem::path& folder,
                  const process::RankGroup& rank_group) {
  try {
    write_trace(trace, trace_file(folder, rank_group.world().rank));
    return {};
  } catch (const Error& error) {
    ErrorRecord record = error.record();
    record.rank = rank_group.global_rank();
    return to_json_value(record).dump();
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
  if (!trace) {
    outcome.stopped = true;
    if (context.watch.peers_answered()) rank_group.control().barrier();
    return;
  }
  const std::string problem = write(trace, request.folder, rank_group);
  for (const std::string& text : rank_group.control().gather(problem)) {
    if (text.empty() || outcome.not_saved) continue;
    const auto record = error_from_json(nlohmann::json::parse(text));
    outcome.not_saved = std::make_exception_ptr(record ? Error(*record) : bug(text));
  }
}

}  // namespace scalemark::running
