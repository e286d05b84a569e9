// Applies rules to the reports of a fleet: each part passes, fails, or stays undecided. Pure.
// ACCEPTANCE_RULE.md says how each outcome is found.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "report/accept/baseline.h"
#include "report/accept/rules.h"
#include "report/accept/series.h"
#include "report/accept/topology.h"

namespace scalemark::acceptance {

// A worse outcome stands later: a node is as bad as its worst check.
enum class Outcome { kPassed, kUnsure, kMissing, kFailed };
constexpr auto words_of(Outcome) {
  return std::to_array<Word<Outcome>>({{Outcome::kPassed, "passed"},
                                       {Outcome::kUnsure, "unsure"},
                                       {Outcome::kMissing, "missing"},
                                       {Outcome::kFailed, "failed"}});
}

// This check, which no rule has to name, is whether a node has a report that is complete.
inline constexpr const char* kReportCheck = "report";
inline constexpr const char* kNoReport = "no report";  // its reason where a node has none

// One check of one part.
struct CheckResult {
  std::string check, of_class;
  Part part;
  Outcome outcome = Outcome::kPassed;
  std::optional<double> value;  // in `unit`; several starts give exp of their mean ln
  std::string unit, fact;       // a fact has no value
  std::optional<double> of_reference, low, high;  // value / reference, and its 99 % interval
  std::optional<double> limit;                    // share of the reference, or a value
  std::string limit_from;       // names the value that the limit is a share of, or who set it
  std::size_t starts = 0;       // starts that count
  std::size_t more_starts = 0;  // how many more the next decision needs
  std::string why;              // one sentence without the part's name; empty: it passed
  // Set where the stage was stopped from outside or by its time limit: its node is not to blame.
  std::optional<bool> stopped;

