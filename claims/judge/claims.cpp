#include "claims/judge/claims.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>
#include <utility>

#include "claims/rows/mapping.h"
#include "claims/rows/names.h"
#include "core/base/number_words.h"
#include "core/base/record_json.h"
#include "core/base/text.h"
#include "core/settings/config_file.h"
#include "report/judge/judge.h"
#include "report/record/report_fields.h"
#include "report/say/render/junit.h"
#include "report/say/render/sections/claim_sections.h"
#include "report/say/table/text_table.h"

namespace scalemark::claims {
namespace {

using published::MappedPoint;
using published::Mapping;
using published::NamedTable;
using published::Row;

bool names(const settings::ConfigFacts& facts, const NamedTable& table) {
  return std::ranges::any_of(facts.claims, [&](const std::string& claim) {
    return claim == table.slug ||
           std::ranges::any_of(table.rows, [&](const Row* row) { return row->id == claim; });
  });
}

// A built-in configuration tests the rows of the tables that it names; other rows may get a sweep.
// A claim with neither cannot be tested.
void add_configs(const std::vector<NamedTable>& tables, std::vector<PlannedCommand>& commands,
                 std::set<std::string>& configured) {
  for (const auto& config : settings::builtin_configs()) {
    const auto facts = settings::facts_of(config.text);
    for (const NamedTable& table : tables) {
      if (!names(facts, table)) continue;
      configured.insert(table.slug);
      const bool fresh = std::ranges::none_of(commands, [&](const PlannedCommand& one) {
        return one.options.front().second == config.name;
      });
      if (fresh)
        commands.push_back({.command = facts.command,
                            .options = {{"config", std::string(config.name)}},
                            .about = facts.about});
    }
  }
}

// The rows of one sweep share these, and may differ in GPUs and precision.
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

// Precisions with the same counts of GPUs share a sweep.
void add_sweeps(const NamedTable& table, const std::string& precision,
                std::vector<PlannedCommand>& commands) {
  std::map<Shape, std::map<std::string, std::set<std::int64_t>>> shapes;
  for (const Row* row : table.rows) {
    const Mapping mapping = published::map_row(*row);
    const bool is_rate = row->metric.empty() || row->metric == "speedup";
    if (!mapping.point || !is_rate || mapping.point->workload.empty()) continue;
    const MappedPoint& point = *mapping.point;
    // One rank has no strategy, so it joins the sweep of the other counts.
    const Shape shape{point.workload, point.strategy.empty() ? "ddp" : point.strategy,
                      point.batch_size, point.gradient_accumulation_steps, point.sequence_length};
    std::vector<std::string> precisions = point.precisions;
    if (precisions.empty()) precisions = {"fp32"};
    for (const std::string& one : precisions) {
      if (precision.empty() || one == precision)
        shapes[shape][one].insert(point.world_size.value_or(1));
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
    all.push_back(value);
  }
  return all;
}

std::string PlannedCommand::config_text() const {
  nlohmann::ordered_json json{{"command", command}, {"about", about}};
  for (const auto& [name, value] : options) json[name] = value;
  return json.dump(2) + "\n";
}

std::vector<PlannedCommand> commands_for(const std::vector<NamedTable>& tables,
                                         const std::string& precision) {
  std::vector<PlannedCommand> commands;
  std::set<std::string> configured;
  add_configs(tables, commands, configured);
  for (const NamedTable& table : tables) {
    if (configured.contains(table.slug)) continue;
    add_sweeps(table, precision, commands);
    add_collectives(table, commands);
  }
  return commands;
}

using reporting::ClaimRecord;
using reporting::Column;

namespace {

// Withheld numbers are not shown to people.
std::vector<ClaimRecord> shown(const std::vector<ClaimRecord>& claims) {
  reporting::Report report;
  report.claims = claims;
  return reporting::for_people(std::move(report)).claims;
}

// The counts are the answer, so they stand last and by themselves.
reporting::Section without_counts(const std::vector<ClaimRecord>& claims) {
  reporting::Section section = reporting::claims_section(shown(claims));
  section.title.clear();
  section.lines.pop_back();
  return section;
}

}  // namespace

std::string claims_text(const std::vector<ClaimRecord>& claims, const Terminal& terminal) {
  return reporting::section_text(without_counts(claims), terminal) +
         reporting::claim_counts(claims) + "\n";
}

std::string claims_markdown(const std::vector<ClaimRecord>& claims) {
  return reporting::section_markdown(without_counts(claims)).substr(1) + "\n" +
         reporting::claim_counts(claims) + "\n";
}

std::string claims_csv(const std::vector<ClaimRecord>& claims) {
  const auto number = [](const std::optional<double>& value) {
    return value ? significant(*value, 12) : "";
  };
  std::vector<Column> columns;
  const auto add = [&](const char* head, auto cell) {
    Column& column = columns.emplace_back();
    column.head = {head};
    column.left = true;
    for (const ClaimRecord& claim : claims) column.cells.push_back(cell(claim));
  };
  add("row", [](const ClaimRecord& c) { return c.row; });
  add("table", [](const ClaimRecord& c) { return c.table; });
  add("what", [](const ClaimRecord& c) { return c.what; });
  add("metric", [](const ClaimRecord& c) { return c.metric; });
  add("claimed_low", [&](const ClaimRecord& c) { return number(c.claimed_low); });
  add("claimed_high", [&](const ClaimRecord& c) { return number(c.claimed_high); });
  add("measured", [&](const ClaimRecord& c) { return number(c.measured); });
  add("measured_low", [&](const ClaimRecord& c) { return number(c.measured_ci95_low); });
  add("measured_high", [&](const ClaimRecord& c) { return number(c.measured_ci95_high); });
  add("tolerance", [&](const ClaimRecord& c) { return number(c.tolerance); });
  add("basis", [](const ClaimRecord& c) { return c.basis; });
  add("verdict", [](const ClaimRecord& c) { return std::string(name_of(c.verdict)); });
  add("reason", [](const ClaimRecord& c) { return c.reason; });
  return reporting::set_csv(columns);
}

std::string claims_json_lines(const std::vector<ClaimRecord>& claims) {
  std::string text;
  for (const ClaimRecord& claim : claims) {
    text += dumped(as_json(claim, "claim")) + "\n";
  }
  return text;
}

std::string claims_junit(const std::vector<ClaimRecord>& claims, const std::string& started) {
  return reporting::junit_xml({{.name = "published claims",
                                .started = started,
                                .host = {},
                                .properties = {},
                                .cases = reporting::claim_cases(shown(claims)),
                                .output = {},
                                .errors = {}}});
}

}  // namespace scalemark::claims
