#include <algorithm>
#include <cmath>
#include <map>

#include "core/catalogue/strategy.h"
#include "core/reporting/explain/parts.h"
#include "core/reporting/record/surety.h"

namespace scalemark::reporting {
namespace {

using collectives::Collective;
using collectives::DataType;

// "all_reduce" -> kAllReduce, as recorded, or what the strategy must use (--epochs times no
// buckets). Absent where neither says.
std::optional<Collective> collective_of(const PointRecord& run) {
  if (run.bucket_timeline.empty()) {
    return catalogue::sums_everything(run.strategy) ? std::optional(Collective::kAllReduce)
                                                    : std::nullopt;
  }
  std::string word = run.bucket_timeline.front().collective;
  std::ranges::replace(word, '_', '-');
  return find_word<Collective>(word);
}

// ln(seconds) over ln(bytes), ascending.
using Course = std::map<double, double>;

// A compression is named after the format that travels.
DataType type_of(const PointRecord& run) {
  const auto compressed = find_word<DataType>(run.gradient_compression);
  return compressed.value_or(DataType::kFp32);
}

bool is_like(const CollectiveGroup& group, Collective collective, const PointRecord& run) {
  return group.collective == collective && group.via == collectives::Via::kC10d &&
         group.backend == run.backend && group.dtype == type_of(run) &&
         group.world_size == run.processes && group.nodes == run.nodes && !group.overlap_compute &&
         !group.congestion && group.time_s.value && group.bytes > 0 &&
         !is_disturbed(group.standing);
}

// A bucket's size as `comm` counts it: of a gather, what all processes bring (METRICS.md).
double size_of(double bucket_bytes, Collective collective, const PointRecord& run) {
  return collective == Collective::kGather ? bucket_bytes * run.processes : bucket_bytes;
}

Course course_of(const PointRecord& run, Collective collective,
                 const std::vector<const Report*>& reports) {
  Course course;
  for (const Report* report : reports) {
    for (const CollectiveGroup& group : report->collective_groups) {
      if (!is_like(group, collective, run)) continue;
      course[std::log(static_cast<double>(group.bytes))] = std::log(*group.time_s.value);
    }
  }
  return course;
}

// A bucket that is filled up to whole cache lines is a little larger than what it holds.
constexpr double kFilling = 0.01;

// Between two sizes that were measured, on the straight line through them; absent outside.
std::optional<double> time_of(double bytes, const Course& course) {
  const double largest = course.rbegin()->first;
  double x = std::log(bytes);
  if (x > largest && x <= largest + kFilling) x = largest;
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

std::optional<std::string> comm_command(const PointRecord& run) {
  const auto collective = collective_of(run);
  if (!collective) return std::nullopt;
  std::string command = "scalemark comm --collectives " + std::string(name_of(*collective)) +
                        " --world-sizes " + std::to_string(run.processes);
  if (type_of(run) != DataType::kFp32) command += " --dtypes " + std::string(name_of(type_of(run)));
  return command;
}

std::optional<BucketTimes> bucket_times(const PointRecord& run,
                                        const std::vector<const Report*>& collectives) {
  const auto collective = collective_of(run);
  if (!collective) return std::nullopt;
  const Course course = course_of(run, *collective, collectives);
  if (course.empty() || run.bucket_bytes.empty()) return std::nullopt;
  std::map<double, int> counts;
  for (const double bytes : run.bucket_bytes) ++counts[bytes];
  BucketTimes times{.whole_exchange = *collective == Collective::kAllReduce};
  for (const auto& [bytes, buckets] : counts) {
    times.sizes.push_back({bytes, buckets, time_of(size_of(bytes, *collective, run), course)});
  }
  times.together_s = sum_of(times.sizes);
  times.measured_as = std::string(name_of(*collective)) + ", " +
                      std::string(name_of(type_of(run))) + ", over " + run.backend + " on " +
                      std::to_string(run.processes) + " ranks";
  return times;
}

}  // namespace scalemark::reporting
