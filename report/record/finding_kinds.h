// Findings are made here by their kind. One entry of finding_list.inc declares a kind with its
// words.
#pragma once

#include <cmath>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "report/record/report.h"

namespace scalemark::reporting {

// kOfTable: of a table that somebody printed, by `scalemark lint`; no report of ours holds it.
enum class FindingScope { kOfPoint, kOfSweep, kOfCollectives, kOfTable };
enum class Blames { kNothing, kPart };  // kPart: some part of the machine is named as bad

// kDisturbs: the run counts towards no verdict (METRICS.md, "Fit"). kConcludes: its numbers are a
// conclusion from speeds, and go where those are withheld. kNamesRank, kNamesLink: it names one by
// the speeds of some points, or of the whole report, and goes with these. kOneRun: runs stand
// alone, which tables say by themselves. kWindow: the window tells little, which is asked of runs
// that were repeated.
enum class FindingRole { kRemark, kDisturbs, kConcludes, kNamesRank, kNamesLink, kOneRun, kWindow };

// Members that are not given in the list have these values. The templates are those of Wording.
struct FindingKind {
  const char* code;
  const char* severity;  // info | warning | error
  ErrorDomain domain;    // where to look for the cause
  FindingScope scope;
  VerdictLevel costs;  // the best level of a report that holds it
  Blames blames = Blames::kNothing;
  FindingRole role = FindingRole::kRemark;
  const char* said_by = "";  // code of a reason or finding that says it, too
  const char* said_when = "";
  const char* text = "";    // template of the whole sentence
  const char* brief = "";   // the wording in verdict and answer; "": `text`
  const char* remedy = "";  // raises the verdict; "": nothing known does
};

namespace finding_kinds {
using enum Blames;
using enum FindingRole;
#define SCALEMARK_FINDING(named, of_severity, of_domain, of_scope, what_it_costs, ...) \
  inline constexpr FindingKind named{.code = #named,                                   \
                                     .severity = #of_severity,                         \
                                     .domain = ErrorDomain::of_domain,                 \
                                     .scope = FindingScope::of_scope,                  \
                                     .costs = VerdictLevel::what_it_costs,             \
                                     __VA_ARGS__};
#include "report/record/finding_list.inc"
#undef SCALEMARK_FINDING
}  // namespace finding_kinds

std::span<const FindingKind> all_finding_kinds();

// nullptr for a code that this version does not know.
const FindingKind* find_finding_kind(std::string_view code);
FindingRole role_of(std::string_view code);  // kRemark where it is not known

// Whether it says no more of a run than that it was too brief to tell whether others disturbed it.
bool is_brief(const FindingKind& kind);
// The graver of two disturbances: the earlier in finding_list.inc, and the one of runs that were
// too brief last. Null is none.
const FindingKind* more_severe(const FindingKind* a, const FindingKind* b);
// The gravest that words tell of (CollectiveRecord::disturbed): each part of them begins with a
// code, "shared: ...; ...". Words without one are an earlier version's: kinds::shared.
const FindingKind& disturbance_in(const std::string& words);

// The kind that names a rank of this verdict; null where none does.
const FindingKind* naming(RankVerdict verdict);
bool names(const Finding& finding, const Straggler& rank);  // by that kind, and its place

// A number or a word, by its name in templates. An absent number and an empty word are not there.
struct Named {
  Named(const char* named, std::string text) : name(named), word(std::move(text)) {}
  Named(const char* named, std::optional<double> value) : name(named), number(value) {}
  template <class T>
  requires std::is_arithmetic_v<T> Named(const char* named, T value)
      : name(named), number(static_cast<double>(value)) {}
  std::string name, word;
  std::optional<double> number = std::nullopt;
};
using AllNamed = std::vector<Named>;

// Fills templates with numbers and words. Of numbers with one name it knows the smallest and the
// largest, of words the first; "x_least" and "x_most" count as numbers of the name "x", too.
//   {name}            a word; a number: "12", or six digits that matter; "1 to 3" where they differ
//   {name:2}          with so many decimals; {name:s3}: so many digits that matter
//   {name:%}          a share: "12.3 %"; {name:p1} and {name:+p1}: without sign, with plus or minus
//   {name:~}          two decimals below 1, else one
//   {name#run}        "1 run", "3 runs"; {name?is/are} the first of 1, else the second
//   {+name}           nothing, but it must be there
//   [some {name}]     left out where a value of it is absent
//   [a {x}|b {y}|c]   the first whose values are all there
class Wording {
 public:
  Wording() = default;
  explicit Wording(const Finding& finding) { add_finding(finding); }
  void add(const Named& one);
  void add_finding(const Finding& finding);  // with its place, and its text as {text}

  // Gives nothing where a value that is not in brackets is missing.
  std::optional<std::string> filled(std::string_view pattern) const;

 private:
  class Filler;
  std::map<std::string, std::pair<double, double>, std::less<>> numbers_;
  std::map<std::string, std::string, std::less<>> words_;
};

// `point`: id; empty for a finding about several points. The text is the kind's with these values
// and the place.
Finding make_finding(const FindingKind& kind, std::string point, const AllNamed& values = {},
                     std::optional<FindingPlace> place = std::nullopt);

// Adds the numbers of a finding of the same kind, as x_least and x_most, and words that are new.
void merge_values(Finding& finding, const Finding& more);

// The words that verdict and answer have for it: the brief ones, else its text.
std::string brief_text(const Finding& finding);

// Whether the finding is about the sweep as a whole: a new summary replaces it.
bool is_of_sweep(const Finding& finding);
bool is_of_collectives(const Finding& finding);  // or of links

}  // namespace scalemark::reporting
