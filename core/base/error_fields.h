// The fields of errors[]. See field.h.
#pragma once

#include "core/base/error.h"
#include "core/base/field.h"

namespace scalemark {

template <class A>
constexpr void fields(A& a, typename A::template Field<ErrorRecord>& e) {
  a.record("error", "Something that failed, as the run's last line on stderr says it");
  a("code", e.code,
    {"names the error for scripts: E_..., listed in FAULTS.md; never changes", Holds::kWord});
  a("exit_code", e.exit_code, {"the program's exit code for this error"});
  a.choice("domain", e.domain, {"where to look for the cause"});
  a("what", e.what, {"what was seen", Holds::kText});
  a.text("expected", e.expected, {"what is allowed or was expected", Holds::kText});
  a.text("suggestion", e.hint, {"what to do", Holds::kText});
  a("rank", e.rank, {"the rank that failed"});
  a.text("host", e.host, {"the machine it ran on", Holds::kHost});
  a.text("phase", e.phase,
         {"what the rank was doing: rendezvous, warmup, window, ...", Holds::kWord});
  a.text("point", e.point, {"id of the point that was running", Holds::kId});
  a("step", e.step, {"the optimizer step that was running"});
}

}  // namespace scalemark
