// An acceptance in the forms that people and other programs read. Pure; each ends with a line end.
#pragma once

#include <array>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/terminal.h"
#include "core/reporting/acceptance/acceptance.h"

namespace scalemark::acceptance {

// The rest of the hand-over: how to go on, and with which files.
struct Next {
  std::string again;   // command that starts undecided nodes again; empty: none is known
  std::string judged;  // command that judged them
  std::vector<std::string> files;  // that were written
};

// For the person who has to say by noon what goes back: at most 20 lines of terminal.columns.
std::string hand_over(const Acceptance& acceptance, const Next& next, const Terminal& terminal);

// Each check with its limit, and how many parts and starts of it the reports hold.
std::string plan_text(const Acceptance& acceptance, const Rules& rules);

// All checks, worst first.
std::string table_text(const Acceptance& acceptance);
std::string markdown_text(const Acceptance& acceptance);

// The head, then classes, nodes and checks: one JSON object per line, schema
// scalemark.acceptance/1.
std::string json_lines(const Acceptance& acceptance);

// The nodes that further starts may decide, and how many of these the next look needs.
struct Undecided {
  std::set<std::string> hosts;
  // To be measured again, as the scheduler names them where it does: the same, and of each class
  // that they are compared in two decided ones, which tell what a session has in common.
  std::vector<std::string> nodes;
  std::size_t starts = 0;
};
Undecided undecided_of(const Acceptance& acceptance);
std::string undecided_text(const Acceptance& acceptance);  // "n[003,017]"; empty line: none

// A suite per node, a case per check and part: failed is a failure; unsure and missing are errors,
// since green must mean passed.
std::string junit_text(const Acceptance& acceptance);

// One HTML page that opens offline: hand-over, a strip of parts per class, a matrix of links. `at`:
// RFC 3339.
std::string page_text(const Acceptance& acceptance, const std::string& at);

// A shell script that drains the nodes which failed or are missing, one line per reason; kubectl's
// commands stand beside as comments. `at`: RFC 3339. Nothing is run.
std::string drain_text(const Acceptance& acceptance, const std::string& at);

// --- What the forms share. Private to this folder.

// Machines that are told under a worse outcome: what else is open about them decides nothing.
std::set<std::string> hosts_worse_than(const Acceptance& acceptance, Outcome outcome);
// "8 nodes, 64 devices: 6 passed, 2 failed, 0 undecided"
std::string head_text(const Acceptance& acceptance);
// How slow a part must be to be found, which baseline the limits come from, and whether nodes
// without a report are known: one line each.
std::vector<std::string> resolution(const Acceptance& acceptance);
// Doubts, then notes.
std::vector<std::string> remarks_of(const Acceptance& acceptance);

// Parts that did not pass are told in this order.
struct OutcomeTitle {
  Outcome outcome;
  const char* title;
};
inline constexpr std::array kOutcomeTitles{OutcomeTitle{Outcome::kFailed, "failed"},
                                           OutcomeTitle{Outcome::kUnsure, "undecided"},
                                           OutcomeTitle{Outcome::kMissing, "needs your input"}};

// The text of page.css, which is built into the program.
extern const char* const kPageStyle;
// Pictures as SVG, which need no script. A strip has the parts of one class from left to right,
// node by node; upwards the share of the reference, with its 99 % interval; a part without a speed
// is a cross at the bottom. Empty: no part has a reference.
std::string strip_svg(const std::vector<const CheckResult*>& parts);
// A square for each pair of nodes, the darker the faster. Empty: no link has a value.
std::string links_svg(const std::vector<const CheckResult*>& links);

// The name of its machine that a scheduler knows.
std::string scheduler_name(const Part& part);

// One sentence for each part of an outcome: what failed, with the number and its limit.
struct PartSentence {
  std::string part, text;
};
std::vector<PartSentence> sentences_of(const Acceptance& acceptance, Outcome outcome);
// The first thing that is wrong with a node which did not pass.
std::string reason_of(const Acceptance& acceptance, const NodeResult& node);

}  // namespace scalemark::acceptance
