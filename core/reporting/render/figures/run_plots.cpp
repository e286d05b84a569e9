// Draws single runs, memory and devices, a row each.
#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>

#include "core/reporting/record/point_facts.h"
#include "core/reporting/render/figures/plot.h"
#include "core/reporting/render/figures/point_names.h"
#include "core/reporting/render/text.h"

namespace scalemark::reporting {
namespace {

constexpr std::size_t kMostRows = 60;
constexpr double kGiB = 1024.0 * 1024.0 * 1024.0;

// A page and a picture hold no more rows; the caption says so.
bool is_full(Plot& plot) {
  if (plot.at.names.size() < kMostRows) return false;
  plot.caption += " The first " + std::to_string(kMostRows) + ".";
  return true;
}

std::string row_name(const PointRecord& point, const std::vector<Trait>& traits) {
  const std::string name = name_by(point, traits);
  return name.empty() ? point.group : name;
}

// Each run against the mean of its point shows what an interval over few runs may hide.
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

// Devices of runs with no exchange: each trains alone beside the others.
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
  const std::vector<Trait> traits = telling(all_traits(firsts, false), firsts);
  add_runs_plot(plots, report, firsts, traits);
  add_memory_plot(plots, report, firsts, traits);
  add_device_plots(plots, report);
}

}  // namespace scalemark::reporting
