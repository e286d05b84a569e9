// Findings are made here by their kind. One entry of finding_list.inc declares a kind.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/base/error.h"
#include "core/reporting/record/report.h"

namespace scalemark::reporting {

// kOfTable: of a table that somebody printed, by `scalemark lint`; no report of ours holds it.
enum class FindingScope { kOfPoint, kOfSweep, kOfCollectives, kOfTable };
enum class Blames { kNothing, kPart };  // kPart: some part of the machine is named as bad

struct FindingKind {
  const char* code;
  const char* severity;  // info | warning | error
  ErrorDomain domain;    // where to look for the cause
  FindingScope scope;
  VerdictLevel costs;  // the best level of a report that holds it
  Blames blames;
  const char* said_when;
};

namespace finding_kinds {
#define SCALEMARK_FINDING(code, severity, domain, scope, costs, blames, said_when)              \
  inline constexpr FindingKind code{                                                            \
      #code,          #severity, ErrorDomain::domain, FindingScope::scope, VerdictLevel::costs, \
      Blames::blames, said_when};
#include "core/reporting/record/finding_list.inc"
#undef SCALEMARK_FINDING
}  // namespace finding_kinds

std::span<const FindingKind> all_finding_kinds();

// nullptr for a code that this version does not know.
const FindingKind* find_finding_kind(std::string_view code);

// `point`: id; empty for a finding about several points.
Finding make_finding(const FindingKind& kind, std::string point, std::string text,
                     std::optional<FindingPlace> place = std::nullopt);

// Whether the finding is about the sweep as a whole: a new summary replaces it.
bool is_of_sweep(const Finding& finding);
bool is_of_collectives(const Finding& finding);  // or of links

}  // namespace scalemark::reporting
