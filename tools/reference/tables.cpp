#include <algorithm>

#include "claims/lint/lint.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/live/pages.h"
#include "core/live/tensorboard/events.h"
#include "report/record/finding_kinds.h"
#include "report/say/render/render.h"
#include "tools/reference/field_list.h"
#include "tools/reference/reference.h"

namespace scalemark::reporting {
namespace {

// A "|" within a table would end the cell.
std::string cell(const std::string& text) {
  std::string escaped;
  for (const char c : text) escaped += c == '|' ? std::string("\\|") : std::string(1, c);
  return escaped;
}

std::string type_word(const FieldEntry& field) {
  switch (field.kind) {
    case FieldKind::kTruth:
      return "true/false";
    case FieldKind::kWhole:
      return "whole number";
    case FieldKind::kNumber:
      return "number";
    case FieldKind::kText:
      return "text";
    case FieldKind::kTime:
      return "time";
    case FieldKind::kWord:
    case FieldKind::kConstant:
      return "word";
    case FieldKind::kPair:
      return "[low, high]";
    case FieldKind::kFree:
      return "object";
    case FieldKind::kRecord:
      return "[" + field.record + "](#" + field.record + ")";
  }
  return {};
}

std::string type_text(const FieldEntry& field) {
  const char* nesting[] = {"", "list of ", "map to "};
  return nesting[static_cast<std::size_t>(field.nesting)] + type_word(field);
}

// The words that a field may hold come first, unless its meaning explains each.
std::string meaning_text(const FieldEntry& field) {
  const bool explained = std::ranges::all_of(field.words, [&](const std::string& word) {
    return field.meaning.find(word) != std::string::npos;
  });
  return explained ? field.meaning : joined(field.words, " | ") + ": " + field.meaning;
}

std::string row(const FieldEntry& field) {
  const char* presence[] = {"", "may be absent", "when ok"};
  return "| `" + field.name + "` | " + type_text(field) + " | " + field.unit + " | " +
         presence[static_cast<std::size_t>(field.presence)] + " | " + cell(meaning_text(field)) +
         " |\n";
}

std::string table_of(const RecordEntry& record) {
  std::string text = "\n| field | type | unit | | meaning |\n| --- | --- | --- | --- | --- |\n";
  for (const FieldEntry& field : record.fields) text += row(field);
  return text;
}

std::string section(const RecordEntry& record) {
  const bool whole = record.name == "report";
  const std::string head =
      whole ? "\n## The whole\n" : "\n## " + record.name + "\n\n" + record.meaning + ".\n";
  return head + table_of(record);
}

// The best level that it leaves, and whether --fail-on parts names it.
std::string verdict_cell(const FindingKind& kind) {
  std::string text = kind.costs == VerdictLevel::kQuotable ? "" : std::string(name_of(kind.costs));
  if (kind.blames == Blames::kPart) text += ", part";
  return text;
}

// Names in its templates, each once: those of values[], words[] and place. Briefs have some of the
// verdict besides.
std::string values_cell(const FindingKind& kind) {
  std::vector<std::string> names;
  const auto add = [&](std::string_view pattern, const std::vector<std::string>& others) {
    for (std::size_t at = 0; (at = pattern.find('{', at)) != std::string_view::npos;) {
      at += pattern[at + 1] == '+' ? 2 : 1;
      const std::string name(pattern.substr(at, pattern.find_first_of(":#?}", at) - at));
      if (std::ranges::count(names, name) + std::ranges::count(others, name) == 0)
        names.push_back(name);
    }
  };
  add(kind.text, {});
  add(kind.brief, {"text", "some_runs", "more"});
  return joined(names, ", ");
}

std::string finding_rows(FindingScope scope) {
  std::string text =
      "\n| code | severity | domain | verdict | said when | values |\n"
      "| --- | --- | --- | --- | --- | --- |\n";
  for (const FindingKind& kind : all_finding_kinds()) {
    if (kind.scope != scope) continue;
    text += "| `" + std::string(kind.code) + "` | " + kind.severity + " | " +
            std::string(name_of(kind.domain)) + " | " + verdict_cell(kind) + " | " +
            cell(kind.said_when) + " | " + values_cell(kind) + " |\n";
  }
  return text;
}

// Writes a template without its signs: names for the values, and the last of alternatives.
std::string plain_template(std::string_view pattern) {
  std::string text;
  while (!pattern.empty()) {
    if (pattern.front() == '[') {
      const std::size_t end = pattern.find(']');
      std::string_view last = pattern.substr(1, end - 1);
      last.remove_prefix(last.rfind('|') == std::string_view::npos ? 0 : last.rfind('|') + 1);
      text += last;
      pattern.remove_prefix(end + 1);
    } else {
      text += pattern.front();
      pattern.remove_prefix(1);
    }
  }
  return text;
}

void replace_between(std::string& page, const std::string& name, const std::string& text) {
  const std::string begin = "<!-- generated: " + name + " -->\n",
                    end = "<!-- end: " + name + " -->";
  const std::size_t from = page.find(begin), to = page.find(end);
  if (from == std::string::npos || to == std::string::npos || to < from) {
    throw bad_data("the page has no lines '" + begin.substr(0, begin.size() - 1) + "' and '" + end +
                   "'");
  }
  page.replace(from + begin.size(), to - from - begin.size(), text + "\n");
}

}  // namespace

std::string field_tables() {
  std::string text;
  for (const RecordEntry& record : report_records()) text += section(record);
  return text;
}

std::string finding_tables() {
  return "\nOf a point:\n" + finding_rows(FindingScope::kOfPoint) +
         "\nAbout a sweep as a whole; a new summary replaces them:\n" +
         finding_rows(FindingScope::kOfSweep) + "\nOf collectives and links:\n" +
         finding_rows(FindingScope::kOfCollectives);
}

std::string with_words(std::string_view page) {
  std::string text(page), table = "\n| word | meaning |\n|---|---|\n";
  for (const OurWord& one : our_words())
    table += std::string("| ") + one.word + " | " + cell(one.meaning) + " |\n";
  replace_between(text, "words", table);
  return text;
}

std::string with_rules(std::string_view page) {
  std::string text(page);
  replace_between(text, "rules", lint::explanations_markdown());
  return text;
}

std::string with_causes(std::string_view page) {
  std::string text(page);
  std::string table =
      "\n| code | domain, layer | usually | said when | try |\n|---|---|---|---|---|\n";
  for (const FindingKind& kind : all_finding_kinds()) {
    if (kind.scope != FindingScope::kOfStep) continue;
    const bool is_fault = kind.severity == std::string_view("warning");
    table += "| `" + std::string(kind.code) + "` | " + std::string(name_of(kind.domain)) + ", " +
             std::string(name_of(kind.layer)) + " | " + (is_fault ? "fault" : "cost") + " | " +
             cell(kind.said_when) + " | " + cell(plain_template(kind.remedy)) + " |\n";
  }
  replace_between(text, "causes", table);
  return text;
}

namespace {

std::string metric_table() {
  std::string text = "\n| name | kind | labels | meaning |\n| --- | --- | --- | --- |\n";
  for (const live::Metric& row : live::metrics()) {
    std::string labels = row.labels.empty() ? "" : "`" + row.labels + "`";
    for (std::size_t at = 0; (at = labels.find(',', at)) != std::string::npos; at += 4)
      labels.replace(at, 1, "`, `");
    text += std::string("| `scalemark_") + row.name + "` | " + std::string(name_of(row.kind)) +
            " | " + labels + " | " + cell(row.help) + " |\n";
  }
  return text;
}

}  // namespace

std::string with_live(std::string_view page) {
  std::string text(page), tables;
  for (const RecordEntry& record : top_records()) {
    tables += "\n### " + record.name + "\n\n" + record.meaning + ".\n" + table_of(record);
  }
  replace_between(text, "top", tables);
  replace_between(text, "metrics", metric_table());
  return text;
}

namespace {

std::string tag_table(bool is_live) {
  std::string text = "\n| tag | step | what it is |\n| --- | --- | --- |\n";
  for (const tensorboard::Tag& tag : tensorboard::tags()) {
    if (tag.is_live != is_live) continue;
    text += std::string("| `") + tag.name + "` | " + tag.step + " | " + tag.meaning + " |\n";
  }
  return text;
}

}  // namespace

std::string with_tables(std::string_view page) {
  std::string text(page);
  replace_between(text, "tags", tag_table(false));
  replace_between(text, "live tags", tag_table(true));
  replace_between(text, "fields", field_tables());
  replace_between(text, "findings", finding_tables());
  return text;
}

}  // namespace scalemark::reporting
