// Gathers the parts of explain(): the row, how much of its exchange is hidden, the network's own
// time for its buckets, and what is slow.

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "core/base/error.h"
#include "core/base/number_words.h"
#include "core/base/text.h"
#include "core/catalogue/strategy.h"
#include "core/statistics/others.h"
#include "report/record/finding_kinds.h"
#include "report/record/point_facts.h"
#include "report/record/surety.h"
#include "report/record/verdict.h"
#include "report/say/explain/explain.h"

namespace scalemark::reporting {
namespace {

bool has_efficiency_to_explain(const ScalingTable& table, const ScalingRow& row) {
  return row.world_size > 1 && row.points != table.baseline_points &&
         ((row.speedup && row.efficiency) || row.standing.is_withheld()) &&
         catalogue::exchanges(row.strategy);
}

std::vector<ChosenRow> rows_of(const Report& report) {
  std::vector<ChosenRow> all;
  for (const ScalingTable& table : report.scaling) {
    for (const ScalingRow& row : table.rows) {
      if (has_efficiency_to_explain(table, row)) all.push_back({&table, &row});
    }
  }
  return all;
}

// Prefers rows whose numbers may be shown, then more ranks, then the larger loss.
bool asks_more(const ChosenRow& a, const ChosenRow& b) {
  const bool a_is_withheld = a.row->standing.is_withheld();
  if (a_is_withheld != b.row->standing.is_withheld()) return !a_is_withheld;
  if (a.row->world_size != b.row->world_size) return a.row->world_size > b.row->world_size;
  return a.row->efficiency < b.row->efficiency;
}

}  // namespace

bool has_row_to_explain(const Report& report) { return !rows_of(report).empty(); }

ChosenRow choose_row(const Report& report, const std::string& group,
                     const std::vector<const Report*>& collectives) {
  std::vector<ChosenRow> rows = rows_of(report);
  if (rows.empty()) {
    throw configuration("the report has no row to explain",
                        "a scaling table with 2 ranks or more that exchange gradients is expected",
                        "measure one: scalemark sweep --world-sizes 1,2 ...");
  }
  std::ranges::stable_sort(rows, asks_more);
  if (group.empty()) {
    const auto explained = std::ranges::find_if(rows, [&](const ChosenRow& chosen) {
      const auto runs = runs_of(report, *chosen.row);
      return !runs.empty() && bucket_times(*runs.front(), collectives).has_value();
    });
    return explained == rows.end() ? rows.front() : *explained;
  }
  const auto found = std::ranges::find_if(
      rows, [&](const ChosenRow& chosen) { return chosen.row->group == group; });
  if (found != rows.end()) return *found;
  std::set<std::string> groups;
  for (const ChosenRow& chosen : rows) groups.insert(chosen.row->group);
  throw configuration("--group is '" + group + "'",
                      "a group of its scaling tables: " + listed(groups, 20));
}

std::vector<const PointRecord*> runs_of(const Report& report, const ScalingRow& row) {
  std::vector<const PointRecord*> runs;
  for (const PointRecord& point : report.points) {
    const bool is_in = std::ranges::find(row.points, point.id) != row.points.end();
    const bool is_shown = point.status == PointStatus::kOk && !point.standing.is_withheld();
    if (is_in && is_shown) runs.push_back(&point);
  }
  return runs;
}

namespace {

// Reads one run. Backward ends when its last bucket is ready (METRICS.md, bucket_timeline).
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

namespace {

using collectives::Collective;
using collectives::DataType;

// Converts "all_reduce" to kAllReduce. Returns the recorded collective, or what the strategy must
// use (--epochs times no buckets), or nothing where neither is known.
std::optional<Collective> collective_of(const PointRecord& run) {
  if (run.bucket_timeline.empty()) {
    return catalogue::sums_everything(run.strategy) ? std::optional(Collective::kAllReduce)
                                                    : std::nullopt;
  }
  std::string word = run.bucket_timeline.front().collective;
  std::ranges::replace(word, '_', '-');
  return find_word<Collective>(word);
}

// Maps ln(bytes) to ln(seconds).
using Course = std::map<double, double>;

// A compression has the name of the format that is sent.
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

// Returns a bucket's size as `comm` counts it. A gather counts what all processes contribute
// (METRICS.md).
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

// A bucket that is padded to whole cache lines is a little larger than its contents.
constexpr double kFilling = 0.01;

// Interpolates on the straight line between two measured sizes. Returns nothing outside of them.
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

namespace {

namespace kinds = finding_kinds;

constexpr double kSlowDevice = 0.02;  // a slow device is below the others' median by this share

std::string place_of(const DeviceRecord& device) {
  return "rank " + std::to_string(device.rank) + " (" + device.host +
         (device.device.empty() ? "" : ", " + device.device) + ")";
}

std::string text_of(const DeviceRecord& device, bool of_two) {
  return place_of(device) + ": by itself " + percent(-*device.deviation) + " slower than the " +
         (of_two ? "other one (" : "median of the others (") +
         percent_text(-*device.deviation_ci95.high) + " to " +
         percent_text(-*device.deviation_ci95.low) + ")" +
         (of_two ? "; of two, neither can be said to be at fault" : "");
}

// A device that was replaced is one more of its group, and not of a run.
bool is_of_two(const Report& report, const DeviceRecord& device) {
  const PointRecord* run = first_run(report.points, device.group);
  const auto all = run ? std::ptrdiff_t{run->world_size}
                       : std::ranges::count(report.devices, device.group, &DeviceRecord::group);
  return all < static_cast<std::ptrdiff_t>(statistics::kPartsToBlame);
}

bool is_slow(const DeviceRecord& device) {
  return device.deviation && device.deviation_ci95 && *device.deviation_ci95.high < -kSlowDevice;
}

void add_links(const Report& report, std::vector<std::string>& all) {
  for (const Finding& finding : report.findings) {
    if (role_of(finding.code) == FindingRole::kNamesLink) all.push_back(finding.text);
  }
}

bool is_at(const EffectRecord& effect, const ScalingRow& row) {
  const auto ranks = effect.fixed.find("world_size");
  return effect.axis != "world_size" && ranks != effect.fixed.end() &&
         ranks->second == std::to_string(row.world_size);
}

}  // namespace

SlowParts slow_parts(const Report& report, const ScalingRow& row,
                     const std::vector<const Report*>& collectives) {
  SlowParts all;
  for (const Finding& finding : report.findings) {
    const auto is_it = [&](const Straggler& rank) {
      return rank.group == row.group && is_named(rank.verdict) && names(finding, rank);
    };
    const auto rank = std::ranges::find_if(report.stragglers, is_it);
    if (rank == report.stragglers.end()) continue;
    (rank->verdict == RankVerdict::kStraggler ? all.proven : all.of_two)
        .push_back(brief_text(finding));
  }
  std::set<std::string> added;  // a device may be in several solo groups
  for (const DeviceRecord& device : report.devices) {
    if (!is_slow(device) || !added.insert(place_of(device)).second) continue;
    const bool of_two = is_of_two(report, device);
    (of_two ? all.of_two : all.proven).push_back(text_of(device, of_two));
  }
  add_links(report, all.proven);
  for (const Report* measured : collectives) add_links(*measured, all.proven);
  return all;
}

std::vector<std::string> disturbances(const Report& report, const ChosenRow& chosen) {
  const auto is_in = [&](const std::string& id) {
    const auto holds = [&](const auto& ids) { return std::ranges::find(ids, id) != ids.end(); };
    return holds(chosen.row->points) || holds(chosen.table->baseline_points);
  };
  const auto is_found = [&](std::string_view code) {
    return std::ranges::any_of(report.findings, [&](const Finding& finding) {
      return finding.code == code && is_in(finding.point);
    });
  };
  std::vector<std::string> all;
  const auto& verdict = report.verdict;
  for (const VerdictReason& reason : verdict ? verdict->reasons : std::vector<VerdictReason>()) {
    if (disturbs(reason.code) && is_found(reason.code)) all.push_back(reason.text);
  }
  for (const Finding& finding : report.findings) {
    if (finding.code != kinds::gpu_waits.code || !is_in(finding.point)) continue;
    all.push_back(finding.text);
    break;
  }
  return all;
}

bool compares_options(const Report& report, const ScalingRow& row) {
  return std::ranges::any_of(report.effects,
                             [&](const EffectRecord& effect) { return is_at(effect, row); });
}

const EffectRecord* best_effect(const Report& report, const ScalingRow& row) {
  const EffectRecord* best = nullptr;
  for (const EffectRecord& effect : report.effects) {
    const bool helps = effect.verdict == statistics::EffectVerdict::kReal && effect.ratio > 1;
    if (!helps || effect.standing.is_withheld() || !is_at(effect, row)) continue;
    const auto proven = [](const EffectRecord& one) {
      return one.ratio_ci95.low.value_or(one.ratio);
    };
    if (!best || proven(effect) > proven(*best)) best = &effect;
  }
  return best;
}

}  // namespace scalemark::reporting
