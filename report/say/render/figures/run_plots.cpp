// Draws what runs reached: throughput over an option, the parts of a step, single runs, memory and
// devices.

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "core/catalogue/strategy.h"
#include "report/record/point_facts.h"
#include "report/say/render/figures/plot.h"
#include "report/say/render/text.h"
#include "report/say/words/words.h"

namespace scalemark::reporting {
namespace {

// Returns points whose ranks exchange, and if none of these has one rank, the points of one rank.
Points compared(const Report& report) {
  const Points all = first_runs(report);
  Points together, talking;
  for (const PointRecord* point : all) {
    if (is_solo(*point)) continue;
    together.push_back(point);
    if (catalogue::exchanges(point->strategy)) talking.push_back(point);
  }
  const bool has_one =
      std::ranges::any_of(talking, [](const PointRecord* p) { return p->world_size == 1; });
  return has_one ? talking : together;
}

struct NumericAxis {
  Trait trait;
  std::set<double> values;
};

// Returns the numeric traits that differ, those with the most values first. Ranks come last, since
// they have figures of their own.
std::vector<NumericAxis> numeric_axes(const Points& points, bool global) {
  std::vector<Trait> traits{batch_trait(global), ranks_trait()};
  for (Trait& trait : traits_of(points)) traits.push_back(std::move(trait));
  std::vector<NumericAxis> axes;
  for (Trait& trait : traits) {
    std::set<double> values;
    const bool numbers = std::ranges::all_of(points, [&](const PointRecord* point) {
      const auto value = as_number(trait.value(*point));
      if (value) values.insert(*value);
      return value.has_value();
    });
    if (numbers && values.size() > 1) axes.push_back({std::move(trait), std::move(values)});
  }
  const auto order = [](const NumericAxis& axis) {
    return std::pair(axis.trait.name == "ranks", -static_cast<std::ptrdiff_t>(axis.values.size()));
  };
  std::ranges::stable_sort(axes, {}, order);
  return axes;
}

PlotMark rate_of(const Report& report, const PointRecord& point, double at) {
  const GroupRecord* group = find_group(report.groups, point.group);
  if (!group) {
    if (point.standing.is_withheld()) return {.at = at};
    return {.at = at, .value = point.samples_per_sec};
  }
  return {
      .at = at, .value = group->samples_per_sec, .low = group->ci95.low, .high = group->ci95.high};
}

Plot throughput_plot(const Report& report, const Points& points, const NumericAxis& axis,
                     bool global) {
  std::vector<Trait> others = all_traits(points, global);
  std::erase_if(others, [&](const Trait& trait) { return trait.name == axis.trait.name; });
  others = differing_traits(others, points);
  Plot plot{.name = "throughput",
            .title = "Throughput against an option",
            .caption = "Bars: 95 % intervals over repetitions.",
            .choice = "x axis",
            .chosen = axis.trait.name,
            .at = {.title = axis.trait.name,
                   .from = std::min(0.0, *axis.values.begin()),
                   .to = 1.05 * *axis.values.rbegin(),
                   .ticks = {axis.values.begin(), axis.values.end()}},
            .value = {.title = "samples/s", .from = 0}};
  double highest = 0;
  for (const PointRecord* point : points) {
    const std::string name = name_by(*point, others);
    auto series = std::ranges::find(plot.series, name, &PlotSeries::name);
    if (series == plot.series.end()) {
      plot.series.push_back({name, series_color(plot.series.size()), Drawn::kLine});
      series = plot.series.end() - 1;
    }
    series->marks.push_back(rate_of(report, *point, *as_number(axis.trait.value(*point))));
    highest = std::max(highest, series->marks.back().value.value_or(0));
  }
  for (PlotSeries& series : plot.series) std::ranges::stable_sort(series.marks, {}, &PlotMark::at);
  plot.value.to = 1.1 * highest;
  return plot;
}

struct Part {
  std::string name;
  std::function<double(const PointRecord&)> seconds;
};

// Waits for peers are shown apart if they are known for every run that exchanges.
std::vector<Part> parts_of(const Points& runs) {
  using P = const PointRecord&;
  const auto phase = [](double Phases::*which) {
    return [which](P p) { return (*p.phases_s).*which; };
  };
  const bool apart = std::ranges::all_of(runs, [](const PointRecord* run) {
    return !has_exchange(*run) || run->communication.network_s;
  });
  std::vector<Part> parts{{"forward", phase(&Phases::forward)},
                          {"backward", phase(&Phases::backward)},
                          {"optimizer", phase(&Phases::optimizer)}};
  if (apart) {
    parts.push_back({"communication", [](P p) {
                       return p.communication.network_s.value_or(p.phases_s->exposed_communication);
                     }});
    parts.push_back(
        {"waits for peers", [](P p) { return p.communication.peer_wait_s.value_or(0); }});
  } else {
    parts.push_back({"exposed communication", phase(&Phases::exposed_communication)});
  }
  parts.push_back({"data wait", phase(&Phases::data_wait)});
  parts.push_back({"copy to device", phase(&Phases::host_to_device)});
  parts.push_back({"other", phase(&Phases::other)});
  return parts;
}

double mean_of(const Points& runs, const Part& part) {
  double sum = 0;
  for (const PointRecord* run : runs) sum += part.seconds(*run);
  return sum / static_cast<double>(runs.size());
}

Plot step_plot(const std::vector<Points>& bars, const std::vector<Part>& parts,
               const std::string& chosen) {
  Plot plot{.name = "step",
            .title = "Where a step goes",
            .caption = "Mean over ranks and repetitions, stacked.",
            .choice = "slice",
            .chosen = chosen,
            .at = {.title = "ranks and strategy"},
            .value = {.title = "ms per step", .from = 0}};
  std::vector<double> tops(bars.size());
  for (const Points& runs : bars) {
    plot.at.names.push_back(std::to_string(runs.front()->world_size) + " " +
                            strategy_trait().value(*runs.front()));
  }
  for (std::size_t p = 0; p < parts.size(); ++p) {
    PlotSeries series{parts[p].name, series_color(p), Drawn::kBars};
    for (std::size_t i = 0; i < bars.size(); ++i) {
      const double ms = 1000 * mean_of(bars[i], parts[p]);
      series.marks.push_back(
          {.at = static_cast<double>(i), .value = ms, .low = tops[i], .high = tops[i] + ms});
      tops[i] += ms;
    }
    const bool any =
        std::ranges::any_of(series.marks, [](const PlotMark& mark) { return *mark.value > 0; });
    if (any) plot.series.push_back(std::move(series));
  }
  return plot;
}

// Adds one figure per slice, the last slice first, or one of all points for a report without
// slices.
void add_step_plots(std::vector<Plot>& plots, const Report& report) {
  std::map<std::string, Points> groups;
  Points all;
  for (const PointRecord* first : first_runs(report)) {
    Points runs = runs_of(report, first->group);
    if (!std::ranges::all_of(runs,
                             [](const PointRecord* run) { return run->phases_s.has_value(); }))
      continue;
    all.insert(all.end(), runs.begin(), runs.end());
    groups[first->group] = std::move(runs);
  }
  const std::vector<Part> parts = parts_of(all);
  const auto add = [&](const std::vector<std::string>& names, const std::string& chosen) {
    std::vector<Points> bars;
    for (const std::string& name : names) {
      if (groups.contains(name)) bars.push_back(groups[name]);
    }
    if (!bars.empty()) plots.push_back(step_plot(bars, parts, chosen));
  };
  std::vector<std::string> names;
  for (auto table = report.scaling.rbegin(); table != report.scaling.rend(); ++table) {
    names.clear();
    for (const ScalingRow& row : table->rows) names.push_back(row.group);
    add(names, slice_text(*table, report.scaling));
  }
  if (!report.scaling.empty()) return;
  for (const PointRecord* first : first_runs(report)) names.push_back(first->group);
  add(names, "");
}
}  // namespace

void add_throughput_plots(std::vector<Plot>& plots, const Report& report) {
  const bool global = std::ranges::any_of(
      report.scaling, [](const ScalingTable& table) { return table.kind != "weak"; });
  const Points points = compared(report);
  const auto axes = numeric_axes(points, global);
  if (!axes.empty() && axes.front().trait.name != "ranks") {
    for (const NumericAxis& axis : axes) {
      plots.push_back(throughput_plot(report, points, axis, global));
    }
  }
  add_step_plots(plots, report);
}

namespace {

constexpr std::size_t kMostPlotRows = 60;
constexpr double kGiB = 1024.0 * 1024.0 * 1024.0;

// A page and a picture have room for no more rows. The caption mentions it.
bool is_full(Plot& plot) {
  if (plot.at.names.size() < kMostPlotRows) return false;
  plot.caption += " The first " + std::to_string(kMostPlotRows) + ".";
  return true;
}

std::string row_name(const PointRecord& point, const std::vector<Trait>& traits) {
  const std::string name = name_by(point, traits);
  return name.empty() ? point.group : name;
}

// Draws each run relative to the mean of its point, which shows what an interval over few runs may
// hide.
void add_runs_plot(std::vector<Plot>& plots, const Report& report, const Points& firsts,
                   const std::vector<Trait>& traits) {
  Plot plot{.name = "runs",
            .title = "Every run",
            .caption = "Dots: runs. Bars: 95 % intervals over them.",
            .at = {.title = ""},
            .value = {.title = "samples/s against the mean of the point, %"},
            .in_rows = true};
  PlotSeries runs{"measured", "c1", Drawn::kDots}, means{"95 % interval", "c2", Drawn::kIntervals};
  for (const PointRecord* first : firsts) {
    const GroupRecord* group = find_group(report.groups, first->group);
    if (!group || group->n < 2 || !(group->samples_per_sec > 0)) continue;
    if (is_full(plot)) break;
    const auto off = [&](double rate) { return 100 * (rate / *group->samples_per_sec - 1); };
    const auto row = static_cast<double>(plot.at.names.size());
    if (group->ci95) {
      means.marks.push_back(
          {.at = row, .value = 0, .low = off(*group->ci95.low), .high = off(*group->ci95.high)});
    }
    for (const PointRecord* run : runs_of(report, first->group)) {
      runs.marks.push_back({.at = row,
                            .value = off(run->samples_per_sec),
                            .tip = run->id + ": " + readable(run->samples_per_sec) + " samples/s"});
    }
    plot.at.names.push_back(row_name(*first, traits));
  }
  if (plot.at.names.empty()) return;
  plot.series = {std::move(means), std::move(runs)};
  plots.push_back(std::move(plot));
}

void add_memory_plot(std::vector<Plot>& plots, const Report& report, const Points& firsts,
                     const std::vector<Trait>& traits) {
  Plot plot{.name = "memory",
            .title = "Peak against estimate",
            .caption = "Largest rank of all repetitions; the estimate was made before the run.",
            .at = {.title = ""},
            .value = {.title = "GiB of one rank", .from = 0},
            .in_rows = true};
  PlotSeries peaks{"peak", "c1", Drawn::kDots}, estimates{"estimate", "c5", Drawn::kTriangles};
  for (const PointRecord* first : firsts) {
    if (is_full(plot)) break;
    const auto row = static_cast<double>(plot.at.names.size());
    std::uint64_t peak = 0;
    for (const PointRecord* run : runs_of(report, first->group))
      peak = std::max(peak, run->memory_peak_bytes);
    peaks.marks.push_back({.at = row, .value = static_cast<double>(peak) / kGiB});
    if (first->memory_estimate_bytes) {
      estimates.marks.push_back(
          {.at = row, .value = static_cast<double>(*first->memory_estimate_bytes) / kGiB});
    }
    plot.at.names.push_back(row_name(*first, traits));
  }
  plot.series = {std::move(peaks), std::move(estimates)};
  plots.push_back(std::move(plot));
}

// Draws devices of runs with no exchange, where each trains alone beside the others.
void add_device_plots(std::vector<Plot>& plots, const Report& report) {
  std::vector<std::string> points;
  for (const DeviceRecord& device : report.devices) {
    if (std::ranges::find(points, device.group) == points.end()) points.push_back(device.group);
  }
  for (const std::string& point : points) {
    Plot plot{
        .name = "devices",
        .title = "Devices",
        .caption =
            "Rate against the median of the other devices in the same runs; bars: 95 % intervals.",
        .choice = "point",
        .chosen = point,
        .at = {.title = ""},
        .value = {.title = "faster than the others, %"},
        .in_rows = true};
    PlotSeries series{"measured", "c1", Drawn::kDots};
    std::set<std::string> hosts;
    for (const DeviceRecord& device : report.devices) {
      if (device.group == point) hosts.insert(device.host);
    }
    for (const DeviceRecord& device : report.devices) {
      if (device.group != point) continue;
      const auto row = static_cast<double>(plot.at.names.size());
      plot.at.names.push_back("rank " + std::to_string(device.rank) + ", " + device.device +
                              (hosts.size() > 1 ? ", " + device.host : ""));
      if (!device.deviation) continue;
      const auto in_percent = [](const std::optional<double>& share) {
        return share ? std::optional(100 * *share) : std::nullopt;
      };
      series.marks.push_back({.at = row,
                              .value = 100 * *device.deviation,
                              .low = in_percent(device.deviation_ci95.low),
                              .high = in_percent(device.deviation_ci95.high)});
    }
    plot.series.push_back(std::move(series));
    plots.push_back(std::move(plot));
  }
}
}  // namespace

void add_run_plots(std::vector<Plot>& plots, const Report& report) {
  const Points firsts = first_runs(report);
  if (firsts.empty()) return;
  const std::vector<Trait> traits = differing_traits(all_traits(firsts, false), firsts);
  add_runs_plot(plots, report, firsts, traits);
  add_memory_plot(plots, report, firsts, traits);
  add_device_plots(plots, report);
}

}  // namespace scalemark::reporting
