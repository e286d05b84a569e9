#include "claims/rows/show.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>

#include "claims/rows/mapping.h"
#include "claims/rows/names.h"
#include "core/base/record_json.h"
#include "core/base/terminal.h"
#include "core/base/text.h"
#include "report/say/table/text_table.h"

namespace scalemark::published {
namespace {

using reporting::column;
using reporting::Column;
using reporting::kAbsent;
using reporting::numbers;

std::string number_text(const std::optional<double>& value) {
  return value ? significant(*value, 9) : kAbsent;
}

std::string count_text(const std::optional<std::int64_t>& value) {
  return value ? std::to_string(*value) : kAbsent;
}

template <class Of>
std::string range_of(const NamedTable& table, Of of) {
  std::set<std::int64_t> values;
  for (const Row* row : table.rows) {
    if (const auto value = of(*row)) values.insert(*value);
  }
  if (values.empty()) return kAbsent;
  const std::string low = std::to_string(*values.begin());
  return values.size() == 1 ? low : low + " to " + std::to_string(*values.rbegin());
}

std::string network_of(const NamedTable& table) {
  std::vector<std::string> names;
  for (const Row* row : table.rows) {
    const std::string name = row->workload.empty() ? row->collective.value_or("") : row->workload;
    if (!name.empty() && std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  return names.empty() ? kAbsent : listed(names, 1);
}

// Writes "at least 0.8", "0.8 to 0.85", "about 1.37"; for a ratio without a number "more" or
// "less".
std::string claim_text(const Row& row) {
  if (row.metric.empty()) return number_text(row.throughput) + " " + row.unit;
  if (row.low && row.high) return significant(*row.low, 6) + " to " + significant(*row.high, 6);
  if (row.low) return "at least " + significant(*row.low, 6);
  if (row.high) return "at most " + significant(*row.high, 6);
  if (!row.value) return row.direction == "at_most" ? "less" : "more";
  const std::string how = row.direction == "at_least"  ? "at least "
                          : row.direction == "at_most" ? "at most "
                          : row.direction == "about"   ? "about "
                                                       : "";
  return how + significant(*row.value, 6);
}

std::string relative_text(const Row& row) {
  if (!row.relative_to) return "";
  const Relative& to = *row.relative_to;
  return to.row ? "against " + *to.row : *to.option + " " + *to.to + " against " + *to.from;
}

// Speed-ups by the id of their row, computed against the smallest count of the same series.
struct Computed {
  double speedup = 1, efficiency = 1;
};
std::map<std::string, Computed> computed_of(const NamedTable& table) {
  std::map<std::string, Computed> all;
  for (const auto& [id, base] : bases_of(table)) {
    const Row& row = *find_row(table, id);
    if (!row.throughput || !base->throughput) continue;
    const double speedup = *row.throughput / *base->throughput;
    all[id] = {speedup,
               speedup * static_cast<double>(*base->gpus) / static_cast<double>(*row.gpus)};
    all[base->id] = {};
  }
  return all;
}

std::vector<const Row*> rows_of(const NamedTable& table, bool with_metric) {
  std::vector<const Row*> rows;
  std::ranges::copy_if(table.rows, std::back_inserter(rows),
                       [&](const Row* row) { return row->metric.empty() != with_metric; });
  return rows;
}

// Returns an empty text for a section without rows.
std::string section_of(const std::vector<Column>& columns, const Terminal& terminal) {
  return columns.front().cells.empty() ? "" : reporting::section_text({"", columns, {}}, terminal);
}

std::string throughputs_text(const NamedTable& table, const Terminal& terminal) {
  const auto computed = computed_of(table);
  const auto rows = rows_of(table, /*with_metric=*/false);
  const auto of_computed = [&](double Computed::*member) {
    return [&computed, member](const Row& row) {
      const auto found = computed.find(row.id);
      return found == computed.end() ? std::nullopt : std::optional(found->second.*member);
    };
  };
  const auto digits = [](double value) { return significant(value, 9); };
  const auto decimals = [](double value) { return with_decimals(value, 2); };
  return section_of(
      {column({"row"}, true, rows, &Row::id),
       column({"GPUs"}, false, rows, [](const Row& row) { return count_text(row.gpus); }),
       column({"precision"}, true, rows,
              [](const Row& row) { return precision_text({row.precision}); }),
       numbers({"batch", "per GPU"}, rows, &Row::batch_per_gpu, digits),
       numbers({"rate", rows.empty() ? "" : rows.back()->unit}, rows, &Row::throughput, digits),
       numbers({"speed-up", "printed"}, rows, &Row::published_speedup, digits),
       numbers({"speed-up", "of rates"}, rows, of_computed(&Computed::speedup), decimals),
       numbers({"efficiency", "%"}, rows, of_computed(&Computed::efficiency), percent_text)},
      terminal);
}

// Writes "bert-large, nccl, 8 GPUs".
std::string subject_of(const Row& row) {
  std::vector<std::string> words{row.workload.empty() ? row.collective.value_or("") : row.workload};
  if (row.backend) words.push_back(*row.backend);
  if (row.gpus) words.push_back(counted(*row.gpus, "GPU"));
  if (row.bytes) words.push_back(size_text(static_cast<double>(*row.bytes)));
  if (words.front().empty()) words.erase(words.begin());
  return joined(words, ", ");
}

std::string claims_text(const NamedTable& table, const Terminal& terminal) {
  const auto rows = rows_of(table, /*with_metric=*/true);
  return section_of(
      {column({"row"}, true, rows, &Row::id), column({"of"}, true, rows, subject_of),
       column({"metric"}, true, rows, &Row::metric), column({"claimed"}, true, rows, claim_text),
       column({"by"}, true, rows, relative_text)},
      terminal);
}

// Writes "owner/name, README.md, commit 729963d".
std::string source_text(const Row& row) {
  return row.repo + ", " + row.path + (row.commit ? ", commit " + row.commit->substr(0, 12) : "") +
         (row.line ? ", line " + std::to_string(*row.line) : "");
}

std::string where_text(const Testability& one) {
  if (one.where == Testable::kHere) return "here";
  return (one.where == Testable::kElsewhere ? "elsewhere (" : "not (") + one.why + ")";
}

FieldJson json_of(const Row& row) { return as_json(row, "row"); }

// Makes a column of text cells for each field that one of the rows has, in the order of the list.
std::vector<Column> columns_of(const std::vector<NamedTable>& tables) {
  std::vector<FieldJson> rows;
  for (const NamedTable& table : tables) {
    for (const Row* row : table.rows) rows.push_back(json_of(*row));
  }
  std::vector<std::string> keys;
  for (const FieldJson& row : rows) {
    auto place = keys.begin();
    for (const auto& [key, value] : row.items()) {
      const auto found = std::ranges::find(keys, key);
      place = found == keys.end() ? keys.insert(place, key) + 1 : found + 1;
    }
  }
  std::vector<Column> columns;
  for (const std::string& key : keys) {
    Column& column = columns.emplace_back();
    column.head = {key};
    column.left = true;
    for (const FieldJson& row : rows) {
      const auto found = row.find(key);
      column.cells.push_back(found == row.end()         ? ""
                             : found->is_string()       ? found->get<std::string>()
                             : found->is_number_float() ? significant(found->get<double>(), 15)
                                                        : found->dump());
    }
  }
  return columns;
}

}  // namespace

Testability testability(const NamedTable& table, const Here& here) {
  std::map<Untestable, int> reasons;
  std::set<std::string> chips;
  std::int64_t most = 0;
  bool elsewhere = false;
  for (const Row* row : table.rows) {
    const Mapping mapping = map_row(*row);
    if (mapping.reason) {
      reasons[*mapping.reason]++;
      continue;
    }
    // A claim that names no machine holds for any.
    const bool any = mapping.point->chip.empty();
    const std::int64_t gpus = mapping.point->world_size.value_or(1);
    if (any || (mapping.point->chip == here.chip && gpus <= here.gpus))
      return {Testable::kHere, "", ""};
    elsewhere = true;
    most = std::max(most, gpus);
    chips.insert(mapping.point->chip);
  }
  if (elsewhere) return {Testable::kElsewhere, std::to_string(most) + " x " + listed(chips, 1), ""};
  const auto usual =
      std::ranges::max_element(reasons, {}, [](const auto& one) { return one.second; });
  const Untestable reason = usual == reasons.end() ? Untestable::kNumberMissing : usual->first;
  return {Testable::kNot, std::string(name_of(reason)), sentence_about(reason)};
}

namespace {

// A table's name, and behind it, or below where the line would be too wide, what it is.
std::string name_line(const NamedTable& table, const Here& here) {
  constexpr std::size_t kNames = 36, kWidth = 80;
  std::string line = table.name;
  const std::string what = network_of(table) + ", " + counted(table.rows.size(), "row") + ", " +
                           range_of(table, [](const Row& row) { return row.gpus; }) + " GPUs, " +
                           where_text(testability(table, here));
  line.resize(std::max(kNames, line.size()), ' ');
  if (line.size() + 2 + what.size() <= kWidth) return line + "  " + what + "\n";
  return table.name + "\n" + wrapped(what, kWidth, 4, "    ");
}

constexpr std::size_t kFewTables = 12;  // so many are named without being asked for

}  // namespace

std::string list_text(const std::vector<NamedTable>& tables, const Here& here, bool all_names,
                      const Terminal& terminal) {
  std::map<Testable, int> counts;
  std::size_t all = 0, impossible = 0;
  std::string names;
  for (const NamedTable& table : tables) {
    counts[testability(table, here).where]++;
    all += table.rows.size();
    for (const Row* row : table.rows) impossible += here.impossible.count(row->id);
    names += name_line(table, here);
  }
  std::string text = reached_text(tables, here, terminal);
  const bool named = all_names || text.empty() || tables.size() <= kFewTables;
  if (named) text += names + "\n";
  text += wrapped(counted(tables.size(), "table") + ", " + counted(all, "row") +
                      "; testable: " + std::to_string(counts[Testable::kHere]) + " here, " +
                      std::to_string(counts[Testable::kElsewhere]) +
                      " elsewhere (there rates, here ratios only), " +
                      std::to_string(counts[Testable::kNot]) + " not",
                  text_width(terminal), 2);
  if (impossible > 0)
    text += wrapped(counted(impossible, "row") + " cannot be true, and " +
                        (impossible == 1 ? "is" : "are") +
                        " left out of what was reached: scalemark published lint",
                    text_width(terminal), 2);
  if (!named) text += "scalemark published list --all   their names, too\n";
  std::vector<std::string> wide;
  for (const Alias& alias : aliases()) {
    const auto is_named = [&](const NamedTable& table) {
      return table.slug.starts_with(std::string(alias.slug) + "-");
    };
    const auto count = std::ranges::count_if(tables, is_named);
    const bool is_one = std::ranges::any_of(
        tables, [&](const NamedTable& table) { return table.slug == alias.slug; });
    if (count > 1 && !is_one)
      wide.push_back(std::string(alias.name) + " (" + std::to_string(count) + ")");
  }
  if (!wide.empty())
    text += wrapped("several tables at once: " + joined(wide, ", "), text_width(terminal), 2);
  return text + "scalemark published show TABLE   its rows\n";
}

std::string show_text(const NamedTable& table, const Here& here, const Terminal& terminal) {
  const std::size_t width = text_width(terminal);
  const Row& first = *table.rows.front();
  std::string text = table.name + "\n";
  std::string what = joined(
      std::vector<std::string>{first.framework.empty() ? "claims of guides" : first.framework,
                               network_of(table)},
      ", ");
  if (!first.system.empty()) what += ", " + first.system;
  text += wrapped(what, width, 2, "  ");
  text += wrapped(source_text(first), width, 2, "  ");
  const std::string throughputs = throughputs_text(table, terminal),
                    claims = claims_text(table, terminal);
  if (!throughputs.empty()) text += "\n" + throughputs;
  if (!claims.empty()) text += "\n" + claims;
  std::vector<std::pair<std::string, std::vector<std::string>>>
      notes;  // note -> ids of the rows that have it
  for (const Row* row : table.rows) {
    if (!row->note) continue;
    auto found = std::ranges::find(notes, *row->note, [](const auto& one) { return one.first; });
    if (found == notes.end()) found = notes.insert(found, {*row->note, {}});
    found->second.push_back(row->id);
  }
  for (const Row* row : table.rows) {
    const auto why = here.impossible.find(row->id);
    if (why != here.impossible.end())
      notes.push_back({"cannot be true: " + why->second, {row->id}});
  }
  if (!notes.empty()) text += "\n";
  for (const auto& [note, rows] : notes) {
    const std::string of = rows.size() == table.rows.size() ? "" : listed(rows, 2) + ": ";
    text += list_item(of + note, width);
  }
  const Testability one = testability(table, here);
  std::string why = one.sentence.empty() ? "" : ": " + one.sentence;
  if (one.where == Testable::kElsewhere) why = ": its rates there, its ratios on any hardware";
  return text + "\n" + wrapped("testable " + where_text(one) + why, width, 2);
}

std::string export_csv(const std::vector<NamedTable>& tables) {
  return reporting::set_csv(columns_of(tables));
}

std::string export_markdown(const std::vector<NamedTable>& tables) {
  return reporting::set_markdown(columns_of(tables));
}

std::string export_json_lines(const std::vector<NamedTable>& tables) {
  std::string text;
  for (const NamedTable& table : tables) {
    for (const Row* row : table.rows) text += dumped(json_of(*row)) + "\n";
  }
  return text;
}

}  // namespace scalemark::published
