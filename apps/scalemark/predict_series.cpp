#include "apps/scalemark/predict_series.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "core/catalogue/strategy.h"
#include "core/settings/checks.h"

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

// A series holds these constant, the baseline included.
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

double mean_of_logs(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += std::log(value);
  return std::exp(sum / static_cast<double>(values.size()));
}

using Repetitions = std::vector<const PointRecord*>;

template <class Value>
double mean_over(const Repetitions& points, Value value) {
  std::vector<double> values;
  for (const PointRecord* point : points) values.push_back(value(*point));
  return mean_of_logs(values);
}

template <class Value>
std::optional<double> mean_if_positive(const Repetitions& points, Value value) {
  for (const PointRecord* point : points) {
    if (!(value(*point) > 0)) return std::nullopt;
  }
  return mean_over(points, value);
}

void add_world_size(WeakSeries& series, const Repetitions& points) {
  const PointRecord& first = *points.front();
  const double rate = mean_over(points, [](auto& p) { return p.samples_per_sec; });
  series.rows.push_back({first.world_size, first.nodes, rate, static_cast<int>(points.size())});
  const int per_node = (first.world_size + first.nodes - 1) / std::max(1, first.nodes);
  series.measured.points.push_back(
      {.world_size = first.world_size,
       .layout = {std::max(1, first.nodes), per_node},
       .step_s = series.samples_per_rank_step * first.world_size / rate,
       .own_max_s =
           mean_if_positive(points, [](auto& p) { return p.own_mean_of_step_max_s.value_or(0); })});
}

WeakSeries make_series(const std::map<int, Repetitions>& by_world_size) {
  const Repetitions& largest = by_world_size.rbegin()->second;
  const PointRecord& sample = *largest.front();
  WeakSeries series{.title = title_of(sample), .strategy = sample.strategy};
  series.samples_per_rank_step =
      static_cast<double>(sample.batch_size.value() * sample.gradient_accumulation_steps.value());
  for (const auto& [world_size, points] : by_world_size) add_world_size(series, points);
  series.measured.payload_bytes =
      mean_if_positive(largest, [](auto& p) { return p.payload_bytes_per_step; });
  series.measured.backward_s = mean_if_positive(
      by_world_size.begin()->second, [](auto& p) { return p.phases_s ? p.phases_s->backward : 0; });
  return series;
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
      if (!catalogue::exchanges(point.strategy)) {
        if (point.world_size == 1) baselines[slice_of(point)].push_back(&point);
        continue;
      }
      const auto [place, fresh] =
          place_of.try_emplace({slice_of(point), parallel_of(point)}, found.size());
      if (fresh) found.emplace_back(slice_of(point), std::map<int, Repetitions>{});
      found[place->second].second[point.world_size].push_back(&point);
    }
  }
  std::vector<WeakSeries> all;
  if (found.empty()) {  // so that a refusal can say what there was
    for (const auto& [slice, points] : baselines) all.push_back(make_series({{1, points}}));
  }
  for (auto& [slice, by_world_size] : found) {
    const auto baseline = baselines.find(slice);
    if (baseline != baselines.end()) by_world_size[1] = baseline->second;
    all.push_back(make_series(by_world_size));
  }
  return all;
}

}  // namespace scalemark::cli
