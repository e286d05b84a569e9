#include "apps/scalemark/predict_series.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "core/base/number_words.h"
#include "core/base/text.h"
#include "core/catalogue/strategy.h"
#include "core/settings/checks.h"
#include "core/statistics/runs.h"
#include "report/judge/judge.h"
#include "report/record/runs.h"
#include "report/record/surety.h"

namespace scalemark::cli {
namespace {

using reporting::PointRecord;

// Keeps options that vary and have no field of their own: those of the exchange, or the others.
std::map<std::string, std::string> varying_of(const PointRecord& p, bool of_exchange) {
  const auto exchange = catalogue::exchange_options();
  auto varying = p.varying;
  std::erase_if(varying, [&](const auto& entry) {
    return (std::ranges::count(exchange, entry.first) > 0) != of_exchange;
  });
  return varying;
}

// A series, its baseline included, has one value of each of these.
auto slice_of(const PointRecord& p) {
  return std::tuple(p.workload, p.task, p.device, p.device_name, p.precision, p.memory_format,
                    p.threads, p.batch_size, p.gradient_accumulation_steps, p.image_size,
                    p.sequence_length, p.activation_checkpointing.value_or(false),
                    p.stochastic_depth.value_or(0), p.fused_layers.value_or(false),
                    p.cuda_graphs.value_or(false), p.data, varying_of(p, false));
}

// The settings that only several ranks have; a baseline has none of them.
auto parallel_of(const PointRecord& p) {
  return std::tuple(p.strategy, p.overlap, p.gradient_compression, p.backend, p.bucket_cap_mb,
                    varying_of(p, true));
}

bool usable(const PointRecord& p) {
  return p.status == reporting::PointStatus::kOk && p.samples_per_sec > 0 && p.batch_size &&
         p.gradient_accumulation_steps;
}

std::string title_of(const PointRecord& p) {
  std::string title = p.workload;
  if (!p.task.empty()) title += ' ' + p.task;
  if (p.image_size) title += " at " + std::to_string(*p.image_size) + " px";
  if (p.sequence_length) title += " at length " + std::to_string(*p.sequence_length);
  title += ", " + p.strategy + " over " + p.backend + ", " + p.precision + ", " +
           (p.device_name.empty() ? p.device : p.device_name) + ", batch " +
           std::to_string(p.batch_size.value());
  if (const auto steps = p.gradient_accumulation_steps.value(); steps > 1) {
    title += " x " + std::to_string(steps) + " micro-steps";
  }
  return title + " per rank";
}

struct Run {
  const PointRecord* point;
  const reporting::Report* report;

