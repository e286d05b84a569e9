#include "core/planning/collectives/point_name.h"

#include "core/planning/collectives/support.h"

namespace scalemark::planning {

std::string point_name(const CollectivePoint& point, const std::string& size) {
  std::string name(name_of(point.collective));
  if (point.collective != collectives::Collective::kBarrier) {
    name += "-" + size + "-" + std::string(name_of(point.dtype));
  }
  name += "-w" + std::to_string(point.world_size) + "-" + point.backend;
  if (point.via == collectives::Via::kDirect) name += "-direct";
  if (point.in_place != usually_in_place(point.collective)) {
    name += point.in_place ? "-in-place" : "-out-of-place";
  }
  if (point.overlap_compute) name += "-overlap-compute";
  if (point.congestion) name += "-congestion";
  if (point.placement == settings::Placement::kSpread) name += "-spread";
  return name;
}

}  // namespace scalemark::planning
