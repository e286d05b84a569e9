#include <algorithm>
#include <cmath>
#include <map>

#include "core/reporting/explain/parts.h"

namespace scalemark::reporting {
namespace {

using collectives::DataType;

// ln(seconds) over ln(bytes), ascending.
using Course = std::map<double, double>;

DataType type_of(const PointRecord& run) {
  const auto compressed = find_word<DataType>(run.gradient_compression);
  return compressed.value_or(DataType::kFp32);
}

bool is_like(const CollectiveGroup& group, const PointRecord& run) {
  return group.collective == collectives::Collective::kAllReduce &&
         group.via == collectives::Via::kC10d && group.backend == run.backend &&
         group.dtype == type_of(run) && group.world_size == run.world_size &&
         group.nodes == run.nodes && !group.overlap_compute && !group.congestion &&
         group.time_s.value && group.bytes > 0;
}

Course course_of(const PointRecord& run, const std::vector<const Report*>& reports) {
  Course course;
  for (const Report* report : reports) {
    for (const CollectiveGroup& group : report->collective_groups) {
      if (!is_like(group, run)) continue;
      course[std::log(static_cast<double>(group.bytes))] = std::log(*group.time_s.value);
    }
  }
  return course;
}

// Between two sizes that were measured, on the straight line through them; absent outside.
std::optional<double> time_of(double bytes, const Course& course) {
  const double x = std::log(bytes);
  const auto above = course.lower_bound(x);
  if (above == course.end()) return std::nullopt;
  if (above->first == x) return std::exp(above->second);
  if (above == course.begin()) return std::nullopt;
  const auto below = std::prev(above);
  const double share = (x - below->first) / (above->first - below->first);
  return std::exp(below->second + share * (above->second - below->second));
}

std::optional<double> sum_of(const std::vector<BucketTime>& sizes) {
  double sum = 0;
  for (const BucketTime& size : sizes) {
    if (!size.time_s) return std::nullopt;
    sum += size.buckets * *size.time_s;
  }
  return sum;
}

}  // namespace

std::optional<BucketTimes> bucket_times(const PointRecord& run,
                                        const std::vector<const Report*>& collectives) {
  const Course course = course_of(run, collectives);
  if (course.empty() || run.bucket_bytes.empty()) return std::nullopt;
  std::map<double, int> counts;
  for (const double bytes : run.bucket_bytes) ++counts[bytes];
  BucketTimes times;
  for (const auto& [bytes, buckets] : counts) {
    times.sizes.push_back({bytes, buckets, time_of(bytes, course)});
  }
  times.together_s = sum_of(times.sizes);
  times.measured_as = "all-reduce, " + std::string(name_of(type_of(run))) + ", over " +
                      run.backend + " on " + std::to_string(run.world_size) + " ranks";
  return times;
}

}  // namespace scalemark::reporting
