// Findings are made here by their kind. One entry of finding_list.inc declares a kind.
#pragma once

#include <span>
#include <string>

#include "core/base/error.h"
#include "core/reporting/record/records.h"

namespace scalemark::reporting {

enum class FindingScope { kOfPoint, kOfSweep, kOfCollectives };

struct FindingKind {
  const char* code;
  const char* severity;  // info | warning | error
  ErrorDomain domain;    // where to look for the cause
  FindingScope scope;
  const char* said_when;
};

namespace finding_kinds {
#define SCALEMARK_FINDING(code, severity, domain, scope, said_when)                             \
  inline constexpr FindingKind code{#code, #severity, ErrorDomain::domain, FindingScope::scope, \
                                    said_when};
#include "core/reporting/record/finding_list.inc"
#undef SCALEMARK_FINDING
}  // namespace finding_kinds

std::span<const FindingKind> all_finding_kinds();

// `point`: id; empty for a finding about several points.
Finding make_finding(const FindingKind& kind, std::string point, std::string text);

// Whether the finding is about the sweep as a whole: a new summary replaces it.
bool is_of_sweep(const Finding& finding);
bool is_of_collectives(const Finding& finding);  // or of links

}  // namespace scalemark::reporting
