// How far one number of a report may be trusted: as core/reporting/judge found it. Forms for people
// leave out what is withheld, forms for programs hold it beside the number.
// Source: docs/METRICS.md, "Standing".
#pragma once

#include <string>

#include "core/base/field.h"

namespace scalemark::reporting {

inline constexpr const char* kShown = "shown";
inline constexpr const char* kShownWithCare = "with_care";
inline constexpr const char* kWithheld = "withheld";

struct Standing {
  std::string level;   // one of the three words; empty: nobody has judged it yet
  std::string reason;  // the code of a finding or doubt (verdict.reasons[].code); empty: shown

  bool is_withheld() const { return level == kWithheld; }
};

template <class A>
constexpr void fields(A& a, typename A::template Field<Standing>& s) {
  a.text("standing", s.level,
         {"shown; with_care: it says less than it seems to; withheld: no form for people shows it. "
          "Judged when it is written and again when it is read: METRICS.md, \"Standing\"",
          Holds::kWord});
  a.text("standing_reason", s.reason,
         {"why it is not shown as it is: the code of a finding, or of a doubt as in verdict",
          Holds::kWord});
}

// The field of a record's number.
template <class A>
constexpr void standing_fields(A& a, auto& standing) {
  a.part(standing, [&](auto& inner) { fields(inner, standing); });
}

}  // namespace scalemark::reporting
