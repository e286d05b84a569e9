#include "report/say/table/text_table.h"

#include <algorithm>
#include <cctype>

#include "core/base/characters.h"
#include "core/base/terminal.h"
#include "core/base/text.h"

namespace scalemark::reporting {
namespace {

constexpr const char* kGap = "  ";

using scalemark::width_of;

std::string padded(const std::string& text, std::size_t width, bool left) {
  const std::string blanks(width - std::min(width, width_of(text)), ' ');
  return left ? text + blanks : blanks + text;
}

bool is_word(std::string_view text, std::size_t at) {
  return at < text.size() && std::isalnum(static_cast<unsigned char>(text[at]));
}

// Whether a spreadsheet may compute the text of a cell instead of showing it. Signs before numbers,
// and before our intervals, are no formula. Source: OWASP, "CSV Injection".
bool is_formula(std::string_view cell) {
  constexpr std::string_view kWide[] = {"\xEF\xBC\x9D", "\xEF\xBC\xA0", "\xEF\xBC\x8B",
                                        "\xEF\xBC\x8D"};  // "=", "@", "+" and "-" in full width
  if (std::ranges::any_of(kWide, [&](auto sign) { return cell.starts_with(sign); })) return true;
  if (cell.empty() || std::string_view("=@\t\r\n+-").find(cell[0]) == std::string_view::npos)
    return false;
  if (cell[0] != '+' && cell[0] != '-') return true;
  return std::ranges::any_of(split(cell, " to "), [](std::string_view number) {
    return number.find_first_not_of("0123456789.,+- %eE") != std::string_view::npos;
  });
}

// Whether the character at `at` starts or ends markup in Markdown. Within a word "_" does not.
bool is_markup(std::string_view text, std::size_t at) {
  if (text[at] == '_') return at == 0 || !is_word(text, at - 1) || !is_word(text, at + 1);
  return std::string_view("*`[]\\|&~").find(text[at]) != std::string_view::npos;
}

std::vector<Column> with_plain_cells(std::vector<Column> columns) {
  for (Column& column : columns) {
    for (std::string& line : column.head) line = with_blanks(line);
    for (std::string& cell : column.cells) cell = with_blanks(cell);
  }
  return columns;
}

std::size_t width_of(const Column& column) {
  std::size_t width = 0;
  for (const auto& line : column.head) width = std::max(width, width_of(line));
  for (const auto& cell : column.cells) width = std::max(width, width_of(cell));
  return width;
}

void end_line(std::string& text) {
  text.erase(text.find_last_not_of(' ') + 1);
  text += '\n';
}

}  // namespace

std::string interval_text(const std::optional<double>& low, const std::optional<double>& high,
                          std::string (*text)(double)) {
  return low && high ? text(*low) + " to " + text(*high) : kAbsent;
}

std::string markdown_text(std::string_view text) {
  const std::string line = with_blanks(text);
  std::string result;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '<') {
      result += "&lt;";
      continue;
    }
    if (is_markup(line, i)) result += '\\';
    result += line[i];
  }
  return result;
}

std::string set_text(const std::vector<Column>& given) {
  const std::vector<Column> columns = with_plain_cells(given);
  std::size_t head_lines = 0, rows = 0;
  std::vector<std::size_t> widths;  // once: an acceptance has hundreds of thousands of rows
  for (const auto& column : columns) {
    head_lines = std::max(head_lines, column.head.size());
    rows = std::max(rows, column.cells.size());
    widths.push_back(width_of(column));
  }
  std::string text;
  const auto add = [&](std::size_t i, const std::string& cell) {
    text += (i == 0 ? "" : kGap) + padded(cell, widths[i], columns[i].left);
  };
  for (std::size_t line = 0; line < head_lines; ++line) {
    for (std::size_t i = 0; i < columns.size(); ++i) {  // short heads are on the last line
      const std::vector<std::string>& head = columns[i].head;
      const std::size_t above = head_lines - head.size();
      add(i, line < above ? "" : head[line - above]);
    }
    end_line(text);
  }
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t i = 0; i < columns.size(); ++i) add(i, columns[i].cells.at(row));
    end_line(text);
  }
  return text;
}

std::string set_markdown(const std::vector<Column>& columns) {
  std::string head = "|", rule = "|", body;
  std::size_t rows = 0;
  for (const auto& column : columns) {
    std::string title;
    for (const auto& line : column.head) title += (title.empty() ? "" : " ") + line;
    head += " " + markdown_text(title) + " |";
    rule += column.left ? " --- |" : " ---: |";
    rows = std::max(rows, column.cells.size());
  }
  for (std::size_t row = 0; row < rows; ++row) {
    body += "|";
    for (const auto& column : columns) {
      body += " " + markdown_text(column.cells.at(row)) + " |";
    }
    body += "\n";
  }
  return head + "\n" + rule + "\n" + body;
}

std::string set_csv(const std::vector<Column>& columns) {
  std::string text;
  for (const Column& column : columns) {
    text += (text.empty() ? "" : ",") + csv_cell(joined(column.head, " "));
  }
  text += "\r\n";
  for (std::size_t row = 0; row < columns.front().cells.size(); ++row) {
    for (const Column& column : columns) {
      text += (&column == &columns.front() ? "" : ",") + csv_cell(column.cells.at(row));
    }
    text += "\r\n";
  }
  return text;
}

std::size_t table_width(const std::vector<Column>& columns) {
  std::size_t width = 0;
  for (const Column& column : with_plain_cells(columns)) {
    width += (width == 0 ? 0 : std::string_view(kGap).size()) + width_of(column);
  }
  return width;
}

std::string csv_cell(const std::string& given) {
  const std::string text = is_formula(given) ? "'" + given : given;
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

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
