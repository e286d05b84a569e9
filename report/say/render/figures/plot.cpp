#include "report/say/render/figures/plot.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <iterator>
#include <set>
#include <utility>

#include "core/base/number_words.h"
#include "report/record/point_facts.h"
#include "report/record/verdict.h"
#include "report/say/render/text.h"
#include "report/say/words/words.h"

namespace scalemark::reporting {
namespace {

// Makes a file name from letters, digits and points, whatever the names contain.
std::string stem_of(const Plot& plot) {
  std::string stem;
  for (const char c : plot.name + (plot.chosen.empty() ? "" : "-" + plot.chosen)) {
    const bool keeps = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.';
    if (keeps) stem += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (!keeps && !stem.ends_with('-')) stem += '-';
  }
  stem.resize(std::min<std::size_t>(stem.size(), 100));
  while (stem.ends_with('-') || stem.ends_with('.')) stem.pop_back();
  return stem;
}

// The difference of two numbers below this limit is finite.
constexpr double kLargest = 1e300;

void drop(std::optional<double>& value) {
  if (value && !(std::abs(*value) < kLargest)) value.reset();
}

// Anybody may have edited a report, so it may hold values that no measurement gives.
void drop_what_is_no_number(Plot& plot) {
  for (PlotSeries& series : plot.series) {
    for (PlotMark& mark : series.marks) {
      drop(mark.value);
      drop(mark.low);
      drop(mark.high);
      if (series.drawn == Drawn::kBars && (!mark.low || !mark.high)) mark.value.reset();
    }
  }
}

bool shows_nothing(const PlotSeries& series) {
  return std::ranges::none_of(series.marks,
                              [](const PlotMark& mark) { return mark.value.has_value(); });
}

}  // namespace

std::vector<Plot> plots_of(const Report& report) {
  std::vector<Plot> plots;
  add_collective_plots(plots, report);
  add_scaling_plots(plots, report);
  add_effect_plots(plots, report);
  add_throughput_plots(plots, report);
  add_run_plots(plots, report);
  for (Plot& plot : plots)
    plot.standing = report.verdict ? quoting_words(report.verdict->level) : "";
  return drawable(std::move(plots));
}

std::vector<Plot> drawable(std::vector<Plot> plots) {
  for (Plot& plot : plots) {
    drop_what_is_no_number(plot);
    std::erase_if(plot.series, shows_nothing);
  }
  std::erase_if(plots, [](const Plot& plot) { return plot.series.empty(); });
  std::set<std::string> taken;
  for (Plot& plot : plots) {
    const std::string stem = stem_of(plot);
    plot.file = stem;
    for (int n = 2; !taken.insert(plot.file).second; ++n)
      plot.file = stem + "-" + std::to_string(n);
  }
  return plots;
}

std::string place_text(const Plot& plot, double at) {
  const auto& names = plot.at.names;
  const auto& ticks = plot.at.ticks;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (at == (ticks.empty() ? static_cast<double>(i) : ticks[i])) return names[i];
  }
  return significant(at, 6);
}

std::string csv_of(const Plot& plot) {
  const auto row = [&](const std::string& series, const std::string& at, const PlotMark& mark,
                       bool is_bar) {
    const auto text = [](const std::optional<double>& value) {
      return value ? exact(*value) : std::string();
    };
    return std::vector<CsvCell>{{"series", series},
                                {plot.at.title.empty() ? "what" : plot.at.title, at},
                                {plot.value.title, text(mark.value)},
                                {"low", is_bar ? "" : text(mark.low)},
                                {"high", is_bar ? "" : text(mark.high)}};
  };
  std::string text = csv_line(row("", "", {}, false), &CsvCell::column);
  for (const PlotSeries& series : plot.series) {
    for (const PlotMark& mark : series.marks) {
      if (!mark.value) continue;
      text +=
          csv_line(row(series.name, place_text(plot, mark.at), mark, series.drawn == Drawn::kBars),
                   &CsvCell::text);
    }
  }
  return text;
}

std::string series_color(std::size_t number) { return "c" + std::to_string(number % 8 + 1); }

std::optional<double> as_number(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value))
    return std::nullopt;
  return value;
}

