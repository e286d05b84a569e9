// The commands that test published tables: built-in configurations, sweeps, collectives.
#include <algorithm>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>
#include <utility>

#include "claims/judge/claims.h"
#include "claims/rows/mapping.h"
#include "claims/rows/names.h"
#include "core/base/text.h"
#include "core/settings/config_file.h"
#include "core/settings/layers.h"
#include "core/settings/reader.h"

namespace scalemark::claims {
namespace {

using published::MappedPoint;
using published::Mapping;
using published::NamedTable;
using published::Row;

constexpr const char* kForAnInterval = "3";  // runs

bool names(const settings::ConfigFacts& facts, const NamedTable& table) {
  return std::ranges::any_of(facts.claims, [&](const std::string& claim) {
    return claim == table.slug || published::find_row(table, claim);
  });
}

// Adds what --scale-down would take away from the claims: of the values of a configuration those
// that are compared stay, and an interval needs three runs.
void keep_what_is_asked(const NamedTable& table, const NamedText& config, settings::Command command,
                        PlannedCommand& planned) {
  std::map<std::string, std::set<std::string>> compared;
  bool cost = false;
  for (const Row* row : table.rows) {
    cost = cost || row->metric == "communication_cost_s";
    if (row->relative_to && row->relative_to->option)
      compared[*row->relative_to->option].merge(
          std::set{*row->relative_to->from, *row->relative_to->to});
  }
  const settings::ConfigFile file{std::string(config.name), std::string(config.text)};
  for (const auto& [option, text] : settings::parse_config(file, command).values) {
    const auto values = settings::read_list(option, {text, "config"}).texts;
    std::vector<std::string> kept;
    std::ranges::copy_if(values, std::back_inserter(kept), [&](const std::string& value) {
      return compared[option].contains(value);
    });
    if (kept.size() > 1 && kept.size() < values.size() && command == settings::kSweep)
      planned.options.emplace_back(option, joined(kept, ","));
  }
  if (cost) planned.options.emplace_back("communication_cost", "on");
  planned.options.emplace_back("repetitions", kForAnInterval);
}

// A built-in configuration tests the rows of the tables that it names; other rows may get a sweep.
// A claim with neither cannot be tested.
void add_configs(const std::vector<NamedTable>& tables, bool scaled_down,
                 std::vector<PlannedCommand>& commands, std::set<std::string>& configured) {
  for (const auto& config : settings::builtin_configs()) {
    const auto facts = settings::facts_of(config.text);
    for (const NamedTable& table : tables) {
      if (!names(facts, table)) continue;
      configured.insert(table.slug);
      const bool fresh = std::ranges::none_of(commands, [&](const PlannedCommand& one) {
        return one.options.front().second == config.name;
      });
      if (!fresh) continue;
      PlannedCommand& planned = commands.emplace_back();
      planned = {.command = facts.command,
                 .options = {{"config", std::string(config.name)}},
                 .about = facts.about};
      const auto command = settings::find_command(facts.command);
      if (scaled_down && command) keep_what_is_asked(table, config, *command, planned);
    }
  }
}

// The rows of one sweep share these, and may differ in GPUs and precision.
struct Shape {
  std::string workload, strategy;
  std::optional<std::int64_t> batch, accumulation, sequence;
  auto operator<=>(const Shape&) const = default;
};

// A claim that names no network is about any: the one that guides take most.
constexpr const char* kAnyNetwork = "resnet50";

std::string joined_numbers(const std::set<std::int64_t>& numbers) {
  std::vector<std::string> texts;
  for (const std::int64_t one : numbers) texts.push_back(std::to_string(one));
  return joined(texts, ",");
}

PlannedCommand sweep_of(const Shape& shape, const std::set<std::string>& precisions,
                        const std::set<std::int64_t>& counts, const NamedTable& table) {
  PlannedCommand planned{.command = "sweep",
                         .options = {},
                         .about = "Published table " + table.name + ": " + table.group};
  const auto add = [&](const char* name, const std::string& value) {
    planned.options.emplace_back(name, value);
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
  return planned;
}

// The count of GPUs that a speed-up is over, where no other row of its series says it.
std::optional<std::int64_t> denominator_of(const Row& row, const NamedTable& table) {
  if (row.metric != "speedup" || published::is_worth_a_speedup(row)) return std::nullopt;
  if (!row.relative_to || !row.relative_to->row) return 1;
  const Row* found = published::find_row(table, *row.relative_to->row);
  return found ? found->gpus.value_or(1) : 1;
}

// Precisions with the same counts of GPUs share a sweep.
void add_sweeps(const NamedTable& table, const std::string& precision,
                std::vector<PlannedCommand>& commands) {
  std::map<Shape, std::map<std::string, std::set<std::int64_t>>> shapes;
  for (const Row* row : table.rows) {
    const Mapping mapping = published::map_row(*row);
    const bool is_rate =
        row->metric.empty() || row->metric == "speedup" || is_worth_a_speedup(*row);
    if (!mapping.point || !is_rate) continue;
    const MappedPoint& point = *mapping.point;
    // One rank has no strategy, so it joins the sweep of the other counts.
    const Shape shape{point.workload.empty() ? kAnyNetwork : point.workload,
                      point.strategy.empty() ? "ddp" : point.strategy, point.batch_size,
                      point.gradient_accumulation_steps, point.sequence_length};
    std::vector<std::string> precisions = point.precisions;
    if (precisions.empty()) precisions = {"fp32"};
    for (const std::string& one : precisions) {
      if (!precision.empty() && one != precision) continue;
      auto& counts = shapes[shape][one];
      counts.insert(point.world_size.value_or(1));
      if (const auto denominator = denominator_of(*row, table)) counts.insert(*denominator);
    }
  }
  for (const auto& [shape, by_precision] : shapes) {
    std::map<std::set<std::int64_t>, std::set<std::string>> by_counts;
    for (const auto& [one, counts] : by_precision) by_counts[counts].insert(one);
    for (const auto& [counts, precisions] : by_counts)
      commands.push_back(sweep_of(shape, precisions, counts, table));
  }
}

// Rows of a table with equal collective, backend and ranks share one command, `comm`: it takes all
// their sizes, under all their conditions, which are options of `comm`.
void add_collectives(const NamedTable& table, std::vector<PlannedCommand>& commands) {
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
    PlannedCommand planned{.command = "comm",
                           .options = {{"collectives", collective},
                                       {"backends", backend},
                                       {"world_sizes", std::to_string(ranks)}},
                           .about = "Published table " + table.name + ": " + table.group};
    if (!asked.sizes.empty()) planned.options.emplace_back("sizes", joined_numbers(asked.sizes));
    for (const auto& [option, values] : asked.conditions) {
      planned.options.emplace_back(
          option, joined(std::vector<std::string>(values.begin(), values.end()), ","));
    }
    commands.push_back(std::move(planned));
  }
}

}  // namespace

std::vector<std::string> PlannedCommand::words() const {
  std::vector<std::string> all{command};
  for (const auto& [name, value] : options) {
    std::string option = "--" + name;
    std::ranges::replace(option, '_', '-');
    all.push_back(option);
    if (value != "on") all.push_back(value);  // a switch is turned on by its name
  }
  return all;
}

std::string PlannedCommand::config_text() const {
  nlohmann::ordered_json json{{"command", command}, {"about", about}};
  for (const auto& [name, value] : options) json[name] = value;
  return json.dump(2) + "\n";
}

std::vector<PlannedCommand> commands_for(const std::vector<NamedTable>& tables,
                                         const std::string& precision, bool scaled_down) {
  std::vector<PlannedCommand> commands;
  std::set<std::string> configured;
  add_configs(tables, scaled_down, commands, configured);
  const std::size_t own = commands.size();
  for (const NamedTable& table : tables) {
    if (configured.contains(table.slug)) continue;
    add_sweeps(table, precision, commands);
    add_collectives(table, commands);
  }
  for (std::size_t i = own; scaled_down && i < commands.size(); ++i)
    commands[i].options.emplace_back("repetitions", kForAnInterval);
  return commands;
}

}  // namespace scalemark::claims
