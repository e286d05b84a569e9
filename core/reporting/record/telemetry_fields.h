// The fields of telemetry[], fingerprint[] and health[]: what machines did, what they can do, and
// what went wrong in them. See field.h.
#pragma once

#include "core/base/field.h"
#include "core/reporting/record/records.h"

namespace scalemark::statistics {

template <class A>
constexpr void fields(A& a, typename A::template Field<Bounds>& b) {
  a.values(b.low, b.high);
}

}  // namespace scalemark::statistics

namespace scalemark::monitoring {

template <class A>
constexpr void fields(A& a, typename A::template Field<SourceSummary>& s) {
  a.text(
      "device", s.device,
      {"cuda:0, as in ranks; a network interface; absent: the machine as a whole", Holds::kText});
  a("source", s.source,
    {"what was read, with its unit: sm_clock_MHz, steal_cpus, ...", Holds::kWord});
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
  a("point", t.point, {"id of the run", Holds::kId});
  a("host", t.host, {"the machine", Holds::kHost});
  a("rank", t.rank,
    {"where the source is of one rank, by its control group or its own counts: that rank"});
  a.part(t.values, [&](auto& inner) { fields(inner, t.values); });
}

template <class A>
constexpr void fields(A& a, typename A::template Field<FingerprintRecord>& f) {
  a.record("fingerprint",
           "What one machine does by itself; METRICS.md, \"The machine's fingerprint\", says how "
           "each is measured");
  a("host", f.host, {"the machine", Holds::kHost});
  a("device", f.device, {"where it ran: cpu, or a GPU as in ranks: cuda:0", Holds::kWord});
  a.text("device_name", f.device_name, {"model of that CPU or GPU", Holds::kWord});
  a("rank", f.rank, {"of --checks devices: the rank whose own device it is"});
  a("session", f.session, {"that measured it, as of points[]; absent: the first"});
  a.choice("what", f.what, {"what was measured; every value is a rate, more is faster"});
  a.text("precision", f.precision,
         {"of a matrix product: fp32 | tf32 | fp16 | bf16", Holds::kWord});
  a("threads", f.threads, {"CPU threads that computed"});
  a.text("method", f.method,
         {"what exactly was done: sizes, ranks, how a cache was avoided. Only values of one method "
          "can be compared",
          Holds::kWord});
  a("value", f.value, {"the rate, in the unit beside it; absent: it was not measured"});
  a("unit", f.unit, {"FLOP/s, B/s (bytes) or images/s", Holds::kWord});
  a.pair("ci95", f.ci95,
         {"95 % interval of value within these seconds; says nothing of another day"});
  a("n", f.n, {"calls that were timed"});
  a("seconds", f.seconds, {"time that they took", "s"});
  a.text("reason", f.reason, {"why it was not measured", Holds::kText});
  a.text("disturbed", f.disturbed,
         {"what throttled it or shared its machine meanwhile: it is no bound for others",
          Holds::kText});
  a.list("disturbed_by", f.disturbed_by,
         {"codes of the findings that `disturbed` tells of", Holds::kWord});
  a("sm_clock_MHz", f.sm_clock_MHz, {"of --sustain on a GPU: mean clock meanwhile", "MHz"});
  a("power_W", f.power_W, {"of --sustain on a GPU: mean power meanwhile", "W"});
  a("temperature_C", f.temperature_C,
    {"of --sustain on a GPU: highest temperature meanwhile", "degrees Celsius", kAnyNumber});
}

template <class A>
constexpr void fields(A& a, typename A::template Field<ReplayRecord>& r) {
  a.record(
      "replay",
      "The same work, done again and again on one device, and its bits; METRICS.md, \"The same "
      "bits\", says how");
  a("host", r.host, {"the machine", Holds::kHost});
  a("device", r.device, {"the rank's device: cpu, or cuda:0", Holds::kWord});
  a.text("uuid", r.uuid, {"of a GPU", Holds::kSerial});
  a("rank", r.rank, {"the rank whose device it is"});
  a("session", r.session, {"that did it, as of points[]; absent: the first"});
  a("work", r.work, {"what was done: matrix product, or training of a workload", Holds::kWord});
  a("precision", r.precision,
    {"number format of its matrix products: fp32 | tf32 | fp16 | bf16", Holds::kWord});
  a("method", r.method,
    {"all that the bits depend on: sizes, device, versions of libraries; only equal methods can be "
     "compared",
     Holds::kWord});
  a("rounds", r.rounds, {"how often it was done"});
  a("wrong", r.wrong, {"rounds whose bits differ from those of the first"});
  a.text("first_wrong", r.first_wrong, {"where the first of these differs", Holds::kText});
  a.text("digest", r.digest,
         {"XXH3-128 of the bits of the first round, hexadecimal; absent: it was not done",
          Holds::kWord});
  a.text("reason", r.reason, {"why it was not done", Holds::kText});
}

template <class A>
constexpr void fields(A& a, typename A::template Field<HealthRecord>& h) {
  a.record("health",
           "A counter of hardware before and after one session; METRICS.md, \"Health\", says what "
           "each counts");
  a("host", h.host, {"the machine", Holds::kHost});
  a.text("device", h.device,
         {"cuda:0, as in ranks; mlx5_0/1, a port; a network interface; mc0, a memory controller",
          Holds::kText});
  a.text("uuid", h.uuid, {"of a GPU: its UUID, as in ranks", Holds::kSerial});
  a("counter", h.counter,
    {"what is counted, with its unit where it is no number of events", Holds::kWord});
  a("session", h.session, {"as of points[]"});
  a("before", h.before, {"at its begin; absent: not told then"});
  a("after", h.after,
    {"at its end, of --burn-in after the last block; absent: the session ended early"});
  a("seconds", h.seconds, {"time between the two looks", "s"});
}

}  // namespace scalemark::reporting
