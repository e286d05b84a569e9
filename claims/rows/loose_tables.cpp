// Finds tables without lines between their columns: aligned by blanks, or a list of counts.

#include <algorithm>
#include <string>

#include "claims/rows/columns.h"
#include "claims/rows/gpu_counts.h"
#include "claims/rows/text_tables.h"
#include "core/base/characters.h"
#include "core/base/text.h"

namespace scalemark::tables {
namespace {

constexpr std::size_t kLongestLine = 1000;  // bytes; a longer one is prose

// Splits at tabs and at `blanks` or more blanks. What stands in brackets belongs to the field
// before it.
Cells fields_of(std::string_view line, std::size_t blanks) {
  Cells fields;
  std::size_t i = 0;
  while (i < line.size()) {
    const std::size_t begin = line.find_first_not_of(" \t", i);
    if (begin == std::string_view::npos) break;
    i = begin;
    while (i < line.size()) {
      const std::size_t end = std::min(line.find_first_of(" \t", i), line.size());
      const std::size_t next = std::min(line.find_first_not_of(" \t", end), line.size());
      const bool tab = line.substr(end, next - end).find('\t') != std::string_view::npos;
      const bool bracket = next < line.size() && line[next] == '(' && next - end == 1;
      i = end;
      if (next >= line.size() || tab || (next - end >= blanks && !bracket)) break;
      i = next;
    }
    fields.push_back(trimmed(line.substr(begin, i - begin)));
  }
  return fields;
}

// The line above a table, without marks of a heading.
std::string title_of(std::string_view line) {
  return plain_text(
      line.substr(std::min(line.find_first_not_of("# "), line.size())).substr(0, 100));
}

// Whether these are the headers of a table that can be judged.
bool are_headers(std::string_view line, std::size_t blanks) {
  if (line.size() > kLongestLine ||
      !has_any(lower_case(line), {"gpu", "node", "device", "rank", "worker", "process", "world"}))
    return false;
  const Cells fields = fields_of(line, blanks);
  bool counts = false, measures = false;
  for (const std::string& field : fields) {
    if (is_digit_at(field, 0)) return false;
    const ColumnKind kind = meaning_of(plain_text(field)).kind;
    counts = counts || kind == ColumnKind::kGpus || kind == ColumnKind::kNodes ||
             kind == ColumnKind::kChip;
    measures = measures || is_measure(kind);
  }
  return counts && measures;
}

bool is_only_a_rule(std::string_view line) {
  return line.find_first_not_of("-= \t") == std::string_view::npos && !trimmed(line).empty();
}

// A first field more than there are headers is the number of the row.
void add_aligned_row(Cells fields, std::size_t line, TextTable& table) {
  if (fields.size() == table.header.size() + 1) fields.erase(fields.begin());
  table.rows.push_back(std::move(fields));
  table.places.push_back("line " + std::to_string(line));
}

// Reads on while lines have as many fields as the headers, or one more.
std::size_t read_aligned(const std::vector<std::string_view>& lines, std::size_t begin,
                         std::size_t blanks, TextTable& table) {
  table.header = fields_of(lines[begin], blanks);
  std::size_t i = begin + 1;
  for (; i < lines.size() && lines[i].size() <= kLongestLine; ++i) {
    if (is_only_a_rule(lines[i])) continue;
    Cells fields = fields_of(lines[i], blanks);
    const std::size_t more = fields.size() - std::min(fields.size(), table.header.size());
    if (fields.size() < table.header.size() || more > 1) break;
    add_aligned_row(std::move(fields), i + 1, table);
  }
  return i;
}

// A line of a list: "- 8 GPUs: 25 images/s, 7.6x" is a count and cells.
struct Listed {
  std::string count;
  Cells cells;
};

Listed listed_in(std::string_view line) {
  if (line.size() > kLongestLine) return {};
  std::string text = plain_text(line);
  while (!text.empty() && std::string_view("-*+> ").find(text[0]) != std::string_view::npos)
    text.erase(0, 1);
  for (const std::string_view sign : {":", "->", "=>", "="}) {
    const std::size_t at = text.find(sign);
    if (at == std::string::npos) continue;
    Listed found{.count = trimmed(text.substr(0, at)), .cells = {}};
    const auto machines = machines_in(found.count);
    if (!machines || !machines->gpus) continue;
    for (const std::string_view part : split(std::string_view(text).substr(at + sign.size()), ", "))
      found.cells.push_back(trimmed(part));
    return found;
  }
  return {};
}

const char* header_of(const std::string& cell) {
  const Cell read = read_cell(cell);
  const Unit unit = read.values.empty() ? Unit::kOther : read.values[0].unit;
  return unit == Unit::kRate      ? "Throughput"
         : unit == Unit::kTime    ? "Time"
         : unit == Unit::kTimes   ? "Speedup"
         : unit == Unit::kPercent ? "Efficiency"
                                  : nullptr;
}

// Puts each cell below the header of its unit. Returns false for a line without any.
bool add_listed_row(const Listed& listed, std::size_t line, TextTable& table) {
  Cells row{listed.count};
  for (const std::string& cell : listed.cells) {
    const char* header = header_of(cell);
    if (!header) continue;
    const auto at = std::ranges::find(table.header, header);
    const auto column = static_cast<std::size_t>(at - table.header.begin());
    if (at == table.header.end()) table.header.emplace_back(header);
    row.resize(std::max(row.size(), column + 1));
    if (row[column].empty()) row[column] = cell;
  }
  if (row.size() == 1) return false;
  table.rows.push_back(std::move(row));
  table.places.push_back("line " + std::to_string(line));
  return true;
}

}  // namespace

std::vector<TextTable> aligned_tables(std::string_view text) {
  const auto lines = lines_of(text);
  std::vector<TextTable> tables;
  std::string above;
  for (std::size_t i = 0; i < lines.size();) {
    std::size_t end = i + 1;
    for (const std::size_t blanks : {2, 1}) {
      const bool heads = are_headers(lines[i], blanks);
      TextTable table{.name = above, .caption = above, .header = {}, .rows = {}, .places = {}};
      const std::size_t after = heads ? read_aligned(lines, i, blanks, table) : end;
      if (table.rows.empty()) continue;
      tables.push_back(std::move(table));
      end = after;
      break;
    }
    if (!trimmed(lines[i]).empty()) above = title_of(lines[i]);
    i = end;
  }
  return tables;
}

std::vector<TextTable> listed_tables(std::string_view text) {
  const auto lines = lines_of(text);
  std::vector<TextTable> tables;
  std::string above;
  bool open = false;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (trimmed(lines[i]).empty()) continue;
    const Listed listed = listed_in(lines[i]);
    if (!open) {
      tables.push_back(
          {.name = above, .caption = above, .header = {"GPUs"}, .rows = {}, .places = {}});
    }
    open = !listed.cells.empty() && add_listed_row(listed, i + 1, tables.back());
    if (open) continue;
    above = title_of(lines[i]);
    // One line makes no table.
    if (tables.back().rows.size() < 2) tables.pop_back();
  }
  if (!tables.empty() && tables.back().rows.size() < 2) tables.pop_back();
  return tables;
}

}  // namespace scalemark::tables
