#include <algorithm>

#include "core/reporting/explain/parts.h"

namespace scalemark::reporting {
namespace {

// Reads one run. Backward has ended when its last bucket is ready (METRICS.md, bucket_timeline).
Overlap overlap_in(const std::vector<BucketRecord>& timeline) {
  const double backward_end =
      std::ranges::max_element(timeline, {}, &BucketRecord::ready_s)->ready_s;
  Overlap overlap{.buckets = static_cast<int>(timeline.size())};
  double under_way = 0, hidden = 0;
  for (const BucketRecord& bucket : timeline) {
    const double took = bucket.end_s - bucket.start_s;
    under_way += took;
    hidden += bucket.hidden_share * took;
    overlap.after_backward_s = std::max(overlap.after_backward_s, bucket.end_s - backward_end);
    if (bucket.end_s <= backward_end) {
      ++overlap.hidden;
    } else {
      overlap.unhidden_bytes += bucket.bytes;
    }
  }
  overlap.hidden_share = under_way > 0 ? hidden / under_way : 0;
  return overlap;
}

}  // namespace

std::optional<Overlap> overlap_of(const std::vector<const PointRecord*>& runs) {
  std::optional<Overlap> all;
  for (const PointRecord* run : runs) {
    if (run->bucket_timeline.empty()) return std::nullopt;
    const Overlap one = overlap_in(run->bucket_timeline);
    if (!all) {
      all = one;
      continue;
    }
    all->hidden_share += one.hidden_share;
    all->after_backward_s += one.after_backward_s;
    all->hidden = std::min(all->hidden, one.hidden);
    all->unhidden_bytes = std::max(all->unhidden_bytes, one.unhidden_bytes);
  }
  if (all) {
    all->hidden_share /= static_cast<double>(runs.size());
    all->after_backward_s /= static_cast<double>(runs.size());
  }
  return all;
}

}  // namespace scalemark::reporting
