// Writes an acceptance in the forms that people and programs read. Pure; each has a line end last.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "core/base/terminal.h"
#include "core/base/text.h"
#include "report/accept/acceptance.h"
#include "report/say/render/answer/answer.h"
#include "report/say/table/text_table.h"

namespace scalemark::acceptance {

// The rest of the answer says how to continue, and which files were written.
struct Next {
  std::string again;            // command that starts undecided nodes again; empty: none is known
  std::string lacking;          // command for nodes that were not measured; empty: none is known
  std::string lacking_on = {};  // the nodes on which a person types it; empty: on any
  std::string judged;           // command that judged them
  std::string all;              // command that prints everything; empty: this text is everything
  std::vector<std::string> files;  // paths
};

// Writes for the person who has to decide by noon what goes back: at most 10 lines before they are
// wrapped to terminal.columns.
std::string hand_over(const Acceptance& acceptance, const Next& next, const Terminal& terminal);

// Lists each check with its limit, and how many parts and starts of it the reports hold.
reporting::Section plan_of(const Acceptance& acceptance, const Rules& rules);

// Lists what did not pass, what was compared, and every check, worst first.
std::string details_text(const Acceptance& acceptance, const Terminal& terminal);
std::string markdown_text(const Acceptance& acceptance);

// Returns the nodes with this outcome, by the scheduler's names where it has any.
std::vector<std::string> names_of(const Acceptance& acceptance, Outcome outcome);

// Writes the head, then classes, nodes and checks, as one JSON object per line (schema
// scalemark.acceptance/1).
std::string json_lines(const Acceptance& acceptance);

// Further starts may decide these nodes; the next look needs `starts` more.
struct Undecided {
  std::set<std::string> hosts;
  // Nodes to measure again, by the scheduler's names where it has any: these, and of each class in
  // which they are compared two decided ones, which show what a session has in common.
  std::vector<std::string> nodes;
  std::size_t starts = 0;
};
Undecided undecided_of(const Acceptance& acceptance);
// Return a list as Slurm reads it, "n[003,017]", and an empty line where there is none: nodes to
// measure again; nodes to keep jobs away from; expected nodes without a report; and nodes half of
// whose links failed, with some sound ones, where not all pairs of nodes were measured: those of
// the list can be.
std::string undecided_text(const Acceptance& acceptance);
std::string exclude_text(const Acceptance& acceptance);
std::string absent_text(const Acceptance& acceptance);
std::string suspects_text(const Acceptance& acceptance);

// A training over several nodes, as one report has it.
struct FleetTraining {
  std::string name;   // its class: the group, and its nodes where others made the same training
  std::string group;  // in the report
  const NamedReport* report = nullptr;
};
// Returns the first training that scales badly, or else may, by the report that was judged; absent:
// there is none, or the report does not say how it scales. `reports` are those that were judged by
// `rules`, in the order of time, and must outlive it.
std::optional<FleetTraining> badly_scaling(const Acceptance& acceptance, const Rules& rules,
                                           std::span<const NamedReport> reports);

// Writes a suite per node and a case per check and part: failed is a failure; unsure and missing
// are errors, since green must mean passed.
std::string junit_text(const Acceptance& acceptance);

// Writes one HTML page that opens offline, in the frame of a report's page. `at`: RFC 3339.
std::string page_text(const Acceptance& acceptance, const std::string& at);

// Writes a shell script that drains the nodes which failed or are missing, one line per reason;
// kubectl's commands stand beside as comments. `at`: RFC 3339. Nothing is run.
std::string drain_text(const Acceptance& acceptance, const std::string& at);

// --- The forms share these. Private to this folder.

// "send back or repair n[003,005]; 6 of 8 nodes passed, 2 failed (64 devices)"
std::string headline(const Acceptance& acceptance);
// Says how small a fault is found, what it is compared with, and whether nodes without a report are
// known.
std::vector<std::string> reach_of(const Acceptance& acceptance);
// Returns what is below the headline: failed parts, reach, what is open, what would decide it.
reporting::Answer answer_of(const Acceptance& acceptance, const Next& next);
// Returns which stages stopped early, then doubts, then notes.
std::vector<std::string> remarks_of(const Acceptance& acceptance);
// The results must outlive it: those of a large fleet take too much memory to be copied.
std::vector<const CheckResult*> worst_first(const Acceptance& acceptance);
std::string limit_text(const CheckResult& result);  // "95.0 % of what 3 of 8 devices reach"
// Returns machines listed under a worse outcome: what else is open about them decides nothing.
std::set<std::string> hosts_worse_than(const Acceptance& acceptance, Outcome outcome);

// Parts that did not pass are listed under these titles, in the order of kOutcomeTitles.
struct OutcomeTitle {
  Outcome outcome;
  const char* title;
};
inline constexpr OutcomeTitle kFailedParts{Outcome::kFailed, "failed"},
    kUndecided{Outcome::kUnsure, "undecided"}, kNotMeasured{Outcome::kMissing, "not measured"};
inline constexpr std::array kOutcomeTitles{kFailedParts, kUndecided, kNotMeasured};

// "matrix product; memory copy, physics": some names of checks hold commas.
std::string listed_checks(const std::set<std::string>& checks, std::size_t most);

// A sentence on a part, or on several alike, says what failed, with the number and its limit.
struct PartSentence {
  std::vector<std::string> parts;
  std::string text;
  bool stopped = false;  // Acceptance::stopped_early says it of all parts of its stage

  std::string names() const { return listed(parts, 3); }
  std::string in_words() const { return names() + ": " + text; }
};
std::vector<PartSentence> sentences_of(const Acceptance& acceptance, Outcome outcome);
// Gives the results of each host and its devices, in their order; links are no host's. The results
// must outlive it. A fleet has so many that nobody looks for those of one node among all.
using ResultsOfHosts = std::map<std::string, std::vector<const CheckResult*>>;
ResultsOfHosts results_of_hosts(const std::vector<CheckResult>& results);
// Counts the links of a node that were judged. One with several checks fails by any of them.
struct LinksOfNode {
  std::set<std::string> others;  // hosts
  std::size_t failed = 0, all = 0;
};
std::map<std::string, LinksOfNode> links_of_nodes(const Acceptance& acceptance);  // by host
// Returns the first thing that is wrong with a node which did not pass.
std::string reason_of(const NodeResult& node, const ResultsOfHosts& results);

}  // namespace scalemark::acceptance
