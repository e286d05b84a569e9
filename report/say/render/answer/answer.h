// A person reads this at the end of a run: what was found, how sure, what next. Pure; every number
// is the report's own.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/base/terminal.h"
#include "report/judge/judge.h"
#include "report/record/report.h"
#include "report/say/render/figures/plot.h"
#include "report/say/table/text_table.h"

namespace scalemark::reporting {

// A number to be read first, and what it is.
struct Figure {
  std::string value, label;
};

// The short answer before it is set in lines.
struct Answer {
  std::vector<Figure> figures;  // at most three; for the page

  // These parts of the machine are proven slow or wrong: one sentence each.
  std::vector<std::string> parts;
  std::string what;    // "mlp, batch 64 per rank, fp32, ddp over gloo"
  std::string effort;  // "3 runs each, 1:46"
  std::vector<Column> table;
  std::vector<std::string> found;  // below the table, what it does not say: at most four
  std::vector<std::string> notes;  // reasons to doubt the numbers: at most three, gravest first
  // A person may want this next, and here is the command or file for it.
  std::vector<std::pair<std::string, std::string>> next;
};

// The commands name `folder`, the report's; empty: they are left out.
Answer answer_of(const Report& report, const std::string& folder);

// At most terminal.columns wide as far as words and tables allow; ends with a line end.
std::string set_answer(const Answer& answer, const Terminal& terminal);

// One answer for each sweep, and one for all single runs of several reports, a blank line between.
// `places`: where each report is, as typed: a folder, or a file; empty: commands and names are left
// out.
std::string render_answer(std::span<const Report> reports, const std::vector<std::string>& places,
                          const Terminal& terminal, Withheld withheld = Withheld::kLeftOut);
// The same of reports that for_people() gave.
std::string answers_of(std::span<const Report> reports, const std::vector<std::string>& places,
                       const Terminal& terminal);

// --- The answers of each kind of report. Private to this folder.

Answer answer_of_sweep(const Report& report, const std::string& folder);
Answer answer_of_collectives(const Report& report, const std::string& folder);
Answer answer_of_runs(const Report& report);
// Side by side; each report has a point. `places`: of each, or of none.
Answer answer_of_several(std::span<const Report> runs, const std::vector<std::string>& places);

// The folder beside whose report other files lie; empty for a file of another name.
std::string folder_of(const std::string& place);

inline constexpr std::size_t kMostNotes = 3;

inline constexpr std::size_t kMostRows = 30;

// "one run each, 0:24": the fewest and most repetitions, and how long all took.
std::string effort_text(const Report& report, int fewest, int most);

// "2 machines: AMD EPYC 9654, 96 cores, 8 x NVIDIA H100"
std::string machine_line(const Report& report);

// --- A page of an answer that is no report's, in the frame of reports' pages.

struct AnswerPage {
  std::string title, verdict;  // one of the `verdicts` of page/sections.js
  Answer answer;
  std::vector<Section> sections;
  std::vector<Plot> figures;
  std::vector<std::string> facts;  // where and when the numbers are from
  std::string text;                // for a browser without scripts
};

std::string render_page(const AnswerPage& page);

}  // namespace scalemark::reporting
