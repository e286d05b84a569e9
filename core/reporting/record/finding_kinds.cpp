#include "core/reporting/record/finding_kinds.h"

#include <algorithm>
#include <utility>

namespace scalemark::reporting {
namespace {

constexpr FindingKind kAll[] = {
#define SCALEMARK_FINDING(code, severity, domain, scope, said_when) finding_kinds::code,
#include "core/reporting/record/finding_list.inc"
#undef SCALEMARK_FINDING
};

bool has_scope(const Finding& finding, FindingScope scope) {
  return std::ranges::any_of(kAll, [&](const FindingKind& kind) {
    return kind.scope == scope && finding.code == kind.code;
  });
}

}  // namespace

std::span<const FindingKind> all_finding_kinds() { return kAll; }

Finding make_finding(const FindingKind& kind, std::string point, std::string text) {
  return {.code = kind.code,
          .severity = kind.severity,
          .point = std::move(point),
          .text = std::move(text)};
}

bool is_of_sweep(const Finding& finding) { return has_scope(finding, FindingScope::kOfSweep); }

bool is_of_collectives(const Finding& finding) {
  return has_scope(finding, FindingScope::kOfCollectives);
}

}  // namespace scalemark::reporting
