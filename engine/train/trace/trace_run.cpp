#include "engine/train/trace/trace_run.h"

#include <ATen/record_function.h>
#include <torch/csrc/autograd/profiler_kineto.h>
#include <torch/csrc/profiler/kineto_shim.h>

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/field.h"
#include "core/base/number_words.h"
#include "core/base/text.h"
#include "engine/step/measurement/range_marker.h"
#include "engine/step/measurement/window_timer.h"
#include "engine/train/window.h"

namespace scalemark::running {
namespace {

using StepTrace = std::unique_ptr<torch::autograd::profiler::ProfilerResult>;

namespace kineto = torch::autograd::profiler;
using torch::profiler::impl::ActivityType;
using torch::profiler::impl::ProfilerConfig;
using torch::profiler::impl::ProfilerState;

class TraceRanges final : public device::Ranges {
 public:
  void begin_step(std::int64_t step) override { open("ProfilerStep#" + std::to_string(step)); }
  void begin(const char* name) override { open(name); }
  void end() override { open_.pop_back(); }

 private:
  // Makes a range like Python's record_function(), of the trace's category "user_annotation".
  void open(std::string name) {
    auto range = std::make_unique<at::RecordFunction>(at::RecordScope::USER_SCOPE);
    if (range->isActive()) range->before(std::move(name));
    open_.push_back(std::move(range));
  }

  std::vector<std::unique_ptr<at::RecordFunction>> open_;
};

// Makes an id like Python's default: 32 hexadecimal digits.
std::string random_id() {
  std::random_device random;
  std::string id;
  for (int i = 0; i < 4; ++i) {
    char digits[9];
    std::snprintf(digits, sizeof digits, "%08X", random());
    id += digits;
  }
  return id;
}

ProfilerConfig new_config() {
  return ProfilerConfig(ProfilerState::KINETO, /*report_input_shapes=*/false,
                        /*profile_memory=*/false, /*with_stack=*/false, /*with_flops=*/false,
                        /*with_modules=*/false, {}, random_id());
}

// Ends the profiler where a step throws.
class Recording {
 public:
  explicit Recording(bool cuda) {
    if (cuda) activities_.insert(ActivityType::CUDA);
    kineto::prepareProfiler(config_, activities_);
  }
  ~Recording() {
    if (!is_on_) return;
    try {
      kineto::disableProfiler();
    } catch (...) {  // the step's own exception is more useful
    }
  }
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  void begin() {
    kineto::enableProfiler(config_, activities_);
    is_on_ = true;
  }
  StepTrace end() {
    is_on_ = false;
    return kineto::disableProfiler();
  }

 private:
  ProfilerConfig config_ = new_config();
  std::set<ActivityType> activities_{ActivityType::CPU};
  bool is_on_ = false;
};

// Records steps as Python's torch.profiler does: with the same configuration, ranges of the same
// kind, and its data on the process groups. It runs one step while the profiler is ready but not
// recording (a GPU's activities begin to be collected meanwhile), then `steps` recorded ones, as a
// plain continuation of the training. Collective where steps are. `distributed_info` is JSON.
// Returns null when an agreed stop came in between.
StepTrace trace_steps(const StepContext& context, std::int64_t steps,
                      const std::string& distributed_info) {
  context.watch.begin("trace", steps + 1, context.micro_steps);
  context.watch.count(context.step);
  measurement::NoMarker no_marker;
  Recording recording(context.device.torch_device().is_cuda());
  if (!run_watched(context, no_marker)) return nullptr;
  context.device.synchronize();
  context.control.barrier();

  TraceRanges ranges;
  measurement::RangeMarker marker(no_marker, ranges, context.micro_steps,
                                  context.step.steps_done());
  recording.begin();
  kineto::addMetadataJson("distributedInfo", distributed_info);
  for (std::int64_t i = 0; i < steps; ++i) {
    if (!run_watched(context, marker)) return nullptr;
  }
  context.device.synchronize();  // the trace then has a GPU's last activities, too
  return recording.end();
}

namespace fs = std::filesystem;

// Reads the file again, since Kineto does not report that it could not write it.
bool is_whole(const fs::path& file) {
  std::ifstream text(file, std::ios::binary);
  return text && nlohmann::json::accept(text);
}

Error not_written(const fs::path& file) {
  std::error_code unknown;
  const fs::space_info disk = fs::space(file.parent_path(), unknown);
  return io_error("cannot write " + file.string() + ": it is missing or ends too early" +
                      (unknown ? "" : "; its disk has " + size_text(disk.available) + " left"),
                  {}, "free space there, or choose another --trace");
}

// Returns "FOLDER/rank0.pt.trace.json", with the ending that TensorBoard's profiler plugin needs.
fs::path trace_file(const fs::path& folder, int rank) {
  return folder / ("rank" + std::to_string(rank) + ".pt.trace.json");
}

// Removes the traces of ranks from `first` on, which an earlier run with more ranks left and which
// would be taken for this run's. Best effort.
void remove_traces_from(const fs::path& folder, int first) {
  std::error_code ignored;
  for (int rank = first; fs::remove(trace_file(folder, rank), ignored); ++rank) {
  }
}

// Makes the folder and replaces the file. Throws cannot_create() (73) or io_error() (74), and then
// leaves no file.
void write_trace(const StepTrace& trace, const fs::path& file) {
  std::error_code error;
  fs::create_directories(file.parent_path(), error);
  if (error) {
    throw cannot_create("cannot create " + file.parent_path().string() + ": " + error.message());
  }
  fs::remove(file, error);  // an old file would pass for the new one
  if (error) throw cannot_create("cannot replace " + file.string() + ": " + error.message());
  trace->save(file.string());
  if (is_whole(file)) return;
  // The reason is determined before the incomplete file is removed and its space is free again.
  const Error problem = not_written(file);
  fs::remove(file, error);
  fs::remove(file.string() + ".tmp", error);  // Kineto's temporary file
  throw problem;
}

std::string quoted(const std::string& word) { return std::string("\"") + word + "\""; }

std::string member(const char* name, const std::string& value) {
  return quoted(name) + ": " + value;
}

std::string ranks_of(const launching::World& world) {
  std::vector<std::string> ranks;
  for (int i = 0; i < world.world_size; ++i) ranks.push_back(std::to_string(i));
  return std::string("[") + joined(ranks, ", ") + "]";
}

// Writes what torch.profiler writes of the default process group, letter for letter: HTA searches
// for the rank with its space before the number.
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

// Returns the error, if any, for rank 0.
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
  for (const auto& of_rank : distributed::gathered(rank_group.control(), problem)) {
    if (!outcome.not_saved) outcome.not_saved = of_rank;
  }
}

}  // namespace scalemark::running
