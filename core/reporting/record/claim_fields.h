// The fields of claims[]. See field.h.
#pragma once

#include "core/base/field.h"
#include "core/reporting/record/claim_records.h"

namespace scalemark::reporting {

template <class A>
constexpr void fields(A& a, typename A::template Field<ClaimRecord>& c) {
  a.record("claim", "A published number beside what was measured here");
  a("row", c.row, {"id of the published row", Holds::kText});
  a("table", c.table,
    {"the table that it stands in, as `scalemark published show` names it", Holds::kText});
  a("source", c.source, {"where it was printed", Holds::kText});
  a("what", c.what, {"what it is about", Holds::kText});
  a("metric", c.metric, {"throughput, speedup, step_s, ...: of a change its ratio", Holds::kWord});
  a("claimed_low", c.claimed_low,
    {"lower end of what is claimed; equal to claimed_high of one number; absent where it is open"});
  a("claimed_high", c.claimed_high, {"upper end"});
  a("measured", c.measured, {"the same number here"});
  a.pair("measured_ci95", c.measured_ci95_low, c.measured_ci95_high,
         {"its 95 % interval; absent of one run"});
  a("ratio", c.ratio, {"measured / the nearest end of what is claimed"});
  a("tolerance", c.tolerance, {"share by which the ends are widened"});
  a.text("tolerance_source", c.tolerance_source, {"where the tolerance is from", Holds::kText});
  a.text("basis", c.basis,
         {"same_hardware | other_precision | other_hardware | scaled_down", Holds::kWord});
  a.choice("verdict", c.verdict,
           {"confirmed, refuted (differs_here on other hardware), undecided; of a rate reached or "
            "not_reached; scaled down same_direction or other_direction; not_judged, not_measured, "
            "not_testable: see reason"});
  a.text("reason", c.reason, {"why there is no verdict, or what would decide", Holds::kText});
  a.list("groups", c.groups, {"groups of the report that went in", Holds::kId});
  standing_fields(a, c.standing);
}

}  // namespace scalemark::reporting