  bool is_disturbed() const { return reporting::is_disturbed(point->standing); }
};
using Repetitions = std::vector<Run>;

// The runs on which conclusions may rest. Where too few are undisturbed, it returns all of them,
// and notes in `series` what disturbed them.
Repetitions fit_runs(const Repetitions& all, WeakSeries& series) {
  Repetitions fit = all;
  std::erase_if(fit, [](const Run& run) { return run.is_disturbed(); });
  if (reporting::fit_decide(std::ssize(fit), std::ssize(all))) return fit;
  series.unfit.push_back(all.front().point->world_size);
  const Run& first = *std::ranges::find_if(all, &Run::is_disturbed);
  series.disturbed_by = reporting::reason_in_words(*first.report, first.point->standing);
  series.repeat = reporting::repeat_command(*first.report);
  return all;
}

void add_world_size(WeakSeries& series, const Repetitions& all) {
  std::vector<double> rates;
  for (const Run& run : fit_runs(all, series)) rates.push_back(run.point->samples_per_sec);
  const PointRecord& first = *all.front().point;
  series.points.push_back(
      {first.world_size, std::max(1, first.nodes), statistics::geometric_mean(rates)});
}

WeakSeries make_series(const std::map<int, Repetitions>& by_world_size) {
  const PointRecord& sample = *by_world_size.rbegin()->second.front().point;
  WeakSeries series{
      .title = title_of(sample), .strategy = sample.strategy, .points = {}, .unfit = {}};
  series.repeat = reporting::repeat_command(*by_world_size.rbegin()->second.front().report);
  for (const auto& [world_size, runs] : by_world_size) add_world_size(series, runs);
  return series;
}

// ranks / by, rounded up: nodes with `by` ranks each, or ranks on each of `by` nodes.
int shares_of(int ranks, int by) { return ranks / by + (ranks % by != 0); }

// Whether the speed of the links that this world size needs was measured or is assumed.
std::string basis_of(const prediction::Forecast& forecast) {
  return std::string(forecast.assumed_link ? "assumed" : "measured") +
         (forecast.indicative ? ", indicative" : "");
}

std::string reason_of(const prediction::Forecast& forecast) {
  if (forecast.predictor == prediction::Predictor::kInterpolation) {
    return "lies between two counts that were measured";
  }
  std::string text = "not testable: fewer than " + std::to_string(prediction::kFewestSeries) +
                     " published series of " + std::to_string(prediction::kFewestSources) +
                     " sources go so far";
  if (const auto& test = forecast.test) {
    text = "to " + std::to_string(1 << test->doublings) + " times the ranks" +
           (test->new_link_level ? " over links not measured" : "") + " it was off by " +
           percent(test->median_error) + " in the median of " + std::to_string(test->series) +
           " published series of " + std::to_string(test->sources) + " sources";
  }
  if (!forecast.indicative) return text;
  return text + "; more than " + std::to_string(prediction::kIndicativeBeyond) +
         " times the ranks that were measured";
}

}  // namespace

std::vector<WeakSeries> weak_series(const std::vector<reporting::Report>& reports) {
  using Slice = decltype(slice_of(std::declval<const PointRecord&>()));
  using Parallel = decltype(parallel_of(std::declval<const PointRecord&>()));
  std::map<Slice, Repetitions> baselines;
  std::vector<std::pair<Slice, std::map<int, Repetitions>>> found;
  std::map<std::pair<Slice, Parallel>, std::size_t> place_of;
  for (const reporting::Report& report : reports) {
    for (const PointRecord& point : report.points) {
      if (!usable(point)) continue;
      const Run run{&point, &report};
      if (!catalogue::exchanges(point.strategy)) {
        if (point.world_size == 1) baselines[slice_of(point)].push_back(run);
        continue;
      }
      const auto [place, fresh] =
          place_of.try_emplace({slice_of(point), parallel_of(point)}, found.size());
      if (fresh) found.emplace_back(slice_of(point), std::map<int, Repetitions>{});
      found[place->second].second[point.world_size].push_back(run);
    }
  }
  std::vector<WeakSeries> all;
  if (found.empty()) {  // a refusal then says what there was
    for (const auto& [slice, points] : baselines) all.push_back(make_series({{1, points}}));
  }
  for (auto& [slice, by_world_size] : found) {
    const auto baseline = baselines.find(slice);
    if (baseline != baselines.end()) by_world_size[1] = baseline->second;
    all.push_back(make_series(by_world_size));
  }
  return all;
}

double one_rank_of(const WeakSeries& series) {
  const prediction::MeasuredPoint& first = series.points.front();
  return first.samples_per_sec / first.world_size;
}

SeriesPrediction predict(WeakSeries& series, std::optional<int> ranks_per_node,
                         const std::set<int>& world_sizes) {
  SeriesPrediction made;
  for (prediction::MeasuredPoint& point : series.points) {
    if (ranks_per_node) point.nodes = shares_of(point.world_size, *ranks_per_node);
    made.ranks_per_node = std::max(made.ranks_per_node, shares_of(point.world_size, point.nodes));
  }
  if (ranks_per_node) made.ranks_per_node = *ranks_per_node;
  for (const int ranks : world_sizes) {
    if (std::ranges::count(series.points, ranks, &prediction::MeasuredPoint::world_size) > 0) {
      made.measured.push_back(ranks);
      continue;
    }
    const int nodes = shares_of(ranks, made.ranks_per_node);
    if (const auto found = prediction::forecast(series.points, ranks, nodes)) {
      made.forecasts.push_back(*found);
    } else {
      made.too_few.push_back(ranks);
    }
  }
  return made;
}

std::vector<reporting::Prediction> prediction_records(const WeakSeries& series,
                                                      const SeriesPrediction& made) {
  std::vector<reporting::Prediction> records;
  for (const prediction::Forecast& forecast : made.forecasts) {
    const double rate = forecast.samples_per_sec;
    const bool by_rule = forecast.predictor == prediction::Predictor::kRule;
    auto& record = records.emplace_back(
        reporting::Prediction{.slice = series.title,
                              .world_size = forecast.world_size,
                              .samples_per_sec = rate,
                              .efficiency = rate / one_rank_of(series) / forecast.world_size,
                              .predictor = by_rule ? "rule" : "interpolation",
                              .reason = reason_of(forecast),
                              .basis = basis_of(forecast)});
    if (by_rule) record.rule_samples_per_sec = rate;
    if (!forecast.test) continue;
    record.low = rate * forecast.test->band.low;
    record.high = rate * forecast.test->band.high;
    record.band_coverage = forecast.test->coverage;
    record.tested_series = forecast.test->series;
    record.tested_sources = forecast.test->sources;
  }
  return records;
}

std::string measuring(const WeakSeries& series, const SeriesPrediction& made) {
  std::set<int> sizes(made.too_few.begin(), made.too_few.end());
  for (const auto& point : series.points) sizes.insert(point.world_size);
  for (const auto& one : made.forecasts) sizes.insert(one.world_size);
  std::string list;
  for (const int size : sizes) list += (list.empty() ? "" : ",") + std::to_string(size);
  std::string command = without_option(series.repeat, "--world-sizes", /*has_value=*/true);
  if (sizes.size() <= series.points.size() || !command.starts_with("scalemark sweep")) return "";
  command += " --world-sizes " + list;
  int nodes = 1;
  for (const auto& one : made.forecasts) nodes = std::max(nodes, one.nodes);
  if (nodes == 1) return "\nto measure them  " + command + "\n";
  // This machine alone would share its cores among all ranks.
  for (const char* option : {"--nnodes", "--nproc-per-node", "--node-rank", "--rendezvous"})
    command = without_option(std::move(command), option, /*has_value=*/true);
  return "\nto measure them, on node K of " + std::to_string(nodes) + " (0 is HOST)  " + command +
         " --nnodes " + std::to_string(nodes) + " --nproc-per-node " +
         std::to_string(made.ranks_per_node) + " --node-rank K --rendezvous HOST:29500\n";
}

}  // namespace scalemark::cli
