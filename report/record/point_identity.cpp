#include "report/record/point_identity.h"

#include <numeric>
#include <sstream>
#include <string>

#include "core/base/error.h"
#include "core/plan/estimates.h"
#include "core/settings/checks.h"
#include "core/settings/notes.h"
#include "core/settings/processes.h"

namespace scalemark::reporting {
namespace {

// A sweep's plan writes 0 where a skipped point has no size.
std::optional<std::int64_t> if_any(std::int64_t size) {
  return size > 0 ? std::optional(size) : std::nullopt;
}

std::string warmup_method(const settings::Settings& settings, const planning::RunLength& length) {
  if (settings.measuring.epochs) return "none: every step of every epoch is counted";
  if (length.warmup_iters) return "steps as asked";
  std::ostringstream text;
  text << "at least " << length.least_warmup_steps << " steps and " << length.least_warmup_s
       << " s";
  const bool is_cut = length.most_warmup_s && *length.most_warmup_s <= length.least_warmup_s;
  if (is_cut) {
    text << ", cut to " << *length.most_warmup_s << " s";
  } else {
    text << ", then until step times have settled, at most " << planning::latest_warmup_s(length)
         << " s";
  }
  return text.str();
}

}  // namespace

PointRecord point_identity(const settings::Settings& settings, const planning::RunLength& length,
                           const RanksOfPoint& ranks, const catalogue::Workload& workload,
                           const catalogue::ModelShape& shape) {
  const auto& parallel = settings.parallel;
  PointRecord point;
  point.group = planning::point_name(settings, ranks.world_size);
  point.id = point.group + "/r0";
  point.workload = settings.task.workload;
  point.task = settings.task.task;
  point.strategy = parallel.strategy;
  point.gradient_compression = name_of(parallel.gradient_compression);
  point.backend = parallel.backend;
  point.device = name_of(parallel.device);
  point.precision = name_of(parallel.precision);
  point.memory_format = name_of(parallel.memory_format);
  point.overlap = parallel.overlap;
  point.threads = parallel.threads;
  point.world_size = ranks.world_size;
  point.processes = settings::process_count(settings::process_kind_of(parallel), ranks.world_size);
  point.nodes = ranks.nodes;
  point.members.resize(static_cast<std::size_t>(point.processes));
  std::iota(point.members.begin(), point.members.end(), 0);
  point.batch_size = if_any(settings.size.batch_size);
  point.gradient_accumulation_steps = if_any(settings.size.gradient_accumulation_steps);
  point.global_batch_size = settings.size.global_batch_size;
  point.bucket_cap_mb = parallel.bucket_cap_mb;
  if (workload.data_kind == catalogue::DataKind::kImages) point.image_size = shape.image_size;
  if (workload.data_kind == catalogue::DataKind::kText)
    point.sequence_length = shape.sequence_length;
  if (settings::serves(workload, "activation_checkpointing"))
    point.activation_checkpointing = parallel.activation_checkpointing;
  if (settings::serves(workload, "stochastic_depth"))
    point.stochastic_depth = settings.recipe.stochastic_depth;
  if (settings::has_fused_layers(settings, workload)) point.fused_layers = parallel.fused_layers;
  if (parallel.device == settings::DeviceKind::kCuda) point.cuda_graphs = parallel.cuda_graphs;
  point.data = settings.task.data;
  point.env = settings.launch.environment;
  point.parameters = workload.parameters(shape);
  point.flops_per_sample = workload.flops_per_sample(shape);
  point.memory_estimate_bytes = catalogue::estimated_memory_bytes(
      workload, planning::memory_question(settings, shape, ranks.world_size));
  point.warmup_method = warmup_method(settings, length);
  return point;
}

PointRecord point_identity(const planning::PlannedPoint& point) {
  const auto& task = point.settings.task;
  const catalogue::Workload* workload = catalogue::find_workload(task.workload);
  if (!workload) throw bug("a planned point without a workload: " + task.workload);
  const catalogue::ModelShape shape = catalogue::resolved_shape(
      *workload, {.image_size = task.image_size, .sequence_length = task.sequence_length});
  PointRecord row = point_identity(point.settings, point.length, {.world_size = point.world_size},
                                   *workload, shape);
  row.group = point.group;
  row.varying = {point.varying.begin(), point.varying.end()};
  row.members = point.members;
  return row;
}

}  // namespace scalemark::reporting
