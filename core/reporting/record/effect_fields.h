// The fields of what the options of a sweep give. See field.h.
#pragma once

#include "core/reporting/record/effect_records.h"
#include "core/reporting/record/rank_fields.h"

namespace scalemark::reporting {

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
