#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/number_words.h"
#include "report/judge/judge.h"
#include "report/record/point_facts.h"
#include "report/say/render/answer/answer.h"
#include "report/say/render/text.h"
#include "report/say/table/text_table.h"
#include "report/say/words/words.h"

namespace scalemark::reporting {
namespace {

// A code span of Markdown may hold backticks that are fewer in a row than those around it.
std::string code_span(const std::string& text) {
  std::string ticks = "`";
  while (text.find(ticks) != text.npos) ticks += "`";
  const char* gap = ticks.size() > 1 ? " " : "";
  return ticks + gap + with_blanks(text) + gap + ticks;
}

// It says what was found, how surely, and whether it may be quoted: a person may need no more.
std::string sentence_of(const Answer& answer, std::span<const Report> about) {
  std::string found;
  if (answer.asked && answer.asked->speedup) {
    found = scaling_in_words(*answer.asked);
  } else {
    for (const Figure& figure : answer.figures)
      found += (found.empty() ? "" : "; ") + figure.value + " " + figure.label;
  }
  if (found.empty()) return "";
  std::string text = "**" + markdown_text(found) + "**";
  const std::string quoting =
      about.size() == 1 ? quoting_in_words(about.front()) : quoting_words(about);
  return text + (quoting.empty() ? "" : "; " + markdown_text(quoting)) + "\n\n";
}

}  // namespace

std::string set_summary(const Answer& answer, std::span<const Report> about) {
  std::string text = sentence_of(answer, about);
  const auto items = [&](const std::vector<std::string>& lines, const char* mark) {
    for (const std::string& line : lines)
      text += std::string("- ") + mark + markdown_text(line) + "\n";
  };
  if (!answer.what.empty()) {
    std::string what = answer.what;  // its columns of blanks mean nothing in Markdown
    for (auto at = what.find("  "); at != what.npos; at = what.find("  ", at))
      what.replace(at, 2, ", ");
    text += "**" + markdown_text(what) + "**";
  }
  if (!answer.effort.empty()) text += ", " + markdown_text(answer.effort);
  text += "\n";
  if (!answer.table.empty()) text += "\n" + set_markdown(answer.table);
  text += "\n";
  items(answer.parts, "**!!** ");
  items(answer.found, "");
  items(answer.notes, "**!** ");
  if (answer.asked && answer.asked->efficiency.value_or(1) < 1) {
    const std::string why = waterfall_in_words(*answer.asked);
    if (!why.empty())
      items({"why not " + significant(answer.asked->ideal(), 3) + " x: " + why}, "");
  }
  for (const auto& [wish, command] : answer.next)
    text += "- " + markdown_text(wish) + ": " + code_span(command) + "\n";
  std::set<std::string> machines;
  for (const Report& report : about) {
    const std::string machine = machine_line(report);
    machines.insert(program_line(report) + (machine.empty() ? "" : ", " + machine) + ", " +
                    report.started.substr(0, std::string_view("2026-11-30").size()));
  }
  items({machines.begin(), machines.end()}, "");
  return text;
}

}  // namespace scalemark::reporting