namespace {

std::string on_or_off(const std::optional<bool>& value) {
  return value.value_or(false) ? "on" : "off";
}

template <class T>
std::string number(const std::optional<T>& value) {
  return value ? significant(static_cast<double>(*value), 6) : "";
}

std::vector<Trait> fixed_traits() {
  using P = const PointRecord&;
  return {{"workload", [](P p) { return p.workload; }},
          {"precision", [](P p) { return p.precision; }},
          {"device", [](P p) { return p.device; }},
          {"backend", [](P p) { return p.backend; }},
          {"size", [](P p) { return number(p.image_size ? p.image_size : p.sequence_length); }},
          {"accumulation", [](P p) { return number(p.gradient_accumulation_steps); }},
          {"overlap", [](P p) { return on_or_off(p.overlap); }},
          {"compression", [](P p) { return p.gradient_compression; }},
          {"bucket", [](P p) { return significant(p.bucket_cap_mb, 6); }},
          {"checkpointing", [](P p) { return on_or_off(p.activation_checkpointing); }},
          {"stochastic depth", [](P p) { return significant(p.stochastic_depth.value_or(0), 6); }},
          {"fused layers", [](P p) { return on_or_off(p.fused_layers); }},
          {"CUDA graphs", [](P p) { return on_or_off(p.cuda_graphs); }},
          {"threads", [](P p) { return std::to_string(p.threads); }},
          {"data", [](P p) { return std::string(p.data == "synthetic" ? "synthetic" : "files"); }}};
}

// Returns "b64", "2 ranks", "overlap on", "ddp".
std::string part_text(const std::string& trait, const std::string& value) {
  if (trait == "ranks") return value + (value == "1" ? " rank" : " ranks");
  if (trait.ends_with("batch") || trait.starts_with("batch")) return "b" + value;
  if (trait == "accumulation") return "x" + value;
  const bool speaks_alone = !as_number(value) && value != "on" && value != "off";
  return speaks_alone ? value : trait + " " + value;
}

}  // namespace

std::vector<Trait> traits_of(const Points& points) {
  std::vector<Trait> traits = fixed_traits();
  std::set<std::string> options;
  for (const PointRecord* point : points) {
    for (const auto& [option, value] : point->varying) options.insert(option);
  }
  for (const std::string& option : options) {
    traits.push_back({option_in_words(option), [option](const PointRecord& point) {
                        return value_at(point.varying, option);
                      }});
  }
  return traits;
}

Trait ranks_trait() {
  return {"ranks", [](const PointRecord& p) { return std::to_string(p.world_size); }};
}

Trait batch_trait(bool is_global) {
  return {is_global ? "global batch" : "batch per rank", [is_global](const PointRecord& p) {
            if (is_global) return std::to_string(p.global_batch_size);
            return p.batch_size ? std::to_string(*p.batch_size) : std::string();
          }};
}

Trait strategy_trait() {
  return {"strategy", [](const PointRecord& p) { return strategy_text(p.strategy); }};
}

std::vector<Trait> all_traits(const Points& points, bool global) {
  std::vector<Trait> traits{ranks_trait(), batch_trait(global), strategy_trait()};
  std::ranges::move(traits_of(points), std::back_inserter(traits));
  return traits;
}

Points runs_of(const Report& report, const std::string& group) {
  Points runs;
  for (const PointRecord& point : report.points) {
    if (point.status == PointStatus::kOk && point.group == group) runs.push_back(&point);
  }
  return runs;
}

Points first_runs(const Report& report) {
  Points first;
  for (const PointRecord& point : report.points) {
    if (point.status != PointStatus::kOk) continue;
    if (std::ranges::find(first, point.group, &PointRecord::group) == first.end())
      first.push_back(&point);
  }
  const auto place = [&](const PointRecord* point) {
    return std::ranges::find(report.groups, point->group, &GroupRecord::group) -
           report.groups.begin();
  };
  std::ranges::stable_sort(first, {}, place);
  return first;
}

std::vector<Trait> differing_traits(const std::vector<Trait>& traits, const Points& all) {
  std::vector<Trait> differing;
  for (const Trait& trait : traits) {
    const auto differs = [&](const PointRecord* point) {
      return trait.value(*point) != trait.value(*all.front());
    };
    if (std::ranges::any_of(all, differs)) differing.push_back(trait);
  }
  return differing;
}

std::string name_by(const PointRecord& point, const std::vector<Trait>& differing_traits) {
  std::string name;
  for (const Trait& trait : differing_traits) {
    const std::string value = trait.value(point);
    if (!value.empty()) name += (name.empty() ? "" : " ") + part_text(trait.name, value);
  }
  return name;
}

}  // namespace scalemark::reporting
