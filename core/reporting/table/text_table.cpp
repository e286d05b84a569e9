#include "core/reporting/table/text_table.h"

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

// Whether a program for tables may compute what the cell says instead of showing it. Signs before
// numbers, and before our intervals of them, are no formula. Source: OWASP, "CSV Injection".
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

// Whether the character at `at` starts or ends markup in Markdown. Inside a word "_" does not.
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
  for (const auto& column : columns) {
    head_lines = std::max(head_lines, column.head.size());
    rows = std::max(rows, column.cells.size());
  }
  std::string text;
  for (std::size_t line = 0; line < head_lines; ++line) {
    for (const auto& column : columns) {  // short heads go on the last line
      const std::size_t above = head_lines - column.head.size();
      const std::string head = line < above ? "" : column.head[line - above];
      text +=
          (&column == &columns.front() ? "" : kGap) + padded(head, width_of(column), column.left);
    }
    end_line(text);
  }
  for (std::size_t row = 0; row < rows; ++row) {
    for (const auto& column : columns) {
      text += (&column == &columns.front() ? "" : kGap) +
              padded(column.cells.at(row), width_of(column), column.left);
    }
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

}  // namespace scalemark::reporting
