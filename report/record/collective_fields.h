// Lists the fields of what was measured of collectives and links, and of what options change, in a
// sweep or in collectives. See field.h.
#pragma once

#include "core/base/field.h"
#include "report/record/collective_records.h"
#include "report/record/comparison.h"
#include "report/record/rank_fields.h"

namespace scalemark::reporting {

template <class A>
constexpr void fields(A& a, typename A::template Field<Latency>& l) {
  a.record("latency", "Isolated calls, each as long as its slowest rank; quantiles of type 7");
  a("n", l.n, {"how many calls", "", 1, "latency_n"});
  a("p50", l.p50, {"their median", "s"});
  a("p95", l.p95, {"95 of 100 calls are shorter; from 20 calls on", "s"});
  a("p99", l.p99, {"99 of 100 calls are shorter; from 100 calls on", "s"});
}

template <class A>
constexpr void fields(A& a, typename A::template Field<CollectiveIdentity>& c) {
  a.choice("collective", c.collective,
           {"all-reduce | all-gather | reduce-scatter | broadcast | reduce | gather | all-to-all | "
            "send-recv | barrier: what the ranks do; of send-recv each sends to the next one of a "
            "ring"});
  a("backend", c.backend, {"what carries it: nccl | gloo | mpi", Holds::kWord});
  a.choice("via", c.via, {"c10d: called as training does; direct: called at the library itself"});
  a.choice("dtype", c.dtype, {"fp32 | fp16 | bf16 | int32: type of an element"});
  a("device", c.device, {"where the data is: cpu | cuda", Holds::kWord});
  a.choice("staging", c.staging,
           {"host: data of a GPU passes through memory of the host; none: it does not"});
  a("bytes", c.bytes,
    {"size of the message as nccl-tests counts it: of all-gather, reduce-scatter, gather and "
     "all-to-all the whole that the ranks share; 0 of a barrier",
     "bytes"});
  a("world_size", c.world_size, {"how many ranks take part", "ranks", 1});
  a("nodes", c.nodes, {"machines that they are on", "", 1});
  a.text(
      "placement", c.placement,
      {"how they are placed: fill (node after node), spread (evenly over nodes) or drawn (at random, "
       "of several parts of a fleet)",
       Holds::kWord});
  a("in_place", c.in_place, {"the result takes the place of what was sent"});
  a("overlap_compute", c.overlap_compute, {"a matrix product runs beside it on each rank"});
  a("congestion", c.congestion, {"other messages run between the same ranks meanwhile"});
  a("parts", c.parts,
    {"so many parts of the fleet, this one among them, made the same call at the same time; absent: "
     "one",
     "", 2});
}

template <class A>
constexpr void collective_identity(A& a, typename A::template Field<CollectiveIdentity>& c) {
  a.part(c, [&](auto& inner) { fields(inner, c); });
}

template <class A>
constexpr void fields(A& a, typename A::template Field<CollectiveRecord>& c) {
  a.record("collective", "One run of one collective; METRICS.md, \"Collectives\"");
  a("id", c.id, {"names the run: group/rK", Holds::kId});
  a("group", c.group, {"shared by all repetitions of one planned point", Holds::kId});
  a("repetition", c.repetition, {"which repetition of its point this run is, counted from 0"});
  a("order", c.order, {"position of the run in its block, counted from 0"});
  a.time("started", c.started, {"when the run began"});
  a.choice(
      "status", c.status,
      {"ok: it was measured; oom: a rank was out of memory; failed: it ended with an error, or "
       "delivered wrong elements; skipped: it cannot run here"});
  a.text("reason", c.reason, {"why it is not ok", Holds::kText});
  a("attempts", c.attempts,
    {"how often it was measured: again where something disturbed it; absent: once", "", 2});
  a.text("disturbed", c.disturbed,
         {"what disturbed the last attempt, or why that is not known: the run counts towards no "
          "verdict",
          Holds::kText});
  collective_identity(a, c);
  a("members", c.members, {"numbers of these ranks in the launch"});
  a("wrong", c.wrong,
    {"elements that were not what they must be, over all ranks; absent where none was checked"});
  a("wrong_rank", c.wrong_rank, {"the first rank that got some, as of the launch"});
  if (!a.measured(c.status, PointStatus::kOk)) return;
  a("iterations", c.iterations, {"calls of the back-to-back loop that time_s is of", "", 1});
  a("calls", c.calls,
    {"calls in all: warm-up, loop, isolated and verified ones; for whoever counts bytes", "", 1});
  a("time_s", c.time_s, {"of one call: mean over the loop, then over ranks", "s"});
  a("latency_s", c.latency_s, {"of isolated calls; absent where none were made"});
  a("algbw_GBps", c.algbw_GBps, {"bytes / time_s; absent of a barrier", "GB/s"});
  a("busbw_GBps", c.busbw_GBps,
    {"algbw_GBps by the factor of the collective that nccl-tests takes, so that it is comparable "
     "with the speed of a link; absent of a barrier",
     "GB/s"});
  a("expected_busbw_GBps", c.expected_busbw_GBps,
    {"what busbw_GBps could be here; absent where that is not known", "GB/s"});
  a.text("expected_source", c.expected_source, {"how expected_busbw_GBps was found", Holds::kText});
}

template <class A>
constexpr void fields(A& a, typename A::template Field<OverRuns>& n) {
  a.values(n.value, n.ci95);
}

// Writes a number over repetitions and its interval.
template <class A, class Number>
constexpr void over_runs(A& a, const char* name, const char* interval, Number& number,
                         const About& about) {
  a.part(number, [&](auto& inner) {
    inner(name, number.value, about);
    inner.pair(interval, number.ci95, {"95 % interval of it over repetitions", about.unit});
  });
}

template <class A>
constexpr void fields(A& a, typename A::template Field<CollectiveGroup>& g) {
  a.record("collective_group",
           "One planned collective over its repetitions: exp of the mean of ln of what its runs "
           "measured, with Student's t over repetitions; from two on there are intervals");
  a("group", g.group, {"group of its runs", Holds::kId});
  collective_identity(a, g);
  a("n", g.n, {"how many repetitions are ok"});
  a("status_counts", g.status_counts,
    {"status -> how many repetitions ended with it", Holds::kWord});
  over_runs(a, "time_s", "time_ci95", g.time_s, {"of collectives[].time_s", "s"});
  a.object("latency_s",
           [&](auto& inner) {
             inner.record("group_latency", "Of collectives[].latency_s, over repetitions");
             over_runs(inner, "p50", "p50_ci95", g.latency_p50_s, {"of p50", "s"});
             over_runs(inner, "p95", "p95_ci95", g.latency_p95_s, {"of p95", "s"});
             over_runs(inner, "p99", "p99_ci95", g.latency_p99_s, {"of p99", "s"});
           },
           {"of isolated calls; a quantile is absent unless every run has it"});
  over_runs(a, "algbw_GBps", "algbw_ci95", g.algbw_GBps, {"bytes / time_s", "GB/s"});
  over_runs(a, "busbw_GBps", "busbw_ci95", g.busbw_GBps,
            {"algbw_GBps by nccl-tests' factor", "GB/s"});
  a("expected_busbw_GBps", g.expected_busbw_GBps, {"as of its runs", "GB/s"});
  a.text("expected_source", g.expected_source, {"as of its runs", Holds::kText});
  over_runs(a, "expected_share", "expected_share_ci95", g.expected_share,
            {"busbw_GBps / expected_busbw_GBps: 1 is all of it"});
  a("wrong", g.wrong, {"wrong elements of all repetitions; absent where none was checked"});
  standing_fields(a, g.standing);
}

template <class A>
constexpr void fields(A& a, typename A::template Field<SizeWinner>& s) {
  a.record("size_winner", "The fastest backend at one size");
  a("bytes", s.bytes, {"as of a collective", "bytes"});
  a("fastest", s.fastest,
    {"the backend with the shortest time_s, within repetitions", Holds::kWord});
  a.list("not_distinguishable", s.not_distinguishable,
         {"backends that are not surely slower (one-sided 5 % over all backends and sizes)",
          Holds::kWord});
}

template <class A>
constexpr void fields(A& a, typename A::template Field<WinnerRange>& r) {
  a.record("winner_range", "Consecutive sizes at which one backend is surely the fastest");
  a("backend", r.backend, {"which one", Holds::kWord});
  a("from_bytes", r.from_bytes, {"the smallest of these sizes", "bytes"});
  a("to_bytes", r.to_bytes, {"the largest of them", "bytes"});
}

template <class A>
constexpr void fields(A& a, typename A::template Field<CollectiveWinners>& w) {
  a.record("collective_winners", "Backends against each other over sizes, all else equal");
  a("fixed", w.fixed, {"fields that they share, with their values", Holds::kOptions});
  a("sizes", w.sizes, {"ascending"});
  a.list("ranges", w.ranges, {"where one backend wins, ascending"});
  a.text("in_words", w.in_words, {"the answer as a sentence", Holds::kText});
}

template <class A>
constexpr void fields(A& a, typename A::template Field<CollectiveFit>& f) {
  a.record("collective_fit",
           "Latency and bandwidth of the links of one level, fitted over sizes: time_s = messages "
           "that follow each other x alpha_s + bytes / bandwidth_GBps; METRICS.md, "
           "\"Collectives\", has the messages and bytes of each collective");
  a("fixed", f.fixed,
    {"fields that the sizes share, with their values; backend among them", Holds::kOptions});
  a.word("level", f.level, {"intra_node", "inter_node"}, {"whether its ranks are on one node"});
  a("from_bytes", f.from_bytes, {"the smallest size that went in", "bytes"});
  a("to_bytes", f.to_bytes, {"the largest", "bytes"});
  a("sizes", f.sizes, {"how many went in", "", 2});
  a("alpha_s", f.alpha_s, {"time of a message without data", "s"});
  a.pair("alpha_ci95", f.alpha_ci95,
         {"95 % interval of alpha_s, over fits of each repetition", "s"});
  a("bandwidth_GBps", f.bandwidth_GBps,
    {"one direction; of one rank's link within a node, of the whole node between nodes; absent "
     "where time does not grow with the size",
     "GB/s"});
  a.pair("bandwidth_ci95", f.bandwidth_ci95, {"95 % interval of bandwidth_GBps, alike", "GB/s"});
  a("worst_relative_error", f.worst_relative_error,
    {"largest distance of the model from a measured time, by that time; over all levels"});
  a.text("in_words", f.in_words, {"the fit as a sentence", Holds::kText});
  standing_fields(a, f.standing);
}

template <class A>
constexpr void fields(A& a, typename A::template Field<LinkRecord>& l) {
  a.record("link", "A link between two hosts or ranks, both ways");
  a("a", l.a, {"name of a host, or \"rank 3\" within one", Holds::kHost});
  a("b", l.b, {"the other end", Holds::kHost});
  a("a_rank", l.a_rank, {"the rank on a; absent where the link is of the whole host"});
  a.text("a_device", l.a_device, {"its device: \"cuda:3\"", Holds::kText});
  a("b_rank", l.b_rank, {"the rank on b"});
  a.text("b_device", l.b_device, {"its device", Holds::kText});
  a("latency_s", l.latency_s, {"time of a small message, one way", "s"});
  a("bandwidth_GBps", l.bandwidth_GBps,
    {"of large messages each way at once, in one direction", "GB/s"});
  a("passes", l.passes, {"how many measurements the two are medians of", "", 1});
  a.pair("latency_ci95", l.latency_ci95,
         {"95 % interval of latency_s over passes", "s", kAnyNumber});
  a.pair("bandwidth_ci95", l.bandwidth_ci95,
         {"95 % interval of bandwidth_GBps over passes", "GB/s", kAnyNumber});
}

// --- These fields are results of comparing options.

template <class A, class Effect>
constexpr void effect_deltas(A& a, Effect& e) {
  a("memory_delta_bytes", e.memory_delta_bytes,
    {"difference of memory_peak_bytes, to less from, mean over pairs; absent of collectives",
     "bytes", kAnyNumber});
  a("phases_delta_s", e.phases_delta_s,
    {"differences of phases_s, to less from, mean over pairs; absent where a run has no phases"});
  a("loss_delta", e.loss_delta,
    {"difference of the loss after equally many samples, to less from, mean over pairs; absent "
     "where runs have no such step in common, and between different data",
     "", kAnyNumber});
  a("loss_step", e.loss_step,
    {"step of from, counted from 1, at which loss_delta was taken: the last one that all runs "
     "have in common",
     "steps", 1});
}

template <class A>
constexpr void fields(A& a, typename A::template Field<EffectRecord>& e) {
  a.record("effect", "One value of an axis against the first value of that axis, all else equal");
  a("axis", e.axis,
    {"the option whose values are compared; of collectives a field of theirs", Holds::kOption});
  a("fixed", e.fixed,
    {"options that both sides share, with their values; world_size among them", Holds::kOptions});
  a("from", e.from, {"the axis's first value, as typed", Holds::kValue});
  a("to", e.to, {"the value that is compared with it", Holds::kValue});
  a("groups", e.groups, {"groups of the points of from and of to", Holds::kId});
  a("pairs", e.pairs, {"blocks in which both ran, in one session"});
  a("ratio", e.ratio,
    {"throughput of to by that of from, within blocks; of collectives time_s of from by that of "
     "to: above 1 is faster"});
  a.pair("ratio_ci95", e.ratio_ci95,
         {"95 % interval of ratio, Student's t over blocks, of this comparison alone", "",
          kAnyNumber});
  a("p_holm", e.p_holm,
    {"p of \"the ratio is 1\", adjusted by Holm over the axis; absent with fewer than 3 pairs, and "
     "of a disturbed one"});
  a.choice(
      "verdict", e.verdict,
      {"real: p_holm is below 5 % and the ratio is 2 % or more from 1; none: its 90 % interval "
       "lies within 2 % of 1; unsure: neither, or fewer than 3 pairs; disturbed: fewer than 3 "
       "pairs of runs that nothing disturbed"});
  effect_deltas(a, e);
  a.text("in_words", e.in_words, {"the effect as a sentence", Holds::kText});
  a.text("disturbed_by", e.disturbed_by,
         {"where it is disturbed: how many of the pairs were", Holds::kText});
  standing_fields(a, e.standing);
}

template <class A>
constexpr void fields(A& a, typename A::template Field<DroppedValue>& d) {
  a.record("dropped", "A value that --tune dropped on the way");
  a("value", d.value, {"the value", Holds::kValue});
  a("runs", d.runs, {"its runs until then", "", 1});
  a("p", d.p, {"one-sided p of \"it is as fast as the fastest\", of these runs alone"});
}

template <class A>
constexpr void fields(A& a, typename A::template Field<TuningRecord>& t) {
  a.record("tuning", "What --tune found, of one combination of the other axes");
  a("axis", t.axis, {"the option that was tuned", Holds::kOption});
  a("fixed", t.fixed, {"as of an effect", Holds::kOptions});
  a("fastest", t.fastest, {"the value with the highest throughput, within blocks", Holds::kValue});
  a("group", t.group, {"group of its points", Holds::kId});
  a.list("not_distinguishable", t.not_distinguishable,
         {"values that are not surely slower (one-sided 5 % over all values)", Holds::kValue});
  a.list("dropped", t.dropped, {"values that were not measured to the end: they were slower"});
  a.text("in_words", t.in_words, {"the answer as a sentence", Holds::kText});
}

template <class A>
constexpr void fields(A& a, typename A::template Field<CommunicationLimit>& l) {
  a.record("communication_limit",
           "From which batch size communication stays below a share of the step");
  a("axis", l.axis, {"batch_size, of weak scaling, or global_batch_size", Holds::kOption});
  a("fixed", l.fixed, {"as of an effect", Holds::kOptions});
  a("share", l.share, {"communication.network_s by step_mean_over_ranks_s: 0.3 or 0.1"});
  a("from", l.from,
    {"smallest batch size such that the 95 % interval of the share lies below, of it and of all "
     "larger ones that were measured; absent where there is none",
     "samples", 1});
  a("smallest", l.smallest, {"smallest batch size that was measured", "samples", 1});
  a("largest", l.largest, {"largest batch size that was measured", "samples", 1});
  a.text("in_words", l.in_words, {"the same as a sentence", Holds::kText});
}

}  // namespace scalemark::reporting
