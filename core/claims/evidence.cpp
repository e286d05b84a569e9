#include "core/claims/evidence.h"

#include <algorithm>
#include <cmath>

#include "core/collectives/words.h"
#include "core/reporting/record/verdict.h"

namespace scalemark::claims {
namespace {

using published::Mapped;
using published::Row;
using reporting::CollectiveGroup;
using reporting::EffectRecord;
using reporting::GroupRecord;
using reporting::OverRuns;
using reporting::PointRecord;
using reporting::Report;

const PointRecord* first_of(const Report& report, const std::string& group) {
  const auto found = std::ranges::find_if(report.points, [&](const PointRecord& point) {
    return point.group == group && point.status == reporting::PointStatus::kOk;
  });
  return found == report.points.end() ? nullptr : &*found;
}

bool fits(const PointRecord& point, const Mapped& run, const std::string& precision) {
  const bool alone = run.world_size.value_or(1) == 1;
  return point.workload == run.workload && (precision.empty() || point.precision == precision) &&
         point.world_size == run.world_size.value_or(1) &&
         (!run.batch_size || point.batch_size == run.batch_size) &&
         (!run.sequence_length || point.sequence_length == run.sequence_length) &&
         (!run.gradient_accumulation_steps ||
          point.gradient_accumulation_steps == run.gradient_accumulation_steps) &&
         (alone || run.strategy.empty() || point.strategy == run.strategy);
}

Measured about(const Report& report, const PointRecord& point) {
  Measured measured;
  measured.device_name = point.device_name;
  measured.precision = point.precision;
  measured.world_size = point.world_size;
  measured.scaled_down = !report.scaled_down.empty();
  return measured;
}

// A report in which the run was scaled down holds other batches: they are taken as they are.
struct Found {
  const Report* report = nullptr;
  const GroupRecord* group = nullptr;
  const PointRecord* point = nullptr;
};
std::optional<Found> find_group(Reports reports, const Mapped& run) {
  std::vector<std::string> precisions = run.precisions;
  if (precisions.empty()) precisions.emplace_back();
  for (const std::string& precision : precisions) {
    for (const Report& report : reports) {
      for (const GroupRecord& group : report.groups) {
        const PointRecord* point = first_of(report, group.group);
        if (point && group.samples_per_sec && fits(*point, run, precision))
          return Found{&report, &group, point};
      }
    }
  }
  return std::nullopt;
}

// Half of a 95 % interval of ln of a rate; absent of one run.
std::optional<double> half_width(const std::optional<double>& low,
                                 const std::optional<double>& high) {
  if (!low || !high || !(*low > 0)) return std::nullopt;
  return 0.5 * std::log(*high / *low);
}

void set_interval(Measured& measured, const std::optional<double>& half) {
  if (!half) return;
  measured.low = measured.value * std::exp(-*half);
  measured.high = measured.value * std::exp(*half);
}

std::optional<double> together(const std::optional<double>& a, const std::optional<double>& b) {
  if (!a || !b) return std::nullopt;
  return std::sqrt(*a * *a + *b * *b);  // hypot() would need a newer glibc
}

// A scaling table has the speed-up with the interval of its pairs.
void pair_speedup(const Found& found, Measured& measured) {
  for (const auto& table : found.report->scaling) {
    for (const auto& row : table.rows) {
      if (row.group != found.group->group || !row.speedup || !row.efficiency ||
          !table.relative_to.starts_with("1 rank"))
        continue;
      measured.value = *row.speedup;
      if (!row.efficiency_ci95_low || !row.efficiency_ci95_high) continue;
      measured.low = *row.speedup * *row.efficiency_ci95_low / *row.efficiency;
      measured.high = *row.speedup * *row.efficiency_ci95_high / *row.efficiency;
    }
  }
}

// Runs that something else disturbed decide nothing, as in a sweep's own verdicts.
void refuse_disturbed(const Report& report, Measured& measured) {
  const auto disturbed = reporting::disturbed_runs(report.findings);
  for (const std::string& group : measured.groups) {
    std::ptrdiff_t all = 0, fit = 0;
    for (const PointRecord& point : report.points) {
      if (point.group != group || point.status != reporting::PointStatus::kOk) continue;
      all++;
      fit += !disturbed.contains(point.id);
    }
    if (all > 0 && (fit == 0 || !reporting::fit_decide(fit, all))) measured.disturbed = true;
  }
  if (!measured.disturbed) return;
  measured.low.reset();
  measured.high.reset();
}

const GroupRecord* group_named(const Report& report, const std::string& name) {
  const auto found = std::ranges::find(report.groups, name, &GroupRecord::group);
  return found == report.groups.end() ? nullptr : &*found;
}

// Mean over the ok runs of a group.
template <class Of>
std::optional<double> mean_of(const Report& report, const std::string& group, Of of) {
  double sum = 0;
  int n = 0;
  for (const PointRecord& point : report.points) {
    if (point.group != group || point.status != reporting::PointStatus::kOk) continue;
    sum += of(point);
    n++;
  }
  return n > 0 && sum > 0 ? std::optional(sum / n) : std::nullopt;
}

void set_exactly(Measured& measured, const std::optional<double>& above,
                 const std::optional<double>& below) {
  measured.value = above && below ? *above / *below : 0;
  // Bytes do not vary from run to run.
  measured.low = measured.high = measured.value;
}

void set_cost(Measured& measured, const Report& report, const std::string& to,
              const std::string& from) {
  const GroupRecord *above = group_named(report, to), *below = group_named(report, from);
  const auto cost = [](const GroupRecord* group) {
    return group && group->communication ? group->communication->cost_s : std::nullopt;
  };
  if (!cost(above) || !cost(below) || !(*cost(above) > 0) || !(*cost(below) > 0)) return;
  measured.value = *cost(above) / *cost(below);
  set_interval(
      measured,
      together(
          half_width(above->communication->cost_ci95.low, above->communication->cost_ci95.high),
          half_width(below->communication->cost_ci95.low, below->communication->cost_ci95.high)));
}

std::optional<double> efficiency_of(const Report& report, const std::string& group,
                                    std::optional<double>& half) {
  for (const auto& table : report.scaling) {
    for (const auto& row : table.rows) {
      if (row.group != group || !row.efficiency) continue;
      half = half_width(row.efficiency_ci95_low, row.efficiency_ci95_high);
      return row.efficiency;
    }
  }
  return std::nullopt;
}

// `forward`: the effect is from the row's "from" to its "to"; else the other way round.
Measured change_in(const Report& report, const EffectRecord& effect, const Row& row, bool forward) {
  const std::string &from = effect.groups[forward ? 0 : 1], &to = effect.groups[forward ? 1 : 0];
  const PointRecord* point = first_of(report, to);
  Measured measured = point ? about(report, *point) : Measured{};
  measured.runs = effect.pairs;
  measured.groups = {from, to};
  if (row.metric == "memory_bytes") {
    const auto bytes = [](const PointRecord& p) {
      return static_cast<double>(p.memory_peak_bytes);
    };
    set_exactly(measured, mean_of(report, to, bytes), mean_of(report, from, bytes));
  } else if (row.metric == "payload_bytes") {
    const auto bytes = [](const PointRecord& p) { return p.payload_bytes_per_step; };
    set_exactly(measured, mean_of(report, to, bytes), mean_of(report, from, bytes));
  } else if (row.metric == "communication_cost_s") {
    set_cost(measured, report, to, from);
  } else if (row.metric == "efficiency") {
    std::optional<double> half_to, half_from;
    const auto above = efficiency_of(report, to, half_to),
               below = efficiency_of(report, from, half_from);
    if (above && below && *below > 0) measured.value = *above / *below;
    set_interval(measured, together(half_to, half_from));
  } else {
    // A step of the same samples takes 1 / throughput.
    const bool inverse = (row.metric == "step_s") == forward;
    const auto turned = [&](double ratio) { return inverse ? 1 / ratio : ratio; };
    measured.value = turned(effect.ratio);
    if (effect.ratio_ci95_low && effect.ratio_ci95_high && *effect.ratio_ci95_low > 0) {
      measured.low = std::min(turned(*effect.ratio_ci95_low), turned(*effect.ratio_ci95_high));
      measured.high = std::max(turned(*effect.ratio_ci95_low), turned(*effect.ratio_ci95_high));
    }
  }
  return measured;
}

std::int64_t ranks_of(const std::map<std::string, std::string>& fixed) {
  const auto found = fixed.find("world_size");
  return found == fixed.end() ? 0 : std::atoll(found->second.c_str());
}

bool agrees(const EffectRecord& effect, const Row& row) {
  const auto workload = effect.fixed.find("workload");
  if (workload != effect.fixed.end() && !row.workload.empty() && workload->second != row.workload)
    return false;
  return std::ranges::all_of(row.conditions, [&](const auto& condition) {
    const auto fixed = effect.fixed.find(condition.first);
    return fixed == effect.fixed.end() || fixed->second == condition.second;
  });
}

const OverRuns& value_of(const CollectiveGroup& group, const std::string& metric) {
  if (metric == "latency_s") return group.latency_p50_s;
  return metric == "busbw_GBps" ? group.busbw_GBps : group.algbw_GBps;
}

// Latency is asked of the smallest size, bandwidth of the largest, unless the row has one; of the
// most ranks.
const CollectiveGroup* best_group(const Report& report, const Row& row,
                                  const std::string& backend) {
  const CollectiveGroup* best = nullptr;
  const bool small = row.metric == "latency_s";
  for (const CollectiveGroup& group : report.collective_groups) {
    const bool is_it =
        std::string(name_of(group.collective)) == row.collective.value_or("all-reduce") &&
        (backend.empty() || group.backend == backend) &&
        (!row.bytes || group.bytes == *row.bytes) && (!row.gpus || group.world_size == *row.gpus) &&
        value_of(group, row.metric).value;
    if (!is_it || group.overlap_compute || group.congestion) continue;
    const bool better = !best || group.world_size > best->world_size ||
                        (group.world_size == best->world_size &&
                         (small ? group.bytes < best->bytes : group.bytes > best->bytes));
    if (better) best = &group;
  }
  return best;
}

Measured of_group(const Report& report, const CollectiveGroup& group, const std::string& metric) {
  const OverRuns& found = value_of(group, metric);
  Measured measured{.value = *found.value,
                    .low = found.ci95.low,
                    .high = found.ci95.high,
                    .runs = group.n,
                    .groups = {group.group}};
  measured.device_name = group.device;
  measured.world_size = group.world_size;
  measured.scaled_down = !report.scaled_down.empty();
  return measured;
}

}  // namespace

std::optional<Measured> throughput_of(Reports reports, const Mapped& run) {
  const auto found = find_group(reports, run);
  if (!found) return std::nullopt;
  Measured measured = about(*found->report, *found->point);
  measured.value = *found->group->samples_per_sec;
  measured.low = found->group->ci95_low;
  measured.high = found->group->ci95_high;
  measured.runs = found->group->n;
  measured.groups = {found->group->group};
  refuse_disturbed(*found->report, measured);
  return measured;
}

std::optional<Measured> speedup_of(Reports reports, const Mapped& run, const Mapped& base) {
  const auto above = find_group(reports, run), below = find_group(reports, base);
  if (!above || !below) return std::nullopt;
  Measured measured = about(*above->report, *above->point);
  measured.value = *above->group->samples_per_sec / *below->group->samples_per_sec;
  measured.runs = std::min(above->group->n, below->group->n);
  measured.groups = {below->group->group, above->group->group};
  set_interval(measured, together(half_width(above->group->ci95_low, above->group->ci95_high),
                                  half_width(below->group->ci95_low, below->group->ci95_high)));
  if (base.world_size.value_or(1) == 1) pair_speedup(*above, measured);
  refuse_disturbed(*above->report, measured);
  return measured;
}

std::optional<Measured> change_of(Reports reports, const Row& row) {
  std::optional<Measured> best;
  std::int64_t most = -1;
  for (const Report& report : reports) {
    for (const EffectRecord& effect : report.effects) {
      if (effect.axis != row.relative_to->option || effect.groups.size() != 2 ||
          !agrees(effect, row))
        continue;
      const bool forward = effect.from == row.relative_to->from && effect.to == row.relative_to->to;
      const bool backward =
          effect.to == row.relative_to->from && effect.from == row.relative_to->to;
      const std::int64_t ranks = ranks_of(effect.fixed);
      // The claim's own number of ranks, else the most.
      const bool wanted = row.gpus && ranks == *row.gpus;
      if ((!forward && !backward) || (ranks <= most && !wanted)) continue;
      Measured measured = change_in(report, effect, row, forward);
      if (!(measured.value > 0)) continue;
      // Bytes are not disturbed.
      if (row.metric != "memory_bytes" && row.metric != "payload_bytes")
        refuse_disturbed(report, measured);
      most = wanted ? INT64_MAX : ranks;
      best = std::move(measured);
    }
  }
  return best;
}

std::optional<Measured> collective_of(Reports reports, const Row& row) {
  for (const Report& report : reports) {
    if (!row.relative_to) {
      if (const auto* group = best_group(report, row, row.backend.value_or("")))
        return of_group(report, *group, row.metric);
      continue;
    }
    const auto *to = best_group(report, row, row.relative_to->to.value_or("")),
               *from = best_group(report, row, row.relative_to->from.value_or(""));
    if (row.relative_to->option != "backend" || !to || !from || to->bytes != from->bytes) continue;
    Measured above = of_group(report, *to, row.metric);
    const Measured below = of_group(report, *from, row.metric);
    const auto half =
        together(half_width(above.low, above.high), half_width(below.low, below.high));
    above.value /= below.value;
    above.low.reset();
    above.high.reset();
    set_interval(above, half);
    above.groups.insert(above.groups.begin(), below.groups.front());
    return above;
  }
  return std::nullopt;
}

}  // namespace scalemark::claims
