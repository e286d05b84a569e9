#include "core/reporting/text_table.h"

#include <algorithm>

namespace scalemark::reporting {
namespace {

constexpr const char* kGap = "  ";

// Columns on a terminal, near enough: one for each UTF-8 character.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

std::string padded(const std::string& text, std::size_t width, bool left) {
  const std::string blanks(width - std::min(width, width_of(text)), ' ');
  return left ? text + blanks : blanks + text;
}

std::string escaped(std::string text) {
  for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2) {
    text.insert(at, "\\");
  }
  return text;
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

std::string set_text(const std::vector<Column>& columns) {
  std::size_t head_lines = 0, rows = 0;
  for (const auto& column : columns) {
    head_lines = std::max(head_lines, column.head.size());
    rows = std::max(rows, column.cells.size());
  }
  std::string text;
  for (std::size_t line = 0; line < head_lines; ++line) {
    for (const auto& column : columns) {  // short heads stand on the last line
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
    head += " " + escaped(title) + " |";
    rule += column.left ? " --- |" : " ---: |";
    rows = std::max(rows, column.cells.size());
  }
  for (std::size_t row = 0; row < rows; ++row) {
    body += "|";
    for (const auto& column : columns) body += " " + escaped(column.cells.at(row)) + " |";
    body += "\n";
  }
  return head + "\n" + rule + "\n" + body;
}

std::string list_item(const std::string& text, std::size_t width) {
  std::string result, line = "-";
  for (std::size_t begin = 0; begin < text.size();) {
    const auto end = std::min(text.find(' ', begin), text.size());
    const std::string word = text.substr(begin, end - begin);
    begin = end + 1;
    if (line.size() + 1 + word.size() > width && line.size() > 2) {
      result += line + "\n";
      line = " ";
    }
    line += " " + word;
  }
  return result + line + "\n";
}

}  // namespace scalemark::reporting