  void conclude(Outcome how, std::string reason) {
    outcome = how;
    why = std::move(reason);
  }
};

// A class is a set of parts that were compared with each other.
struct CheckedClass {
  std::string check, of_class;
  PartKind of = PartKind::kDevice;
  std::size_t parts = 0;
  std::optional<double> reference;  // in `unit`
  std::string unit;
  std::string reference_from;   // "what 3 of 8 devices reach", or which baseline
  std::string not_in_baseline;  // why a baseline, where there is one, does not hold the class
  std::optional<double> smallest_decidable;  // a share: slowness of that size is found
  double limit = 0;                          // a share of the reference
  std::string doubt;                         // why its passes do not count; empty: they do
  std::vector<std::string> kept_out;  // faster than all others: the reference leaves them out
};

struct NodeResult {
  Part node;
  Outcome outcome = Outcome::kPassed;
  int devices = 0;                    // how many were measured
  std::vector<std::string> at_fault;  // checks that blame the node rather than its devices
};

// The caller expects these nodes, devices and reports.
struct Expected {
  std::vector<std::string> nodes;  // by either name; empty: those of the reports
  std::optional<int> devices_per_node;
  // Reports that are expected and could not be read: path, and what is wrong.
  std::vector<std::pair<std::string, std::string>> unreadable;
};

struct Acceptance {
  std::string started;  // the newest report, RFC 3339, UTC
  std::vector<CheckResult> results;
  std::vector<CheckedClass> classes;
  std::vector<NodeResult> nodes;  // each once; expected ones without a report are among them
  bool knows_all_nodes = false;   // the caller named the nodes that there have to be
  // Notes describe the fleet: several classes, what failed parts share. Explained is where a fleet
  // that scales badly lost it, with the command that says more; published are the nearest numbers
  // that others printed. The caller of accept() sets both, and nobody judges them.
  std::vector<std::string> notes;
  std::vector<std::string> explained;
  std::string explain_command;
  std::vector<std::string> published;
  // Failed links that have a leaf switch, a node or both ends in common are told as one: the names
  // of links, and of these ("480 links of leaf3 (n[065-096])").
  std::map<std::string, std::string> told_as;
  // One sentence for each stage and reason that left out runs which were planned.
  std::vector<std::string> stopped_early;
  Outcome outcome = Outcome::kPassed;  // the worst
  ExitCode exit_code = ExitCode::kPass;
};

// Sorts reports by when they began, the order in which they are judged.
void sort_by_time(std::vector<NamedReport>& reports);

// `reports` have any order, and several of one host are its sessions. Those that do not stand in
// the order of time are copied, which a large fleet has no memory for. `baseline` gives the
// references of the classes that it holds, and the fleet those of all others; it may be null.
// `topology` says which nodes share a switch; null: times of links do, where they show it.
Acceptance accept(const std::vector<NamedReport>& reports, const Rules& rules,
                  const Expected& expected, const Baseline* baseline = nullptr,
                  const Topology* topology = nullptr);

// --- The steps of accept(). Private to this folder.

// Stands in Judged::without_most for links.
inline constexpr const char* kLinksOfUnknownPorts =
    "links whose ports are of unknown rate, or not measured rank by rank";

struct Judged {
  std::vector<CheckResult> results;
  std::vector<CheckedClass> classes;
  std::set<std::string> without_most = {};  // chips of which it is not known what they could reach
};

// Whether `nodes` nodes with these reports are expected to have been measured by the rule's metric.
bool applies(const Rule& rule, std::span<const NamedReport> reports, std::size_t nodes);

// Makes the result of `series`, still without its outcome and value.
CheckResult result_like(const Rule& rule, const Series& series);

// Makes a result that is about the fleet and no single part.
CheckResult of_fleet(const std::string& check, Outcome outcome, std::string why);

// Whether its part was measured at work, and not only listed or counted.
bool is_rate(const CheckResult& result);

// Judges series of ValueKind::kRate by the rule of statistics/acceptance.h.
Judged judge_by_reference(const Rule& rule, const Rules& rules, const std::vector<Series>& all,
                          const Baseline* baseline);
// Judges rates against a number, a datasheet or the links of a GPU: such a floor finds the wrong
// card, and what is off on all of them.
Judged judge_by_floor(const Rule& rule, const Rules& rules, const std::vector<Series>& all);
// Judges single values that have an interval of their own: links, and rates that are held.
Judged judge_single(const Rule& rule, const std::vector<Series>& all);
Judged judge_counts(const Rule& rule, const std::vector<Series>& all);
// The others of a class must have the fact that more than half of them have.
Judged judge_facts(const Rule& rule, const std::vector<Series>& all);

// Adds a result for each node, or for the fleet, that says how its report ended. A failed session
// does not count once a later one of the same command has made it good.
void add_ends(std::span<const NamedReport> reports, const Rules& rules,
              std::vector<CheckResult>& results);
// Says of which stages the last report lacks planned runs, how many, and on which nodes: "node
// stage: 6 of 9 runs were not made on n[001-004] (--max-time ended)".
std::vector<std::string> stages_stopped_early(std::span<const NamedReport> reports);

// Adds a result for each expected node that no report of training shows. A node that no report
// shows at all is added to `nodes`, too.
void add_missing_nodes(const Expected& expected, std::span<const NamedReport> reports,
                       std::vector<Part>& nodes, std::vector<CheckResult>& results);
// Adds results for nodes and devices that some checks left out. Call it when the results of all
// `rules` that apply are there.
void add_unmeasured(const std::vector<Rule>& rules, const std::vector<Part>& nodes,
                    std::span<const NamedReport> reports, std::vector<CheckResult>& results);
// Whether `name` is the node's host name, with or without its domain, or the scheduler's name.
bool is_named(const Part& node, const std::string& name);
// "n[003,005]"; "17 nodes" where that is long.
std::string nodes_text(const std::vector<std::string>& names);
// Adds each of `nodes` with its worst outcome, and results of those that lack devices.
void judge_nodes(Acceptance& acceptance, const std::vector<Part>& nodes, const Expected& expected);

// Returns a line where failed nodes have a link group (statistics/slow_links.h) in common more
// often than chance explains, and a line where failed links have. They judge nothing. `nodes` gives
// the names of the nodes.
std::vector<std::string> shared_switches(const std::vector<CheckResult>& results,
                                         const std::vector<NodeResult>& nodes,
                                         std::span<const NamedReport> reports);

// Does the same with the leaf switches of a topology that is given. Sets `told_as`, too, and adds a
// note where nodes are not in the topology.
void tell_shared_leaves(Acceptance& acceptance, const Topology& topology);
// Sets `told_as` of further failed links: those of a node half of whose links failed, then those of
// two nodes.
void tell_links_as_one(Acceptance& acceptance);
// Returns the name of a part, or that of the failed links of one cause with which it is told.
std::string told_name(const Acceptance& acceptance, const Part& part);
// Returns the first of a part's results; of links told as one, `why` has the slowest and fastest.
CheckResult told_result(const Acceptance& acceptance,
                        const std::vector<const CheckResult*>& results);

// Returns notes on classes that the baseline lacks, on kinds of device and versions in the fleet,
// on machines of one name, and on each attribute that all failed devices (two or more) and few of
// the others have.
using WithoutMost = std::map<std::string, std::set<std::string>>;  // metrics by chip
std::vector<std::string> notes_of(const Acceptance& acceptance, const Expected& expected,
                                  std::span<const NamedReport> reports,
                                  const WithoutMost& without_most);

}  // namespace scalemark::acceptance
