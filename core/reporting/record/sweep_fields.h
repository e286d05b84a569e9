// The fields of what a sweep says about its points; see report_fields.h. Private to
// report_json.cpp.
#pragma once

#include "core/reporting/record/sweep_records.h"

namespace scalemark::reporting {

template <class A>
void fields(A& a, typename A::template Field<GroupRecord>& g) {
  a("group", g.group);
  a("n", g.n);
  a("samples_per_sec", g.samples_per_sec);
  a.pair("ci95", g.ci95_low, g.ci95_high);
  a("cv_between", g.cv_between);
  a.text("stop_reason", g.stop_reason);
  a("samples_per_joule", g.samples_per_joule);
  a("samples_per_dollar", g.samples_per_dollar);
  a("status_counts", g.status_counts);
}

template <class A>
void fields(A& a, typename A::template Field<LossOfEfficiency>& l) {
  a("slower_compute", l.slower_compute);
  a("data_wait", l.data_wait);
  a("persistent_imbalance", l.persistent_imbalance);
  a("jitter", l.jitter);
  a("communication", l.communication);
}

template <class A>
void fields(A& a, typename A::template Field<ScalingRow>& r) {
  a("world_size", r.world_size);
  a("group", r.group);
  a("strategy", r.strategy);
  a("points", r.points);
  a("samples_per_sec", r.samples_per_sec);
  a("speedup", r.speedup);
  a("efficiency", r.efficiency);
  a.pair("efficiency_ci95", r.efficiency_ci95_low, r.efficiency_ci95_high);
  a("loss_of_efficiency", r.loss_of_efficiency);
  a("slowest_rank", r.slowest_rank);
  a.text("in_words", r.in_words);
}

template <class A>
void fields(A& a, typename A::template Field<ScalingTable>& t) {
  a("kind", t.kind);
  a("fixed", t.fixed);
  a("baseline_points", t.baseline_points);
  a.text("relative_to", t.relative_to);
  a("rows", t.rows);
  a.list("left_out", t.left_out);
}

template <class A>
void fields(A& a, typename A::template Field<Straggler>& s) {
  a("group", s.group);
  a("rank", s.rank);
  a.text("host", s.host);
  a.text("device", s.device);
  a("deviation", s.deviation);
  a("low95", s.low95);
  a("verdict", s.verdict);
}

template <class A>
void fields(A& a, typename A::template Field<DataGap>& g) {
  a("real_group", g.real_group);
  a("synthetic_group", g.synthetic_group);
  a("real_samples_per_sec", g.real_samples_per_sec);
  a("synthetic_samples_per_sec", g.synthetic_samples_per_sec);
  a("lost_share", g.lost_share);
  a.pair("lost_share_ci95", g.lost_share_ci95_low, g.lost_share_ci95_high);
}

template <class A>
void fields(A& a, typename A::template Field<Drift>& d) {
  a("per_sweep", d.per_sweep);
  a.pair("ci95", d.ci95_low, d.ci95_high);
}

template <class A>
void fields(A& a, typename A::template Field<SessionRecord>& s) {
  a("session", s.session);
  a("started", s.started);
  a.text("finished", s.finished);
  a.text("hostname", s.hostname);
  a.text("command_line", s.command_line);
  a.text("broke_with", s.broke_with);
}

template <class A>
void fields(A& a, typename A::template Field<Prediction>& p) {
  a("slice", p.slice);
  a("world_size", p.world_size);
  a("samples_per_sec", p.samples_per_sec);
  a("efficiency", p.efficiency);
  a.pair("band", p.low, p.high);
  a("basis", p.basis);
}

}  // namespace scalemark::reporting
