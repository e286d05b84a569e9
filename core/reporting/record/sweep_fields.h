// The fields of what a sweep says about its points. See field.h.
#pragma once

#include "core/reporting/record/field.h"
#include "core/reporting/record/sweep_records.h"

namespace scalemark::reporting {

template <class A>
void fields(A& a, typename A::template Field<GroupRecord>& g) {
  a.record("group", "One planned point over its repetitions");
  a("group", g.group, {"group of its points"});
  a("n", g.n, {"how many repetitions are ok"});
  a("sessions", g.sessions, {"how many sessions those come from; absent: one", "", 2});
  a("samples_per_sec", g.samples_per_sec,
    {"throughput: exp of the mean of ln samples_per_sec over repetitions; of several sessions, "
     "over the means of sessions",
     "samples/s"});
  a.pair("ci95", g.ci95_low, g.ci95_high,
         {"95 % interval of samples_per_sec over repetitions, from two on; of several sessions, "
          "over sessions, from three on",
          "samples/s", kAnyNumber});
  a("cv_between", g.cv_between,
    {"standard deviation of samples_per_sec between repetitions (n - 1) by their mean"});
  a.text(
      "stop_reason", g.stop_reason,
      {"why there are no more repetitions: repetitions: all that were planned are there; until-ci: "
       "the interval is as narrow as --until-ci asks; unconverged: it is not, and the time is "
       "over; time: the time of --burn-in is used; max-time: the time was over before all that "
       "were planned; interrupted: more would have come; running: more were to come when this was "
       "written (status says whether it still runs). Absent for a point that cannot run, or that "
       "the last session did not plan"});
  a("samples_per_joule", g.samples_per_joule,
    {"samples for one joule; energy of the windows only", "samples/J"});
  a("samples_per_dollar", g.samples_per_dollar,
    {"samples for one dollar at --price-per-hour", "samples/$"});
  a("status_counts", g.status_counts,
    {"how many repetitions ended how: ok | oom | failed | skipped -> number"});
}

template <class A>
void fields(A& a, typename A::template Field<LossOfEfficiency>& l) {
  a.record("loss_of_efficiency",
           "Where efficiency went: shares that sum to 1 - efficiency, signs kept");
  a("slower_compute", l.slower_compute,
    {"ranks compute slower than the baseline does", "", kAnyNumber});
  a("data_wait", l.data_wait, {"ranks wait longer for data", "", kAnyNumber});
  a("persistent_imbalance", l.persistent_imbalance,
    {"one rank, the same in all blocks, is slower than the others: it is named only where "
     "stragglers names it",
     "", kAnyNumber});
  a("run_imbalance", l.run_imbalance,
    {"run-to-run imbalance: another rank is slower in each run; absent with one block, or where "
     "ranks ran on another host or device in some block, and then part of persistent_imbalance",
     "", kAnyNumber});
  a("jitter", l.jitter,
    {"another rank is late in each step; absent with steps_per_mark, and then part of "
     "communication",
     "", kAnyNumber});
  a("communication", l.communication, {"what is left of the step", "", kAnyNumber});
}

template <class A>
void fields(A& a, typename A::template Field<LossIntervals>& l) {
  a.record("loss_intervals",
           "95 % intervals of the shares of lost efficiency, Student's t over blocks");
  const auto share = [&](const char* name, auto& bounds, const char* meaning) {
    a.pair(name, bounds.low, bounds.high, {meaning, "", kAnyNumber});
  };
  share("slower_compute", l.slower_compute, "interval of slower_compute");
  share("data_wait", l.data_wait, "interval of data_wait");
  share("persistent_imbalance", l.persistent_imbalance,
        "interval of persistent_imbalance, of the rank that was slowest: chosen after looking, so "
        "it begins above 0 more often than 1 time in 40");
  share("run_imbalance", l.run_imbalance, "interval of run_imbalance");
  share("jitter", l.jitter, "interval of jitter");
  share("communication", l.communication, "interval of communication");
}

template <class A>
void fields(A& a, typename A::template Field<ScalingRow>& r) {
  a.record("scaling_row", "One world size of a slice");
  a("world_size", r.world_size, {"how many ranks trained together", "ranks", 1});
  a("group", r.group, {"group of its points"});
  a("strategy", r.strategy,
    {"how they trained together; none with several ranks: solo, independent replicas"});
  a("points", r.points, {"ids of the runs that went in, one per block"});
  a("samples_per_sec", r.samples_per_sec, {"throughput as in groups", "samples/s"});
  a("speedup", r.speedup, {"throughput by the baseline's, within blocks"});
  a("efficiency", r.efficiency, {"speed-up by the ratio of world sizes; never clipped"});
  a.pair("efficiency_ci95", r.efficiency_ci95_low, r.efficiency_ci95_high,
         {"95 % interval of efficiency, paired within blocks", "", kAnyNumber});
  a("loss_of_efficiency", r.loss_of_efficiency, {"where efficiency went"});
  a("loss_of_efficiency_ci95", r.loss_of_efficiency_ci95,
    {"95 % intervals of its shares; from two blocks on"});
  a("slowest_rank", r.slowest_rank,
    {"the rank that stragglers names at this point (verdict straggler or slower); of several the "
     "slowest"});
  a.text("in_words", r.in_words, {"from the ideal to the measured speed-up as a sentence"});
}

template <class A>
void fields(A& a, typename A::template Field<ScalingTable>& t) {
  a.record("scaling_table", "One slice: everything fixed but the world size");
  a.word("kind", t.kind, {"weak", "strong-by-batch", "strong-by-accumulation"},
         {"weak: the batch of a rank is fixed; strong-by-batch, strong-by-accumulation: the global "
          "batch is, and a rank has fewer samples or micro-steps"});
  a("fixed", t.fixed, {"options that all its points share, with their values"});
  a("baseline_points", t.baseline_points, {"ids of the runs that it is relative to"});
  a.text("relative_to", t.relative_to, {"what speed-up and efficiency are relative to, in words"});
  a("rows", t.rows, {"one per world size and strategy, by world size"});
  a.list("left_out", t.left_out, {"ids of runs whose baseline ran in another session"});
}

template <class A>
void fields(A& a, typename A::template Field<Straggler>& s) {
  a.record("straggler", "A rank's own time against its peers'");
  a("group", s.group, {"group of the points that show it"});
  a("rank", s.rank, {"its number in the launch"});
  a.text("host", s.host, {"the machine it ran on"});
  a.text("device", s.device, {"what it computed on: cpu | cuda:0"});
  a("deviation", s.deviation,
    {"difference of the logarithm of its own time from the median of the others: 0.05 is exp(0.05) "
     "- 1 = 5.1 % above it",
     "", kAnyNumber});
  a("low95", s.low95,
    {"one-sided 95 % lower bound of deviation over runs, a difference of logarithms as well", "",
     kAnyNumber});
  a("runs", s.runs, {"how many runs were compared"});
  a("slow_runs", s.slow_runs, {"in how many of them it was above the limit of a single run"});
  a.choice("verdict", s.verdict,
           {"straggler: slower in every run; slower: the same, of two ranks; "
            "straggler_intermittent: slower in two runs or more, but not in every one; within "
            "noise; too few runs: to judge"});
}

template <class A>
void fields(A& a, typename A::template Field<DataGap>& g) {
  a.record("data_gap", "The same slice from real and from synthetic data");
  a("real_group", g.real_group, {"group of the points that read files"});
  a("synthetic_group", g.synthetic_group, {"group of the points that read memory"});
  a("real_samples_per_sec", g.real_samples_per_sec, {"throughput from files", "samples/s"});
  a("synthetic_samples_per_sec", g.synthetic_samples_per_sec,
    {"throughput from memory", "samples/s"});
  a("lost_share", g.lost_share,
    {"1 - real / synthetic; negative: real was faster", "", kAnyNumber});
  a.pair("lost_share_ci95", g.lost_share_ci95_low, g.lost_share_ci95_high,
         {"95 % interval of lost_share, paired within blocks", "", kAnyNumber});
}

template <class A>
void fields(A& a, typename A::template Field<Drift>& d) {
  a.record("drift", "How speed moved over the sweep, point means removed");
  a("per_sweep", d.per_sweep,
    {"relative change of throughput from start to end: 0.01 is 1 % faster", "", kAnyNumber});
  a.pair("ci95", d.ci95_low, d.ci95_high, {"95 % interval of per_sweep", "", kAnyNumber});
  a("lag1", d.lag1,
    {"correlation of neighbouring runs, means of points and drift removed; absent unless it is "
     "significant (one-sided 5 %): intervals of throughput are then widened, and drift is no "
     "finding",
     "", kAnyNumber});
}

template <class A>
void fields(A& a, typename A::template Field<SessionRecord>& s) {
  a.record("session", "One invocation of the program that added points");
  a("session", s.session, {"its number, counted from 0"});
  a.time("started", s.started, {"when it began"});
  a.text("finished", s.finished,
         {"when it ended, RFC 3339 in UTC; absent while it runs, or when it was killed"});
  a.text("hostname", s.hostname, {"machine of rank 0"});
  a.text("command_line", s.command_line, {"how it was started, as typed"});
  a.text("broke_with", s.broke_with,
         {"differences from the sessions before that --resume-anyway passed over"});
}

template <class A>
void fields(A& a, typename A::template Field<Prediction>& p) {
  a.record("prediction", "What more ranks would give");
  a("slice", p.slice, {"what is fixed, in words"});
  a("world_size", p.world_size, {"for how many ranks it is", "ranks", 1});
  a("samples_per_sec", p.samples_per_sec, {"predicted throughput", "samples/s"});
  a("efficiency", p.efficiency, {"predicted efficiency"});
  a.pair("band", p.low, p.high, {"range of samples_per_sec", "samples/s", kAnyNumber});
  a("basis", p.basis,
    {"how the speed of links is known: measured | given | assumed; then \", indicative\" far "
     "beyond what was measured"});
}

}  // namespace scalemark::reporting
