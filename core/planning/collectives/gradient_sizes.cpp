#include "core/planning/collectives/gradient_sizes.h"

#include <algorithm>
#include <set>

#include "core/catalogue/workload.h"

namespace scalemark::planning {
namespace {

constexpr std::int64_t kFirstBucket = (std::int64_t{1} << 20) / 4;  // elements of float32
constexpr std::int64_t kBucket = 25 * kFirstBucket;

}  // namespace

std::vector<collectives::MessageSize> gradient_sizes(std::string_view workload) {
  const catalogue::Workload* found = catalogue::find_workload(workload);
  if (!found) return {};
  const std::int64_t all = found->parameters(catalogue::resolved_shape(*found, {}));
  std::set<std::int64_t> counts{all, std::min(all, kFirstBucket)};
  const std::int64_t rest = all - std::min(all, kFirstBucket);
  if (rest >= kBucket) counts.insert(kBucket);
  if (rest % kBucket > 0) counts.insert(rest % kBucket);
  std::vector<collectives::MessageSize> sizes;
  for (const std::int64_t count : counts) sizes.push_back({.count = count, .elements = true});
  return sizes;
}

}  // namespace scalemark::planning
