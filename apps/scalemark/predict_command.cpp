// scalemark predict: from measured world sizes to what more ranks would give.
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <utility>

#include "apps/scalemark/commands.h"
#include "apps/scalemark/outputs.h"
#include "apps/scalemark/predict_text.h"
#include "apps/scalemark/read_reports.h"
#include "apps/scalemark/report_folder.h"
#include "apps/scalemark/sources.h"
#include "core/base/error.h"
#include "core/catalogue/strategy.h"
#include "core/settings/config_file.h"

namespace scalemark::cli {
namespace {

using prediction::Topology;

std::vector<int> world_sizes_of(const settings::ToolValues& values) {
  std::set<int> sizes;
  for (const std::int64_t size : values.counts("world_sizes")) sizes.insert(static_cast<int>(size));
  if (sizes.empty()) {
    throw usage("no world sizes are given", "--world-sizes 16,64 names what to predict");
  }
  return {sizes.begin(), sizes.end()};
}

Topology topology_of(const settings::ToolValues& values) {
  const auto path = values.text("topology");
  Topology topology;
  if (path) topology = prediction::parse_topology(settings::read_text_file(*path), *path);
  if (const auto ranks = values.count("ranks_per_node")) {
    topology.ranks_per_node = static_cast<int>(*ranks);
  }
  return topology;
}

int most_ranks_on_a_node(const WeakSeries& series) {
  int most = 1;
  for (const auto& point : series.measured.points) {
    most = std::max(most, point.layout.ranks_per_node);
  }
  return most;
}

// A topology may say that what ran on one machine counts as several nodes, or the other way round.
void lay_out(WeakSeries& series, const Topology& topology) {
  series.measured.known_links = topology.links;
  if (!topology.ranks_per_node) return;
  for (auto& point : series.measured.points) {
    point.layout = prediction::layout_of(point.world_size, *topology.ranks_per_node);
  }
  for (SeriesRow& row : series.rows) {
    row.nodes = prediction::layout_of(row.world_size, *topology.ranks_per_node).nodes;
  }
}

SeriesPrediction predict(const WeakSeries& series, const Topology& topology,
                         const std::vector<int>& world_sizes) {
  SeriesPrediction made{
      .fit = prediction::fit(series.measured),
      .left_out = prediction::leave_largest_out(series.measured),
      .ranks_per_node = topology.ranks_per_node.value_or(most_ranks_on_a_node(series)),
      .ranks_per_node_given = topology.ranks_per_node.has_value()};
  for (const int world_size : world_sizes) {
    const bool measured = std::any_of(series.rows.begin(), series.rows.end(), [&](const auto& row) {
      return row.world_size == world_size;
    });
    if (measured) continue;
    const auto layout = prediction::layout_of(world_size, made.ranks_per_node);
    made.forecasts.push_back(prediction::forecast(made.fit, series.measured, world_size, layout));
  }
  return made;
}

// Where the report with its predictions goes; refused before anything is computed. That it comes
// from there is no reason: it is kept, with its predictions.
std::optional<std::filesystem::path> output_of(const Invocation& invocation,
                                               const settings::ToolValues& values,
                                               std::size_t reports) {
  if (values.text("output") && reports != 1) {
    throw usage("--output with " + std::to_string(reports) + " reports",
                "predictions are written into one report: name one, or leave --output out");
  }
  const auto folder = report_folder(values);
  Inputs inputs(invocation);
  if (const auto topology = values.text("topology")) inputs.add(*topology);
  if (folder) inputs.refuse("--output", *folder / "report.json");
  return folder;
}

// The folder's other files stay: predictions may go into the report that they come from.
void write(const std::filesystem::path& folder, reporting::Report report,
           std::vector<reporting::Prediction> predictions) {
  report.predictions = std::move(predictions);
  write_report(folder, report);
}

// The cost model is that of an all-reduce of everything in every step.
bool is_modelled(const WeakSeries& series) {
  return !catalogue::exchanges(series.strategy) || catalogue::sums_everything(series.strategy);
}

Error other_exchange(const std::string& title) {
  return bad_data("the exchange of " + title + " is not modelled",
                  "the model is of strategies that all-reduce all gradients in every step",
                  "scalemark sweep --strategies ddp measures one");
}

Error too_little(const std::vector<WeakSeries>& found) {
  constexpr const char* kHint = "scalemark sweep --world-sizes 1,2,4 measures what is needed";
  constexpr const char* kNeeded =
      "at least two world sizes of the same workload, settings and batch per rank are needed";
  if (found.empty())
    return bad_data("no measured point is usable for a prediction", kNeeded, kHint);
  const int ranks = found[0].rows[0].world_size;
  return bad_data("only " + std::to_string(ranks) + (ranks == 1 ? " rank was" : " ranks were") +
                      " measured of " + found[0].title,
                  kNeeded, kHint);
}

}  // namespace

const HelpPage predict_page = {
    "FILE|FOLDER...",
    "Says how fast more ranks would be, by a model of compute and communication that is fitted to\n"
    "the world sizes measured, or by the rule that efficiency falls 2 % per doubling of the "
    "ranks,\n"
    "and how far off such predictions were on published series. At least two world sizes of the\n"
    "same workload, settings and batch per rank are needed (docs/PREDICTION.md).\n"
    "--details: what both give, which of them is taken and why, and what the model assumes.",
    "  scalemark predict results/runs/a/report.json --world-sizes 16,64,256,1024\n"
    "  scalemark predict results/runs/a --world-sizes 64 --topology cluster.json\n"};

ExitCode predict_command(const Invocation& invocation) {
  if (invocation.positionals.empty()) {
    throw usage("no report is given", "a report.json or the folder that holds it is expected");
  }
  const settings::ToolValues values = read_tool_values(invocation);
  const std::vector<int> world_sizes = world_sizes_of(values);
  const Topology topology = topology_of(values);
  std::vector<reporting::Report> reports = read_reports(invocation.positionals);
  const auto output = output_of(invocation, values, reports.size());
  const auto found = weak_series(reports);
  const Terminal terminal = terminal_of(STDOUT_FILENO);
  const bool details = values.on("details");
  std::string text;
  std::vector<reporting::Prediction> records;
  std::vector<std::string> left_out, not_modelled;
  for (WeakSeries series : found) {
    if (series.rows.size() < prediction::kFewestPoints) {
      left_out.push_back(series.title);
      continue;
    }
    if (!is_modelled(series)) {
      not_modelled.push_back(series.title);
      continue;
    }
    lay_out(series, topology);
    const SeriesPrediction made = predict(series, topology, world_sizes);
    const auto more = prediction_records(series, made);
    text += (text.empty() ? "" : "\n") + prediction_text(series, made, more, terminal, details);
    records.insert(records.end(), more.begin(), more.end());
  }
  if (text.empty())
    throw not_modelled.empty() ? too_little(found) : other_exchange(not_modelled[0]);
  for (const std::string& title : not_modelled) {
    print_note("its exchange is not modelled, left out: " + title);
  }
  for (const std::string& title : left_out) print_note("one world size only, left out: " + title);
  text += "\n" + method_text(records, terminal, details);
  if (output) write(*output, std::move(reports.front()), std::move(records));
  return print_result(text);
}

}  // namespace scalemark::cli
