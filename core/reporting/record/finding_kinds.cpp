#include "core/reporting/record/finding_kinds.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace scalemark::reporting {
namespace {

constexpr FindingKind kAll[] = {
#define SCALEMARK_FINDING(code, severity, domain, scope, costs, blames, said_when) \
  finding_kinds::code,
#include "core/reporting/record/finding_list.inc"
#undef SCALEMARK_FINDING
};

bool has_scope(const Finding& finding, FindingScope scope) {
  const FindingKind* kind = find_finding_kind(finding.code);
  return kind && kind->scope == scope;
}

}  // namespace

std::span<const FindingKind> all_finding_kinds() { return kAll; }

const FindingKind* find_finding_kind(std::string_view code) {
  const auto found = std::ranges::find(kAll, code, &FindingKind::code);
  return found == std::end(kAll) ? nullptr : found;
}

Finding make_finding(const FindingKind& kind, std::string point, std::string text,
                     std::optional<FindingPlace> place) {
  return {.code = kind.code,
          .severity = kind.severity,
          .point = std::move(point),
          .text = std::move(text),
          .domain = std::string(name_of(kind.domain)),
          .place = std::move(place)};
}

bool is_of_sweep(const Finding& finding) { return has_scope(finding, FindingScope::kOfSweep); }

bool is_of_collectives(const Finding& finding) {
  return has_scope(finding, FindingScope::kOfCollectives);
}

}  // namespace scalemark::reporting
