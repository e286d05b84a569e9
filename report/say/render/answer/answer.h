// The answer that a person reads at the end of a run: what was found, how sure it is, what to do
// next. Pure; every number is the report's own.
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

// A number that is to be read first, with its label.
struct Figure {
  std::string value, label;
};

// The short answer before it is laid out in lines.
struct Answer {
  std::vector<Figure> figures;  // at most three; shown on the page
  // A reader may ask about the missing speed-up of this row of the report; where there is none,
  // about why that of this one is withheld. Null: about neither.
  const ScalingRow* asked = nullptr;

  // Parts of the machine that are proven slow or wrong, in one sentence each.
  std::vector<std::string> parts;
  std::string what;    // "mlp, batch 64 per rank, fp32, ddp over gloo"
  std::string effort;  // "3 runs each, 1:46"
  std::vector<Column> table;
  std::vector<std::string> found;  // at most four sentences on what the table does not show
  std::vector<std::string> notes;  // reasons to doubt the numbers, gravest first; at most three
  // Things that a person may want next, each with the command or file for it.
  std::vector<std::pair<std::string, std::string>> next;
};

// `folder` is the report's, which the commands name. Empty: commands are left out. `end_is_told`:
// the reader knows that the run did not come to its end, and how it goes on.
Answer answer_of(const Report& report, const std::string& folder, bool end_is_told = false);

// Lays out the answer, at most terminal.columns wide as far as words and tables allow. It ends with
// a line end.
std::string set_answer(const Answer& answer, const Terminal& terminal);

// An answer says these besides, which its reports do not hold.
struct Besides {
  // Says in one line what others reached on the chip of the reports; empty: nothing is known. The
  // published rows are known to the program alone. Null: nothing is said.
  std::string (*published)(std::span<const Report>) = nullptr;
  std::string events;  // folder of the run's event files for TensorBoard; empty: there are none
  bool has_tensorboard = false;  // the program that shows them
  bool end_is_told = false;      // see answer_of()
};

// Writes one answer for each sweep, and one for all single runs of several reports, with a blank
// line between. `places` says where each report is, as typed: a folder or a file. Empty: commands
// and names are left out.
std::string render_answer(std::span<const Report> reports, const std::vector<std::string>& places,
                          const Terminal& terminal, Withheld withheld = Withheld::kLeftOut,
                          const Besides& besides = {});
// Does the same for reports that for_people() has returned.
std::string answers_of(std::span<const Report> reports, const std::vector<std::string>& places,
                       const Terminal& terminal, const Besides& besides = {});
// Writes the same as Markdown for an issue tracker, with the version and the machine, and without
// commands and names of files, which mean nothing elsewhere.
std::string summaries_of(std::span<const Report> reports, const Besides& besides = {});

// --- The answers of each kind of report. Private to this folder.

Answer answer_of_sweep(const Report& report, const std::string& folder);
Answer answer_of_collectives(const Report& report, const std::string& folder);
Answer answer_of_runs(const Report& report, const std::string& folder);
// Puts reports side by side; each has a point. `places` has one entry per report, or none.
Answer answer_of_several(std::span<const Report> runs, const std::vector<std::string>& places);

// Lays out an answer about these reports as Markdown. Who reads it has neither the folder nor the
// machine.
std::string set_summary(const Answer& answer, std::span<const Report> about);

// Returns the folder that holds a report and its other files. Empty for a file of another name.
std::string folder_of(const std::string& place);

inline constexpr std::size_t kMostNotes = 3;

inline constexpr std::size_t kMostRows = 30;

// Writes "one run each, 0:24": the fewest and most repetitions, and how long all took.
std::string effort_text(const Report& report);

// Writes "2 machines: AMD EPYC 9654, 96 cores, 8 x NVIDIA H100".
std::string machine_line(const Report& report);

// Writes "scalemark 0.9.0 (605f0c931471)": the program that measured, and its commit.
std::string program_line(const Report& report);

// --- A page for an answer that is not a report's, in the frame of reports' pages.

struct AnswerPage {
  std::string title, verdict;  // verdict: one of the `verdicts` of page/sections.js
  Answer answer;
  std::vector<Section> sections;
  std::vector<Plot> figures;
  std::vector<std::string> facts;  // place and time of the measurement
  std::string text;                // shown by a browser without scripts
};

std::string render_page(const AnswerPage& page);

}  // namespace scalemark::reporting
