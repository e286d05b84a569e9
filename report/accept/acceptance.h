// Which parts of a fleet pass, which fail, and what cannot be told: rules, applied to reports.
// Pure. docs/ACCEPTANCE.md says how each outcome is found.
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

namespace scalemark::acceptance {

// In order of what they cost: a node is as bad as its worst check.
enum class Outcome { kPassed, kUnsure, kMissing, kFailed };
constexpr auto words_of(Outcome) {
  return std::to_array<Word<Outcome>>({{Outcome::kPassed, "passed"},
                                       {Outcome::kUnsure, "unsure"},
                                       {Outcome::kMissing, "missing"},
                                       {Outcome::kFailed, "failed"}});
}

// The check whether a node's own run came to its end, which no rule has to name.
inline constexpr const char* kReportCheck = "report";

// One check of one part.
struct CheckResult {
  std::string check, of_class;
  Part part;
  Outcome outcome = Outcome::kPassed;
  std::optional<double> value;                    // in `unit`; of several starts exp of the mean ln
  std::string unit, fact;                         // a fact has no value
  std::optional<double> of_reference, low, high;  // value / reference, and its 99 % interval
  std::optional<double> limit;                    // share of the reference, or a value
  std::string limit_from;  // names the value that the limit is a share of, or who set it
  std::size_t starts = 0, more_starts = 0;  // starts that count; more that the next decision needs
  std::string why;                          // unless it passed: one sentence without a name

  void conclude(Outcome how, std::string reason) {
    outcome = how;
    why = std::move(reason);
  }
};

// Parts that were compared with each other.
struct CheckedClass {
  std::string check, of_class;
  PartKind of = PartKind::kDevice;
  std::size_t parts = 0;
  std::optional<double> reference;  // in `unit`
  std::string unit;
  std::string reference_from;                // "what 3 of 8 devices reach", or which baseline
  std::string not_in_baseline;               // why not, where there is a baseline
  std::optional<double> smallest_decidable;  // a share: such slowness is found
  std::string doubt;                         // why its passes do not count; empty: they do
  std::vector<std::string> kept_out;  // parts beyond all others, which the reference leaves out
};

struct NodeResult {
  Part node;
  Outcome outcome = Outcome::kPassed;
  int devices = 0;                    // that were measured
  std::vector<std::string> at_fault;  // checks that blame the node rather than its devices
};

// So much has to be there.
struct Expected {
  std::vector<std::string> nodes;  // by either name; empty: those that there are
  std::optional<int> devices_per_node;
  // Reports that are expected and could not be read: path, and what is wrong.
  std::vector<std::pair<std::string, std::string>> unreadable;
};

struct Acceptance {
  std::string started;  // the newest report, RFC 3339, UTC
  std::vector<CheckResult> results;
  std::vector<CheckedClass> classes;
  std::vector<NodeResult> nodes;  // each once, and expected ones without a report
  bool knows_all_nodes = false;   // it was told which nodes there have to be
  // Notes describe the fleet: several classes, what failed parts share. Published are the numbers
  // that others printed for the same runs; nobody judges them.
  std::vector<std::string> notes;
  std::vector<std::string> published;
  Outcome outcome = Outcome::kPassed;  // the worst
  ExitCode exit_code = ExitCode::kPass;
};

// `reports`: in any order; several of one host are its sessions. `baseline`: gives the references
// of the classes that it holds; null, and of the others, the fleet does.
Acceptance accept(std::vector<NamedReport> reports, const Rules& rules, const Expected& expected,
                  const Baseline* baseline = nullptr);

// --- Parts of accept(). Private to this folder.

struct Judged {
  std::vector<CheckResult> results;
  std::vector<CheckedClass> classes;
  std::set<std::string> without_datasheet = {};  // chips whose figure is not known
};

// A result of `series` without its outcome and value.
CheckResult result_like(const Rule& rule, const Series& series);

// A result of no single part.
CheckResult of_fleet(const std::string& check, Outcome outcome, std::string why);

// Whether a part of it was measured at work, and not only listed or counted.
bool is_rate(const CheckResult& result);

// Series of ValueKind::kRate by the rule of statistics/acceptance.h.
Judged judge_by_reference(const Rule& rule, const Rules& rules, const std::vector<Series>& all,
                          const Baseline* baseline);
// Rates against a number or a datasheet: a floor, which finds the wrong card.
Judged judge_by_floor(const Rule& rule, const std::vector<Series>& all);
// One value with an interval of its own: links, and rates that are held.
Judged judge_single(const Rule& rule, const std::vector<Series>& all);
Judged judge_counts(const Rule& rule, const std::vector<Series>& all);
// A fact that more than half of a class have is what the others are to have.
Judged judge_facts(const Rule& rule, const std::vector<Series>& all);

// Expected nodes that no report of training shows; those that none shows become nodes, too.
void add_missing_nodes(const Expected& expected, std::span<const NamedReport> reports,
                       std::vector<Part>& nodes, std::vector<CheckResult>& results);
// Call it after the results of all `rules` that apply: nodes and devices that some checks left out.
void add_unmeasured(const std::vector<Rule>& rules, const std::vector<Part>& nodes,
                    std::span<const NamedReport> reports, std::vector<CheckResult>& results);
// By either of its names, or without its domain.
bool is_named(const Part& node, const std::string& name);
// Adds each of `nodes` with its worst outcome, and results of those that lack devices.
void judge_nodes(Acceptance& acceptance, const std::vector<Part>& nodes, const Expected& expected);

// Where failed nodes, or failed links, have one group of links in common (statistics/slow_links.h)
// more than chance explains: one line for each of the two, which judges nothing. `nodes`: their
// names.
std::vector<std::string> shared_switches(const std::vector<CheckResult>& results,
                                         const std::vector<NodeResult>& nodes,
                                         std::span<const NamedReport> reports);

// Notes on classes that the baseline lacks, on kinds of device and versions in the fleet, on
// machines of one name, on a switch that failed nodes share, and on each attribute that all failed
// devices share, two or more, and few of the others have.
using WithoutDatasheet = std::map<std::string, std::vector<std::string>>;  // chip: its metrics
std::vector<std::string> notes_of(const Acceptance& acceptance, const Expected& expected,
                                  std::span<const NamedReport> reports,
                                  const WithoutDatasheet& without_datasheet);

}  // namespace scalemark::acceptance
