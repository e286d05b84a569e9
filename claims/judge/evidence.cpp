#include "claims/judge/evidence.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/words.h"
#include "core/settings/option.h"
#include "core/settings/reader.h"
#include "report/record/point_facts.h"
#include "report/record/runs.h"

namespace scalemark::claims {

void set_interval(Measured& ratio, const reporting::Bounds& above, const reporting::Bounds& below) {
  double squares = 0;  // half the widths of logarithms have them
  for (const reporting::Bounds& one : {above, below}) {
    if (!one.low || !one.high || !(*one.low > 0)) return;
    const double half = 0.5 * std::log(*one.high / *one.low);
    squares += half * half;
  }
  ratio.low = ratio.value * std::exp(-std::sqrt(squares));
  ratio.high = ratio.value * std::exp(std::sqrt(squares));
}

namespace {

using published::MappedPoint;
using published::Row;
using reporting::EffectRecord;
using reporting::GroupRecord;
using reporting::PointRecord;
using reporting::Report;

bool was_scaled(const Report& report, std::string_view option) {
  return std::ranges::any_of(report.scaled_down,
                             [&](const auto& change) { return change.option == option; });
}

// The value that --scale-down put in the place of `value` of an option whose values it made
// smaller; else `value` itself.
std::string scaled_value(const Report& report, const std::string& option,
                         const std::string& value) {
  for (const auto& change : report.scaled_down) {
    if (change.option != option || !settings::find_option(option)) continue;
    const auto values = [&](const std::string& text) {
      return settings::read_list(option, {text, "scale_down"}).texts;
    };
    const auto from = values(change.from), to = values(change.to);
    const auto at = static_cast<std::size_t>(std::ranges::find(from, value) - from.begin());
    if (from.size() == to.size() && at < to.size()) return to[at];
  }
  return value;
}

// Any value is accepted for an option that --scale-down changed. A claim that names no network is
// about any.
bool fits(const Report& report, const PointRecord& run, const MappedPoint& point,
          const std::string& precision) {
  const auto same = [&](const auto& wanted, const auto& found, std::string_view option) {
    return !wanted || found == wanted || was_scaled(report, option);
  };
  const bool alone = point.world_size.value_or(1) == 1;
  return (point.workload.empty() || run.workload == point.workload) &&
         (precision.empty() || run.precision == precision || was_scaled(report, "precision")) &&
         run.world_size == point.world_size.value_or(1) &&
         same(point.batch_size, run.batch_size, "batch_size") &&
         same(point.sequence_length, run.sequence_length, "sequence_length") &&
         same(point.gradient_accumulation_steps, run.gradient_accumulation_steps,
              "gradient_accumulation_steps") &&
         (alone || point.strategy.empty() || run.strategy == point.strategy);
}

Measured about(const Report& report, const PointRecord& run) {
  Measured measured;
  measured.device_name = run.device_name;
  measured.world_size = run.world_size;
  measured.nodes = run.nodes;
  measured.scaled_down = !report.scaled_down.empty();
  return measured;
}

struct Found {
  const Report* report = nullptr;
  const GroupRecord* group = nullptr;
  const PointRecord* run = nullptr;
};

// Finds the only group of a report that fits. Where several fit, it is unclear which one the claim
// is about, so none is returned.
std::optional<Found> find_group(const Report& report, const MappedPoint& point,
                                const std::string& precision) {
  std::optional<Found> found;
  for (const GroupRecord& group : report.groups) {
    const PointRecord* run = reporting::first_run(report.points, group.group);
    if (!run || !group.samples_per_sec || !fits(report, *run, point, precision)) continue;
    if (found) return std::nullopt;
    found = Found{&report, &group, run};
  }
  return found;
}

// A scaling table has the speed-up with the interval over its pairs.
void pair_speedup(const Found& found, Measured& measured) {
  for (const auto& table : found.report->scaling) {
    for (const auto& row : table.rows) {
      const bool paired = row.group == found.group->group && row.speedup && row.efficiency &&
                          row.efficiency_ci95 && table.relative_to.starts_with("1 rank");
      if (!paired) continue;
      measured.value = *row.speedup;
      measured.low = *row.speedup * *row.efficiency_ci95.low / *row.efficiency;
      measured.high = *row.speedup * *row.efficiency_ci95.high / *row.efficiency;
    }
  }
}

// Disturbed runs decide nothing, as in a sweep's own verdicts.
void refuse_disturbed(const Report& report, Measured& measured) {
  const reporting::FitOfRuns fit(report);
  for (const std::string& group : measured.groups) {
    const reporting::Basis basis = fit.basis_of(group);
    if (reporting::fit_decide(basis.fit(), basis.runs)) continue;
    if (measured.disturbed_by.empty()) measured.disturbed_by = basis.most_severe->code;
    measured.low.reset();
    measured.high.reset();
  }
}

// Returns the mean over the ok runs of a group.
template <class Of>
std::optional<double> mean_of(const Report& report, const std::string& group, Of of) {
  double sum = 0;
  int n = 0;
  for (const PointRecord& run : report.points) {
    if (run.group != group || run.status != reporting::PointStatus::kOk) continue;
    sum += of(run);
    n++;
  }
  return n > 0 && sum > 0 ? std::optional(sum / n) : std::nullopt;
}

void set_cost(Measured& measured, const Report& report, const std::string& to,
              const std::string& from) {
  const GroupRecord *above = reporting::find_group(report.groups, to),
                    *below = reporting::find_group(report.groups, from);
  const auto cost = [](const GroupRecord* group) {
    return group && group->communication ? group->communication->cost_s : std::nullopt;
  };
  if (!cost(above) || !cost(below) || !(*cost(above) > 0) || !(*cost(below) > 0)) return;
  measured.value = *cost(above) / *cost(below);
  set_interval(measured, above->communication->cost_ci95, below->communication->cost_ci95);
}

std::optional<std::pair<double, reporting::Bounds>> efficiency_of(const Report& report,
                                                                  const std::string& group) {
  for (const auto& table : report.scaling) {
    for (const auto& row : table.rows) {
      if (row.group == group && row.efficiency)
        return std::pair(*row.efficiency, row.efficiency_ci95);
    }
  }
  return std::nullopt;
}

// `forward`: the effect leads from the row's "from" to its "to"; otherwise from "to" to "from".
Measured change_in(const Report& report, const EffectRecord& effect, const Row& row, bool forward) {
  const std::string &from = effect.groups[forward ? 0 : 1], &to = effect.groups[forward ? 1 : 0];
  const PointRecord* run = reporting::first_run(report.points, to);
  Measured measured = run ? about(report, *run) : Measured{};
  measured.runs = effect.pairs;
  measured.groups = {from, to};
  if (row.metric == "memory_bytes" || row.metric == "payload_bytes") {
    const auto bytes = [&](const PointRecord& p) {
      return row.metric == "memory_bytes" ? static_cast<double>(p.memory_peak_bytes)
                                          : p.payload_bytes_per_step;
    };
    const auto above = mean_of(report, to, bytes), below = mean_of(report, from, bytes);
    measured.value = above && below ? *above / *below : 0;
    measured.low = measured.high = measured.value;  // bytes are the same in every run
  } else if (row.metric == "communication_cost_s") {
    set_cost(measured, report, to, from);
  } else if (row.metric == "efficiency") {
    const auto above = efficiency_of(report, to), below = efficiency_of(report, from);
    if (!above || !below || !(below->first > 0)) return measured;
    measured.value = above->first / below->first;
    set_interval(measured, above->second, below->second);
  } else {
    // The time for the same samples is 1 / throughput.
    const bool is_time = row.metric.ends_with("_s");
    const bool inverse = is_time == forward;
    const auto turned = [&](double ratio) { return inverse ? 1 / ratio : ratio; };
    measured.value = turned(effect.ratio);
    if (effect.ratio_ci95 && *effect.ratio_ci95.low > 0) {
      measured.low = std::min(turned(*effect.ratio_ci95.low), turned(*effect.ratio_ci95.high));
      measured.high = std::max(turned(*effect.ratio_ci95.low), turned(*effect.ratio_ci95.high));
    }
  }
  return measured;
}

std::int64_t ranks_of(const std::map<std::string, std::string>& fixed) {
  return std::atoll(value_at(fixed, "world_size").c_str());
}

// --scale-down may replace a network by a smaller one of its kind: bert-large by bert-mini.
bool is_network(const Report& report, const std::string& found, const std::string& wanted) {
  const auto kind = [](const std::string& name) { return name.substr(0, name.find('-')); };
  return wanted.empty() || found == wanted ||
         (was_scaled(report, "workload") && kind(found) == kind(wanted));
}

bool agrees(const Report& report, const EffectRecord& effect, const Row& row,
            const MappedPoint& point) {
  const PointRecord* run = reporting::first_run(report.points, effect.groups.back());
  if (!run || !is_network(report, run->workload, point.workload)) return false;
  // A step with more samples takes longer, so the step time is no evidence then.
  const bool other_step = effect.axis == "batch_size" ||
                          effect.axis == "gradient_accumulation_steps" ||
                          effect.axis == "global_batch_size";
  if (row.metric == "step_s" && other_step) return false;
  return std::ranges::all_of(row.conditions, [&](const auto& condition) {
    if (condition.first == "strategy")
      return effect.axis == "strategy" || run->strategy == condition.second || run->world_size == 1;
    const auto fixed = effect.fixed.find(condition.first);
    return fixed == effect.fixed.end() || fixed->second == condition.second;
  });
}

}  // namespace

std::optional<Measured> throughput_of(Reports reports, const MappedPoint& point,
                                      const std::string& precision) {
  for (const Report& report : reports) {
    const auto found = find_group(report, point, precision);
    if (!found) continue;
    Measured measured = about(report, *found->run);
    measured.value = *found->group->samples_per_sec;
    measured.low = found->group->ci95.low;
    measured.high = found->group->ci95.high;
    measured.runs = found->group->n;
    measured.groups = {found->group->group};
    refuse_disturbed(report, measured);
    return measured;
  }
  return std::nullopt;
}

std::optional<Measured> speedup_of(Reports reports, const MappedPoint& point,
                                   const MappedPoint& base, const std::string& precision) {
  for (const Report& report : reports) {
    const auto above = find_group(report, point, precision),
               below = find_group(report, base, precision);
    if (!above || !below || above->group == below->group ||
        above->run->workload != below->run->workload)
      continue;
    Measured measured = about(report, *above->run);
    measured.value = *above->group->samples_per_sec / *below->group->samples_per_sec;
    measured.runs = std::min(above->group->n, below->group->n);
    measured.groups = {below->group->group, above->group->group};
    measured.base_rate = below->group->samples_per_sec;
    set_interval(measured, above->group->ci95, below->group->ci95);
    if (base.world_size.value_or(1) == 1) pair_speedup(*above, measured);
    refuse_disturbed(report, measured);
    return measured;
  }
  return std::nullopt;
}

std::optional<Measured> change_of(Reports reports, const Row& row, const MappedPoint& point) {
  std::optional<Measured> best;
  std::int64_t most = -1;
  for (const Report& report : reports) {
    for (const EffectRecord& effect : report.effects) {
      if (effect.axis != row.relative_to->option || effect.groups.size() != 2 ||
          !agrees(report, effect, row, point))
        continue;
      const std::string from = scaled_value(report, effect.axis, *row.relative_to->from),
                        to = scaled_value(report, effect.axis, *row.relative_to->to);
      const bool forward = effect.from == from && effect.to == to;
      const bool backward = effect.to == from && effect.from == to;
      const std::int64_t ranks = ranks_of(effect.fixed);
      // The claim's own number of ranks is preferred, then the largest.
      const bool wanted = row.gpus && ranks == *row.gpus;
      if ((!forward && !backward) || ranks <= most || most == INT64_MAX) continue;
      Measured measured = change_in(report, effect, row, forward);
      if (!(measured.value > 0)) continue;
      // Other load on the machine does not change bytes.
      if (row.metric != "memory_bytes" && row.metric != "payload_bytes")
        refuse_disturbed(report, measured);
      most = wanted ? INT64_MAX : ranks;
      best = std::move(measured);
    }
  }
  return best;
}

}  // namespace scalemark::claims
