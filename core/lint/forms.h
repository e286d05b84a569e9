// Findings of lint as text: for people, as Markdown, and as JSON Lines. Pure.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/base/terminal.h"
#include "core/lint/lint.h"

namespace scalemark::lint {

// The first line of a result counts these.
struct Judged {
  std::size_t tables = 0, rows = 0;
  std::size_t compared = 0;  // printed numbers that others of their table can contradict
};

// A line of counts, then each table with its findings, worst first.
std::string findings_text(std::span<const Finding> findings, const Judged& judged,
                          const Terminal& terminal);
std::string markdown_text(std::span<const Finding> findings, const Judged& judged);
// One object per finding: code, severity, table, row, text.
std::string json_lines(std::span<const Finding> findings);

// Explains `code`: its arithmetic, an example, what to do. Throws no_input() (66), with all
// codes, for one that lint does not know.
std::string explanation_text(const std::string& code, const Terminal& terminal);

// docs/LINT.md's table of all rules.
std::string explanations_markdown();

}  // namespace scalemark::lint
