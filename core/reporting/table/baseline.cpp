#include "core/reporting/table/baseline.h"

#include <tuple>

#include "core/catalogue/strategy.h"

namespace scalemark::reporting {
namespace {

// What must agree for a comparison to mean anything. threads is among them: METRICS.md, "threads".
auto settings_of(const PointRecord& p) {
  return std::tie(p.workload, p.task, p.device, p.device_name, p.precision, p.memory_format,
                  p.threads, p.image_size, p.sequence_length, p.data);
}

bool is_weak(const PointRecord& point, const PointRecord& one) {
  return one.batch_size == point.batch_size &&
         one.gradient_accumulation_steps == point.gradient_accumulation_steps;
}

}  // namespace

std::optional<SpeedUp> speed_up(const PointRecord& point,
                                std::span<const PointRecord* const> points) {
  if (point.status != PointStatus::kOk) return std::nullopt;
  const PointRecord* best = nullptr;
  int best_rank = -1;
  for (const PointRecord* one : points) {
    if (one->status != PointStatus::kOk || one->world_size != 1) continue;
    if (settings_of(*one) != settings_of(point)) continue;
    const bool weak = is_weak(point, *one);
    if (!weak && one->global_batch_size != point.global_batch_size) continue;
    const int rank = (weak ? 2 : 0) + (catalogue::exchanges(one->strategy) ? 0 : 1);
    if (rank < best_rank) continue;
    best = one;
    best_rank = rank;
  }
  if (!best) return std::nullopt;
  const double speedup = point.samples_per_sec / best->samples_per_sec;
  return SpeedUp{best, speedup, speedup / point.world_size, best_rank < 2};
}

}  // namespace scalemark::reporting
