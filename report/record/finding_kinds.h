// Makes findings by their kind. An entry of finding_list.inc declares a kind with its words.
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
#include "report/record/findings.h"
#include "report/record/report.h"

namespace scalemark::reporting {

// kOfTable: a finding about a table that somebody printed, by `scalemark lint`; our own reports
// hold none. kOfStep: a cause of a slow step (cause_list.inc), which a point holds itself.
enum class FindingScope { kOfPoint, kOfSweep, kOfCollectives, kOfTable, kOfStep };
enum class Blames { kNothing, kPart };  // kPart: it names a part of the machine as bad

// kDisturbs: the run counts towards no verdict (METRICS.md, "Fit"). kConcludes: the finding is
// concluded from speeds, and is removed where those are withheld. kNamesRank, kNamesLink: it names
// a rank or link by the speeds of some points, or of the whole report, and is removed with these.
// kOneRun: there is one run only, which tables show by themselves. kWindow: the window shows
// little, which matters only if runs were repeated.
enum class FindingRole { kRemark, kDisturbs, kConcludes, kNamesRank, kNamesLink, kOneRun, kWindow };

// These are the values of members that an entry of the list does not give. The templates are those
// of Wording.
struct FindingKind {
  const char* code;
  const char* severity;  // info | warning | error
  ErrorDomain domain;    // the part to check for the cause
  FindingScope scope;
  VerdictLevel costs;  // the best level that a report with the finding can have
  Blames blames = Blames::kNothing;
  FindingRole role = FindingRole::kRemark;
  CauseLayer layer = CauseLayer::kSoftware;  // a cause alone has one
  const char* said_by = "";  // the code of a reason or finding that makes this one superfluous
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
#include "report/record/cause_list.inc"
#include "report/record/finding_list.inc"
#undef SCALEMARK_FINDING
}  // namespace finding_kinds

std::span<const FindingKind> all_finding_kinds();

// Returns nullptr for a code that this version does not know.
const FindingKind* find_finding_kind(std::string_view code);
FindingRole role_of(std::string_view code);  // kRemark for an unknown code

// Whether the finding only says that the run was too brief to detect other load.
bool is_brief(const FindingKind& kind);
// Returns the graver of two disturbances: the one that is earlier in finding_list.inc, but runs
// that were too brief come last. nullptr means no disturbance.
const FindingKind* more_severe(const FindingKind* a, const FindingKind* b);
// Returns the gravest disturbance in words as CollectiveRecord::disturbed holds them: "shared: ...;
// ...", each part beginning with a code. Words without a code are an earlier version's, and give
// kinds::shared.
const FindingKind& disturbance_in(const std::string& words);

// Returns the kind that names a rank with this verdict; null where none does.
const FindingKind* naming(RankVerdict verdict);
bool names(const Finding& finding, const Straggler& rank);  // compares kind and place

// A number or a word, by its name in templates. A number that is unset and an empty word are
// missing there.
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

// Fills templates with numbers and words. It knows the smallest and the largest number of a name,
// and the first of its words; "x_least" and "x_most" count as numbers of the name "x", too.
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
  explicit Wording(const CauseRecord& cause);
  void add(const Named& one);
  void add_finding(const Finding& finding);  // adds place and text ({text}), too

  // Gives nothing where a value that is not in brackets is missing.
  std::optional<std::string> filled(std::string_view pattern) const;

 private:
  class Filler;
  void add_made(const auto& made);
  std::map<std::string, std::pair<double, double>, std::less<>> numbers_;
  std::map<std::string, std::string, std::less<>> words_;
};

// `point` is an id, or empty for a finding about several points. The text is made from the kind's
// template, these values and the place.
Finding make_finding(const FindingKind& kind, std::string point, const AllNamed& values = {},
                     std::optional<FindingPlace> place = std::nullopt);

// Adds to a finding the numbers of another one of its kind, as x_least and x_most, and words that
// are new.
void merge_values(Finding& finding, const Finding& more);

// Returns the brief words that verdict and answer use, or the text where there are none.
std::string brief_text(const Finding& finding);

// Whether the finding is about the sweep as a whole, so that a new summary replaces it.
bool is_of_sweep(const Finding& finding);
bool is_of_collectives(const Finding& finding);  // true for links, too

}  // namespace scalemark::reporting
