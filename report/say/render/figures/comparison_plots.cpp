// Draws comparisons: effects of options, and collectives over their sizes.
#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "core/base/text.h"
#include "report/judge/collectives/words.h"
#include "report/say/render/figures/plot.h"
#include "report/say/render/text.h"
#include "report/say/words/words.h"

namespace scalemark::reporting {
namespace {

using statistics::EffectVerdict;

constexpr std::size_t kMostEffects = 40;

std::string color_of(EffectVerdict verdict) {
  if (verdict == EffectVerdict::kReal) return "accent";
  return verdict == EffectVerdict::kNone ? "good" : "faint";
}

std::string comparison_name_of(const EffectRecord& effect, const std::vector<EffectRecord>& all,
                               bool collective) {
  const std::string place =
      where_text(effect, all, [&](const std::string& option, const std::string& value) {
        return collective ? trait_text(option, value) : option_text(option, value);
      });
  return effect.axis + " " + effect.to + " / " + effect.from + (place.empty() ? "" : ", " + place);
}

Plot forest_plot(const std::vector<EffectRecord>& effects, bool collective, std::size_t left_out) {
  Plot plot{.name = "effects",
            .title = "Effects",
            .caption =
                std::string(collective
                                ? "Time of a call against the other value's: right of 1 is faster. "
                                : "Throughput against the first value as typed. Dashed: 2 %. ") +
                "Paired within repetitions, with 95 % intervals." +
                (left_out > 0 ? " The first " + with_decimals(kMostEffects, 0) + "." : ""),
            .at = {.title = ""},
            .value = {.title = collective ? "times as fast"
                                          : "% more samples per second than the first value",
                      .logarithmic = collective},
            .in_rows = true,
            .legend_from = 1,
            .guides = collective ? std::vector<double>{1} : std::vector<double>{0, -2, 2}};
  // Ratios of times may span decades.
  const auto shown = [&](double ratio) { return collective ? ratio : 100 * (ratio - 1); };
  for (const EffectVerdict verdict :
       {EffectVerdict::kReal, EffectVerdict::kNone, EffectVerdict::kUnsure}) {
    PlotSeries series{std::string(name_of(verdict)), color_of(verdict), Drawn::kDots};
    for (std::size_t i = 0; i < effects.size(); ++i) {
      const EffectRecord& effect = effects[i];
      if (effect.verdict != verdict) continue;
      PlotMark mark{
          .at = static_cast<double>(i), .value = shown(effect.ratio), .tip = effect.in_words};
      if (effect.ratio_ci95) {
        mark.low = shown(*effect.ratio_ci95.low);
        mark.high = shown(*effect.ratio_ci95.high);
      }
      series.marks.push_back(std::move(mark));
    }
    plot.series.push_back(std::move(series));
  }
  for (const EffectRecord& effect : effects)
    plot.at.names.push_back(comparison_name_of(effect, effects, collective));
  return plot;
}

using Group = CollectiveGroup;
using Groups = std::vector<const Group*>;

struct CallTrait {
  bool of_call;  // true: it says how the collective was called; false: what was measured
  std::string (*text)(const Group&);
};

// Traits with of_call distinguish the series of a figure, the others figures.
const std::vector<CallTrait>& call_traits() {
  using G = const Group&;
  static const std::vector<CallTrait> traits{
      {false, [](G g) { return std::string(name_of(g.collective)); }},
      {false, [](G g) { return std::string(name_of(g.dtype)); }},
      {false, [](G g) { return trait_text("world_size", std::to_string(g.world_size)); }},
      {false, [](G g) { return g.device; }},
      {false, [](G g) { return counted(g.nodes, "node"); }},
      {false, [](G g) { return g.placement.empty() ? g.placement : "placement " + g.placement; }},
      {false, [](G g) { return std::string(g.congestion ? "with congestion" : "alone"); }},
      {false,
       [](G g) { return std::string(g.overlap_compute ? "beside compute" : "without compute"); }},
      {true, [](G g) { return g.backend; }},
      {true, [](G g) { return "via " + std::string(name_of(g.via)); }},
      {true,
       [](G g) { return std::string(g.staging == collectives::Staging::kNone ? "" : "staged"); }},
      {true, [](G g) { return std::string(g.in_place ? "in place" : "out of place"); }}};
  return traits;
}

// Joins the first trait of a kind and those others that differ.
std::string comparison_name_of(const Group& group, const Groups& all, bool of_call) {
  std::string name;
  for (const CallTrait& trait : call_traits()) {
    if (trait.of_call != of_call) continue;
    const std::string text = trait.text(group);
    const bool differs =
        std::ranges::any_of(all, [&](const Group* other) { return trait.text(*other) != text; });
    if (!text.empty() && (name.empty() || differs)) name += (name.empty() ? "" : ", ") + text;
  }
  return name;
}

// A size without a value interrupts the line.
PlotSeries series_of(std::string name, std::string color, Drawn drawn, const Groups& groups,
                     OverRuns Group::*values, double by) {
  PlotSeries series{std::move(name), std::move(color), drawn};
  for (const Group* group : groups) {
    const OverRuns& runs = group->*values;
    PlotMark mark{.at = static_cast<double>(group->bytes)};
    if (runs.value && *runs.value > 0) {
      mark.value = by * *runs.value;
      if (runs.ci95 && *runs.ci95.low > 0) {
        mark.low = by * *runs.ci95.low;
        mark.high = by * *runs.ci95.high;
      }
    }
    series.marks.push_back(std::move(mark));
  }
  return series;
}

std::map<std::string, Groups> series_in(const Groups& groups) {
  std::map<std::string, Groups> series;
  for (const Group* group : groups)
    series[comparison_name_of(*group, groups, true)].push_back(group);
  for (auto& [name, of] : series) std::ranges::stable_sort(of, {}, &Group::bytes);
  return series;
}

Plot over_size(const Groups& groups, const std::string& chosen) {
  std::set<double> sizes;
  for (const Group* group : groups) sizes.insert(static_cast<double>(group->bytes));
  Plot plot{.name = "",
            .title = "",
            .caption = "",
            .choice = "collective",
            .chosen = chosen,
            .at = {.title = "size", .logarithmic = true, .ticks = {sizes.begin(), sizes.end()}},
            .value = {.title = "", .logarithmic = true}};
  for (const double size : sizes)
    plot.at.names.push_back(size_text(static_cast<std::int64_t>(size)));
  return plot;
}

Plot bandwidth_plot(const Groups& groups, const std::string& chosen) {
  Plot plot = over_size(groups, chosen);
  plot.name = "bandwidth";
  plot.title = "Bus bandwidth over size";
  plot.caption =
      "As nccl-tests defines it. Bars: 95 % intervals over repetitions; dashed: what is expected.";
  plot.value.title = "busbw, GB/s";
  // Series that expect the same values share a line: values -> names of the series, and the line.
  std::map<std::vector<double>, std::pair<std::vector<std::string>, PlotSeries>> expected;
  std::size_t number = 0;
  for (const auto& [name, of] : series_in(groups)) {
    plot.series.push_back(
        series_of(name, series_color(number++), Drawn::kLine, of, &Group::busbw_GBps, 1));
    std::vector<double> key;
    PlotSeries line{"", "faint", Drawn::kDashes};
    for (const Group* group : of) {
      if (!group->expected_busbw_GBps) continue;
      line.marks.push_back(
          {.at = static_cast<double>(group->bytes), .value = *group->expected_busbw_GBps});
      key.insert(key.end(), {line.marks.back().at, *group->expected_busbw_GBps});
    }
    if (key.empty()) continue;
    auto& [names, series] = expected[key];
    names.push_back(name);
    series = std::move(line);
  }
  for (auto& [key, line] : expected) {
    line.second.name =
        "expected" + (expected.size() > 1 ? ", " + joined(line.first, " and ") : std::string());
    plot.series.push_back(std::move(line.second));
  }
  return plot;
}

// Draws isolated calls where these were timed, else the mean of back-to-back calls.
Plot latency_plot(const Groups& groups, const std::string& chosen) {
  Plot plot = over_size(groups, chosen);
  plot.name = "latency";
  plot.title = "Latency over size";
  plot.caption =
      "Isolated calls, slowest rank of each: half of them are faster (p50), 99 of 100 (p99, "
      "triangles).";
  const auto is_long = [](const Group* group) {
    constexpr double kLong_s = 0.1;
    return std::max(group->time_s.value.value_or(0), group->latency_p99_s.value.value_or(0)) >=
           kLong_s;
  };
  const bool in_ms = std::ranges::any_of(groups, is_long);
  plot.value.title = in_ms ? "ms" : "\u00b5s";
  std::size_t number = 0;
  for (const auto& [name, of] : series_in(groups)) {
    const std::string color = series_color(number++);
    const bool isolated =
        std::ranges::any_of(of, [](const Group* g) { return g->latency_p50_s.value.has_value(); });
    const auto add = [&](const char* what, Drawn drawn, OverRuns Group::*values) {
      plot.series.push_back(series_of(name + what, color, drawn, of, values, in_ms ? 1e3 : 1e6));
    };
    if (!isolated) {
      add(", time of a call", Drawn::kLine, &Group::time_s);
      continue;
    }
    add(", p50", Drawn::kLine, &Group::latency_p50_s);
    add(", p99", Drawn::kTriangles, &Group::latency_p99_s);
  }
  return plot;
}

}  // namespace

void add_effect_plots(std::vector<Plot>& plots, const Report& report) {
  std::vector<EffectRecord> judged;
  for (const EffectRecord& effect : report.effects) {
    if (effect.verdict != EffectVerdict::kDisturbed) judged.push_back(effect);
  }
  if (judged.empty()) return;
  const std::size_t left_out = judged.size() > kMostEffects ? judged.size() - kMostEffects : 0;
  judged.resize(std::min(judged.size(), kMostEffects));
  plots.push_back(forest_plot(judged, measures_collectives(report), left_out));
}

void add_collective_plots(std::vector<Plot>& plots, const Report& report) {
  Groups sized;
  for (const Group& group : report.collective_groups) {
    if (group.bytes > 0 && group.time_s.value) sized.push_back(&group);
  }
  std::vector<std::pair<std::string, Groups>> figures;
  for (const Group* group : sized) {
    const std::string name = comparison_name_of(*group, sized, false);
    auto figure = std::ranges::find(figures, name, &std::pair<std::string, Groups>::first);
    if (figure == figures.end()) figure = figures.insert(figures.end(), {name, {}});
    figure->second.push_back(group);
  }
  for (const auto& [name, groups] : figures) plots.push_back(bandwidth_plot(groups, name));
  for (const auto& [name, groups] : figures) plots.push_back(latency_plot(groups, name));
}

}  // namespace scalemark::reporting
