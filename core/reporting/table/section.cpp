#include "core/reporting/table/section.h"

#include <algorithm>

#include "core/base/characters.h"
#include "core/base/terminal.h"
#include "core/base/text.h"

namespace scalemark::reporting {
namespace {

std::string row_in_words(const std::vector<Column>& columns, std::size_t row) {
  std::vector<std::string> facts;
  for (std::size_t i = 1; i < columns.size(); ++i) {
    const std::string& cell = columns[i].cells.at(row);
    if (cell.empty() || cell == kAbsent) continue;
    facts.push_back(joined(columns[i].head, " ") + " " + cell);
  }
  const std::string head = joined(columns.front().head, " ");
  const std::string name = head + (head.empty() ? "" : " ") + columns.front().cells.at(row);
  return facts.empty() ? name : name + ": " + joined(facts, ", ");
}

std::vector<std::string> rows_in_words(const std::vector<Column>& columns) {
  std::vector<std::string> rows;
  for (std::size_t row = 0; row < columns.front().cells.size(); ++row) {
    rows.push_back(row_in_words(columns, row));
  }
  return rows;
}

std::vector<Column> narrowed(std::vector<Column> columns, std::size_t width) {
  while (table_width(columns) > width) {
    const auto first = std::ranges::find(columns, true, &Column::may_go);
    if (first == columns.end()) break;
    columns.erase(first);
  }
  return columns;
}

std::string items(const std::vector<std::string>& lines, std::size_t width) {
  std::string text;
  for (const std::string& line : lines) text += list_item(line, width);
  return text;
}

}  // namespace

std::string section_text(const Section& section, const Terminal& terminal) {
  const auto width = text_width(terminal);
  std::string text;
  const std::vector<Column> columns =
      terminal.is_terminal ? narrowed(section.columns, width) : section.columns;
  if (!section.title.empty()) {
    text = inked(terminal, Ink::kBold, with_blanks(section.title)) + "\n";
  }
  if (!columns.empty()) {
    if (!text.empty()) text += "\n";
    const bool fits = !terminal.is_terminal || table_width(columns) <= width;
    text += fits ? set_text(columns) : items(rows_in_words(section.columns), width);
    if (!section.lines.empty()) text += "\n";
  }
  return text + items(section.lines, width);
}

std::string section_markdown(const Section& section) {
  std::string text = "\n";
  if (!section.title.empty()) text += "## " + markdown_text(section.title) + "\n\n";
  if (!section.columns.empty()) {
    text += set_markdown(section.columns) + (section.lines.empty() ? "" : "\n");
  }
  for (const std::string& line : section.lines) text += "- " + markdown_text(line) + "\n";
  return text;
}

}  // namespace scalemark::reporting
