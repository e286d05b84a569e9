// The fields of telemetry[] and fingerprint[]: what machines did, and what they can do. See
// field.h.
#pragma once

#include "core/base/field.h"
#include "core/reporting/record/records.h"

namespace scalemark::monitoring {

template <class A>
constexpr void fields(A& a, typename A::template Field<SourceSummary>& s) {
  a.text("device", s.device,
         {"cuda:0, as in ranks; a network interface; absent: the machine as a whole"});
  a("source", s.source, {"what was read, with its unit: sm_clock_MHz, steal_cpus, ..."});
  a("n", s.n, {"how many values: readings; of what grows (bytes, seconds) intervals between them"});
  a("mean", s.mean, {"mean of the readings; of what grows its growth per second", "", kAnyNumber});
  a("min", s.min, {"the smallest value", "", kAnyNumber});
  a("max", s.max, {"the largest value", "", kAnyNumber});
  a("first", s.first, {"the first value", "", kAnyNumber});
  a("last", s.last, {"the last value", "", kAnyNumber});
  a("total", s.total, {"of what grows: how much it grew", "", kAnyNumber});
  a("observed_s", s.observed_s, {"time from the first reading to the last", "s"});
}

}  // namespace scalemark::monitoring

namespace scalemark::reporting {

template <class A>
constexpr void fields(A& a, typename A::template Field<TelemetryRecord>& t) {
  a.record("telemetry",
           "One source over the window of one run; METRICS.md, \"The machine during "
           "the window\", says what each source is");
  a("point", t.point, {"id of the run"});
  a("host", t.host, {"the machine"});
  a.part(t.values, [&](auto& inner) { fields(inner, t.values); });
}

template <class A>
constexpr void fields(A& a, typename A::template Field<FingerprintRecord>& f) {
  a.record("fingerprint",
           "What one machine does by itself; METRICS.md, \"The machine's fingerprint\", says how "
           "each is measured");
  a("host", f.host, {"the machine"});
  a("device", f.device, {"where it ran: cpu, or a GPU as in ranks: cuda:0"});
  a.text("device_name", f.device_name, {"model of that CPU or GPU"});
  a("rank", f.rank, {"of --checks devices: the rank whose own device it is"});
  a("session", f.session, {"that measured it, as of points[]; absent: the first"});
  a.choice("what", f.what, {"what was measured; every value is a rate, more is faster"});
  a.text("precision", f.precision, {"of a matrix product: fp32 | tf32 | fp16 | bf16"});
  a("threads", f.threads, {"CPU threads that computed"});
  a.text("method", f.method,
         {"what exactly was done: sizes, ranks, how a cache was avoided. Only values of one method "
          "can be compared"});
  a("value", f.value, {"the rate, in the unit beside it; absent: it was not measured"});
  a("unit", f.unit, {"FLOP/s, B/s (bytes) or images/s"});
  a.pair("ci95", f.ci95_low, f.ci95_high,
         {"95 % interval of value within these seconds; says nothing of another day"});
  a("n", f.n, {"calls that were timed"});
  a("seconds", f.seconds, {"time that they took", "s"});
  a.text("reason", f.reason, {"why it was not measured"});
  a.text("disturbed", f.disturbed,
         {"of --checks devices: what throttled it or shared its machine meanwhile"});
}

}  // namespace scalemark::reporting
