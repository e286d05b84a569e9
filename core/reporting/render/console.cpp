#include <algorithm>

#include "core/reporting/render/render.h"
#include "core/reporting/render/sweep_sections.h"
#include "core/reporting/table.h"

namespace scalemark::reporting {
namespace {

constexpr std::size_t kWidth = 100;

// Words stay whole; further lines stand under the text.
std::string wrapped(const std::string& text) {
  std::string result, line = "-";
  for (std::size_t begin = 0; begin < text.size();) {
    const auto end = std::min(text.find(' ', begin), text.size());
    const std::string word = text.substr(begin, end - begin);
    begin = end + 1;
    if (line.size() + 1 + word.size() > kWidth && line.size() > 2) {
      result += line + "\n";
      line = " ";
    }
    line += " " + word;
  }
  return result + line + "\n";
}

std::string sweep_text(const Report& report) {
  std::string text;
  for (const auto& sentence : summary_in_words(report)) text += wrapped(sentence);
  for (const Section& section : sweep_sections(report)) {
    text += "\n" + section.title + "\n\n";
    if (!section.columns.empty())
      text += set_text(section.columns) + (section.lines.empty() ? "" : "\n");
    for (const auto& line : section.lines) text += wrapped(line);
  }
  return text;
}

}  // namespace

std::string render_console(std::span<const Report> reports) {
  std::string text;
  std::vector<Report> single;
  for (const Report& report : reports) {
    if (!is_sweep(report)) {
      single.push_back(report);
    } else {
      text += (text.empty() ? "" : "\n") + sweep_text(report);
    }
  }
  if (!single.empty() || reports.empty()) text += (text.empty() ? "" : "\n") + render_table(single);
  return text.ends_with('\n') ? text : text + "\n";
}

}  // namespace scalemark::reporting
