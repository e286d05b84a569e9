#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

#include "core/base/text.h"
#include "core/claims/claims.h"
#include "core/published/mapping.h"
#include "core/settings/config_file.h"

namespace scalemark::claims {
namespace {

using published::Mapped;
using published::Mapping;
using published::NamedTable;
using published::Row;

bool names(const settings::ConfigFacts& facts, const NamedTable& table) {
  return std::ranges::any_of(facts.claims, [&](const std::string& claim) {
    return claim == table.slug ||
           std::ranges::any_of(table.rows, [&](const Row* row) { return row->id == claim; });
  });
}

// A row is tested by a configuration or by a sweep of its own; a claim without either by nothing.
void add_configs(const std::vector<NamedTable>& tables, std::vector<PlannedRun>& runs,
                 std::set<std::string>& told) {
  for (const auto& config : settings::builtin_configs()) {
    const auto facts = settings::facts_of(config.text);
    for (const NamedTable& table : tables) {
      if (!names(facts, table)) continue;
      told.insert(table.slug);
      const bool fresh = std::ranges::none_of(
          runs, [&](const PlannedRun& run) { return run.options.front().second == config.name; });
      if (fresh)
        runs.push_back({.command = facts.command,
                        .options = {{"config", std::string(config.name)}},
                        .about = facts.about});
    }
  }
}

// Rows of one sweep share these, besides their GPUs and precision.
struct Shape {
  std::string workload, strategy;
  std::optional<std::int64_t> batch, accumulation, sequence;
  auto operator<=>(const Shape&) const = default;
};

std::string joined_numbers(const std::set<std::int64_t>& numbers) {
  std::vector<std::string> texts;
  for (const std::int64_t one : numbers) texts.push_back(std::to_string(one));
  return joined(texts, ",");
}

PlannedRun sweep_of(const Shape& shape, const std::set<std::string>& precisions,
                    const std::set<std::int64_t>& counts, const NamedTable& table) {
  PlannedRun run{.command = "sweep",
                 .options = {},
                 .about = "Published table " + table.name + ": " + table.group};
  const auto add = [&](const char* name, const std::string& value) {
    run.options.emplace_back(name, value);
  };
  add("workload", shape.workload);
  add("precision", joined(precisions, ","));
  add("world_sizes", joined_numbers(counts));
  if (shape.batch) add("batch_size", std::to_string(*shape.batch));
  if (shape.accumulation && *shape.accumulation > 1)
    add("gradient_accumulation_steps", std::to_string(*shape.accumulation));
  if (shape.sequence && shape.workload.starts_with("bert"))
    add("sequence_length", std::to_string(*shape.sequence));
  if (!shape.strategy.empty() && shape.strategy != "ddp") add("strategies", shape.strategy);
  return run;
}

// Precisions with the same counts of GPUs share a sweep.
void add_sweeps(const NamedTable& table, const std::string& precision,
                std::vector<PlannedRun>& runs) {
  std::map<Shape, std::map<std::string, std::set<std::int64_t>>> shapes;
  for (const Row* row : table.rows) {
    const Mapping mapping = published::map_row(*row);
    const bool is_rate = row->metric.empty() || row->metric == "speedup";
    if (!mapping.run || !is_rate || mapping.run->workload.empty()) continue;
    const Mapped& run = *mapping.run;
    // One rank has no strategy: it belongs to the sweep of the others.
    const Shape shape{run.workload, run.strategy.empty() ? "ddp" : run.strategy, run.batch_size,
                      run.gradient_accumulation_steps, run.sequence_length};
    std::vector<std::string> precisions = run.precisions;
    if (precisions.empty()) precisions = {"fp32"};
    for (const std::string& one : precisions) {
      if (precision.empty() || one == precision)
        shapes[shape][one].insert(run.world_size.value_or(1));
    }
  }
  for (const auto& [shape, by_precision] : shapes) {
    std::map<std::set<std::int64_t>, std::set<std::string>> by_counts;
    for (const auto& [one, counts] : by_precision) by_counts[counts].insert(one);
    for (const auto& [counts, precisions] : by_counts)
      runs.push_back(sweep_of(shape, precisions, counts, table));
  }
}

// One run of `comm` for the rows of a table with equal collective, backend and ranks: all their
// sizes, under all their conditions, which are options of `comm`.
void add_collectives(const NamedTable& table, std::vector<PlannedRun>& runs) {
  using Exchange = std::tuple<std::string, std::string, std::int64_t>;
  struct Asked {
    std::set<std::int64_t> sizes;
    std::map<std::string, std::set<std::string>> conditions;
  };
  std::map<Exchange, Asked> by_shape;
  for (const Row* row : table.rows) {
    const bool is_it = row->collective && row->backend && row->gpus && !row->relative_to;
    if (!is_it || published::map_row(*row).reason) continue;
    Asked& asked = by_shape[{*row->collective, *row->backend, *row->gpus}];
    if (row->bytes) asked.sizes.insert(*row->bytes);
    for (const auto& [option, value] : row->conditions) asked.conditions[option].insert(value);
  }
  for (const auto& [shape, asked] : by_shape) {
    const auto& [collective, backend, ranks] = shape;
    PlannedRun run{.command = "comm",
                   .options = {{"collectives", collective},
                               {"backends", backend},
                               {"world_sizes", std::to_string(ranks)}},
                   .about = "Published table " + table.name + ": " + table.group};
    if (!asked.sizes.empty()) run.options.emplace_back("sizes", joined_numbers(asked.sizes));
    for (const auto& [option, values] : asked.conditions) {
      run.options.emplace_back(option,
                               joined(std::vector<std::string>(values.begin(), values.end()), ","));
    }
    runs.push_back(std::move(run));
  }
}

}  // namespace

std::vector<std::string> PlannedRun::words() const {
  std::vector<std::string> all{command};
  for (const auto& [name, value] : options) {
    std::string option = "--" + name;
    std::ranges::replace(option, '_', '-');
    all.push_back(option);
    all.push_back(value);
  }
  return all;
}

std::string PlannedRun::config_text() const {
  nlohmann::ordered_json json{{"command", command}, {"about", about}};
  for (const auto& [name, value] : options) json[name] = value;
  return json.dump(2) + "\n";
}

std::vector<PlannedRun> runs_for(const std::vector<NamedTable>& tables,
                                 const std::string& precision) {
  std::vector<PlannedRun> runs;
  std::set<std::string> told;
  add_configs(tables, runs, told);
  for (const NamedTable& table : tables) {
    if (told.contains(table.slug)) continue;
    add_sweeps(table, precision, runs);
    add_collectives(table, runs);
  }
  return runs;
}

}  // namespace scalemark::claims
