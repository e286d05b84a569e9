// Writes what assess() finds: about five lines for a person, and an object for a program.
#include "claims/judge/claims.h"
#include "core/base/record_json.h"
#include "core/base/text.h"

namespace scalemark::claims {
namespace {

constexpr std::size_t kMostLines = 2;

void cut(std::vector<std::string>& lines) {
  if (lines.size() <= kMostLines) return;
  const std::size_t more = lines.size() - kMostLines;
  lines.resize(kMostLines);
  lines.back() += "; and " + std::to_string(more) + " more: --format json";
}

}  // namespace

std::string assessment_text(const Assessment& assessment, const Terminal& terminal) {
  constexpr std::size_t kLabel = 11;
  std::string text;
  const auto add = [&](std::string label, std::vector<std::string> lines, Ink ink = Ink::kDim) {
    cut(lines);
    for (const std::string& line : lines) {
      label.resize(kLabel, ' ');
      const std::string item = wrapped(line, text_width(terminal), kLabel, label);
      text += inked(terminal, ink, label) + item.substr(kLabel);
      label.clear();
    }
  };
  add("measured",
      {assessment.measured.empty() ? "nothing that is known here" : assessment.measured});
  if (!assessment.impossible.empty()) {
    add("cannot be", assessment.impossible, Ink::kRed);
  } else {
    add("cannot be",
        {assessment.is_compared()
             ? "nothing: " + counted(assessment.compared, "number") +
                   (assessment.compared == 1 ? " was" : " were") + " held against others"
             : "no two numbers of it were held against each other"});
  }
  add("unread", assessment.unread);
  add("published", assessment.published.empty()
                       ? std::vector<std::string>{"nothing to compare with"}
                       : assessment.published);
  add("limit", assessment.limits);
  add("probably", assessment.suspicions);
  add("note", assessment.notes);
  // A command that is broken into lines could not be copied, nor one with a comment behind it.
  for (const std::string& command : assessment.next) {
    std::string label = command.starts_with("scalemark judge ") ? "next" : "run there";
    label.resize(kLabel, ' ');
    text += inked(terminal, Ink::kDim, label) + command + "\n";
  }
  return text;
}

std::string assessment_json(const Assessment& assessment) {
  return dumped(FieldJson{{"schema", "scalemark.assessment/1"},
                          {"exit_code", static_cast<int>(assessment.exit_code)},
                          {"measured", assessment.measured},
                          {"compared", assessment.compared},
                          {"cannot_be", assessment.impossible},
                          {"unread", assessment.unread},
                          {"published", assessment.published},
                          {"limit", assessment.limits},
                          {"probably", assessment.suspicions},
                          {"notes", assessment.notes},
                          {"next", assessment.next}},
                2) +
         "\n";
}

}  // namespace scalemark::claims
