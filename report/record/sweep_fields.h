// Lists the fields of what a sweep says about its points. See field.h.
#pragma once

#include "core/base/field.h"
#include "report/record/point_facts.h"

namespace scalemark::statistics {

template <class A>
constexpr void fields(A& a, typename A::template Field<LossTerms>& l) {
  a.record("loss_of_efficiency",
           "Where efficiency went: shares that sum to 1 - efficiency, signs kept");
  reporting::for_each_loss([&](const auto& part) {
    a(part.field, l.*part.share, {part.meaning, "", kAnyNumber});
  });
}

template <class A>
constexpr void fields(A& a, typename A::template Field<LossIntervals>& l) {
  a.record("loss_intervals",
           "95 % intervals of the shares of lost efficiency, Student's t over blocks. "
           "persistent_imbalance is that of the rank that was slowest: chosen after looking, so "
           "its interval begins above 0 more often than 1 time in 40");
  reporting::for_each_loss([&](const auto& part) {
    a.pair(part.field, l.*part.ci95, {"interval of that share", "", kAnyNumber});
  });
}

}  // namespace scalemark::statistics

namespace scalemark::reporting {

template <class A>
constexpr void fields(A& a, typename A::template Field<VarianceRecord>& v) {
  a.record("variance",
           "Where the variance of a throughput comes from: standard deviations of ln "
           "samples_per_sec, 0.01 = 1 %");
  a("between_runs", v.between_runs, {"of runs of one session"});
  a("steps", v.steps, {"of it, what the steps of a window explain"});
  a("beyond_steps", v.beyond_steps, {"of it, the rest: between_runs^2 = steps^2 + beyond_steps^2"});
  a.pair("beyond_steps_ci95", v.beyond_steps_ci95,
         {"95 % interval of beyond_steps; from 0: it cannot be told from none"});
  a("sessions", v.sessions, {"of sessions, beyond what their runs explain; absent: one session"});
  a.pair("sessions_ci95", v.sessions_ci95, {"95 % interval of sessions, alike"});
  a("window_s", v.window_s, {"mean length of the windows", "s"});
  a("run_s", v.run_s,
    {"what a run takes besides, however long its window is: set-up and warm-up; absent where that "
     "is not known",
     "s"});
  a.choice(
      "buy", v.buy,
      {"what narrows the interval in the least time: more runs, longer windows, more sessions; "
       "unsure: these runs cannot tell"});
  a("best_window_s", v.best_window_s, {"of longer windows: how long they should be", "s"});
  a.text("in_words", v.in_words, {"the same as a sentence", Holds::kText});
}

template <class A>
constexpr void fields(A& a, typename A::template Field<GroupCommunication>& c) {
  a.record(
      "group_communication",
      "What --communication-cost measured, over repetitions: intervals from two on, of several "
      "sessions over sessions and from three on");
  a("cost_s", c.cost_s, {"mean of points[].communication.cost_s", "s", kAnyNumber});
  a.pair("cost_ci95", c.cost_ci95, {"95 % interval of cost_s over repetitions", "s", kAnyNumber});
  a("contention_s", c.contention_s,
    {"mean of points[].communication.contention_s", "s", kAnyNumber});
  a.pair("contention_ci95", c.contention_ci95,
         {"95 % interval of contention_s, as of cost_s", "s", kAnyNumber});
  a("efficiency", c.efficiency,
    {"exp of the mean of ln points[].communication.efficiency: 1, where communication costs "
     "nothing"});
  a.pair("efficiency_ci95", c.efficiency_ci95, {"95 % interval of efficiency, as of cost_s"});
}

template <class A>
constexpr void fields(A& a, typename A::template Field<GroupRecord>& g) {
  a.record("group", "One planned point over its repetitions");
  a("group", g.group, {"group of its points", Holds::kId});
  a("n", g.n, {"how many repetitions are ok"});
  a("sessions", g.sessions, {"how many sessions those come from; absent: one", "", 2});
  a("samples_per_sec", g.samples_per_sec,
    {"throughput: exp of the mean of ln samples_per_sec over repetitions; of several sessions, "
     "over the means of sessions",
     "samples/s"});
  a("step_time_s", g.step_time_s,
    {"T: samples of a step / samples_per_sec; absent where runs had steps of different sizes",
     "s"});
  a.pair("ci95", g.ci95,
         {"95 % interval of samples_per_sec over repetitions, from two on; of several sessions, "
          "over sessions, from three on",
          "samples/s", kAnyNumber});
  a.pair("range", g.slowest, g.fastest,
         {"samples_per_sec of the slowest and of the fastest run, from two on", "samples/s"});
  a("at_least", g.at_least,
    {"where one run stands alone: half the 95 % interval within it by samples_per_sec; runs differ "
     "by more, so the uncertainty is at least this"});
  a("unseen_share", g.unseen_share,
    {"a state of the machine that so large a share of runs is in may be in none of these, with a "
     "chance of 5 %: (1 - share)^n = 0.05; rarer states more often"});
  a("cv_between", g.cv_between,
    {"standard deviation of samples_per_sec between repetitions (n - 1) by their mean"});
  a.text(
      "stop_reason", g.stop_reason,
      {"why there are no more repetitions: repetitions: all that were planned are there; until-ci: "
       "the interval is as narrow as --until-ci asks; unconverged: it is not, and the time is "
       "over; time: the time of --burn-in is used; max-time: the time was over before all that "
       "were planned; dropped: --tune found that it is slower; tuned: --tune has its answer; "
       "interrupted: more would have come; running: more were to come when this was "
       "written (status says whether it still runs). Absent for a point that cannot run, or that "
       "the last session did not plan",
       Holds::kWord});
  a("samples_per_joule", g.samples_per_joule,
    {"samples for one joule; energy of the windows only", "samples/J"});
  a("samples_per_dollar", g.samples_per_dollar,
    {"samples for one dollar at --price-per-hour", "samples/$"});
  a("steady", g.steady,
    {"whether the windows were steady, by all repetitions together from three on; absent: they "
     "cannot tell"});
  a.text("steady_reason", g.steady_reason,
         {"what was seen of a change, and what could hide", Holds::kText});
  a("bias_bound", g.bias_bound,
    {"by how much the mean step may be off for a decay no longer than the window: 0.01 = 1 %"});
  a("variance", g.variance,
    {"where its variance comes from; absent where fewer than 2 degrees of freedom are left between "
     "runs of one session, or no run has steps enough"});
  a("communication", g.communication,
    {"what --communication-cost measured, over repetitions; absent without"});
  a("status_counts", g.status_counts,
    {"how many repetitions ended how: ok | oom | failed | skipped -> number", Holds::kWord});
  standing_fields(a, g.standing);
}

template <class A>
constexpr void fields(A& a, typename A::template Field<ScalingRow>& r) {
  a.record("scaling_row", "One world size of a slice");
  a("world_size", r.world_size, {"how many ranks trained together", "ranks", 1});
  a("group", r.group, {"group of its points", Holds::kId});
  a("strategy", r.strategy,
    {"how they trained together; none: no exchange, several ranks are independent replicas",
     Holds::kWord});
  a("points", r.points, {"ids of the runs that went in, one per block", Holds::kId});
  a("samples_per_sec", r.samples_per_sec, {"throughput as in groups", "samples/s"});
  a("step_time_s", r.step_time_s, {"T, as in groups", "s"});
  a("speedup", r.speedup,
    {"throughput by the baseline's, within blocks; absent of the baseline itself"});
  a("efficiency", r.efficiency,
    {"speed-up by the ratio of world sizes; never clipped; absent as speedup"});
  a.pair("efficiency_ci95", r.efficiency_ci95,
         {"95 % interval of efficiency, paired within blocks", "", kAnyNumber});
  a.pair("efficiency_range", r.efficiency_lowest, r.efficiency_highest,
         {"efficiency of the lowest and of the highest block, from two on", "", kAnyNumber});
  a("at_least", r.at_least,
    {"where one pair stands alone: relative uncertainty of speed-up and efficiency from the steps "
     "within both runs, as in groups"});
  a("unsteady_runs", r.unsteady_runs,
    {"how many of the runs that went in, the baseline's included, had a window that was not "
     "steady: tables then show two digits; absent: none",
     "", 1});
  a("loss_of_efficiency", r.loss_of_efficiency, {"where efficiency went"});
  a("loss_of_efficiency_ci95", r.loss_of_efficiency_ci95,
    {"95 % intervals of its shares; from two blocks on"});
  a("slowest_rank", r.slowest_rank,
    {"the rank that stragglers names at this point (verdict straggler or slower); of several the "
     "slowest"});
  a.text("in_words", r.in_words,
         {"from the ideal to the measured speed-up as a sentence", Holds::kText});
  standing_fields(a, r.standing);
}

template <class A>
constexpr void fields(A& a, typename A::template Field<ScalingTable>& t) {
  a.record("scaling_table", "One slice: everything fixed but the world size");
  a.word("kind", t.kind, {"weak", "strong-by-batch", "strong-by-accumulation"},
         {"weak: the batch of a rank is fixed; strong-by-batch, strong-by-accumulation: the global "
          "batch is, and a rank has fewer samples or micro-steps"});
  a("fixed", t.fixed, {"options that all its points share, with their values", Holds::kOptions});
  a("baseline_points", t.baseline_points, {"ids of the runs that it is relative to", Holds::kId});
  a.text("relative_to", t.relative_to,
         {"what speed-up and efficiency are relative to, in words", Holds::kText});
  a("rows", t.rows, {"one per world size and strategy, by world size"});
  a.list("left_out", t.left_out, {"ids of runs whose baseline ran in another session", Holds::kId});
}

template <class A>
constexpr void fields(A& a, typename A::template Field<Straggler>& s) {
  a.record("straggler", "A rank's own time against its peers'");
  a("group", s.group, {"group of the points that show it", Holds::kId});
  a("rank", s.rank, {"its number in the launch"});
  a.text("host", s.host, {"the machine it ran on", Holds::kHost});
  a.text("device", s.device, {"what it computed on: cpu | cuda:0", Holds::kWord});
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
            "straggler_intermittent: slower in two runs or more, but not in every one; slower at "
            "times: the same, of two ranks; within noise; too few runs: to judge"});
}

template <class A>
constexpr void fields(A& a, typename A::template Field<DataGap>& g) {
  a.record("data_gap", "The same slice from real and from synthetic data");
  a("real_group", g.real_group, {"group of the points that read files", Holds::kId});
  a("synthetic_group", g.synthetic_group, {"group of the points that read memory", Holds::kId});
  a("real_samples_per_sec", g.real_samples_per_sec, {"throughput from files", "samples/s"});
  a("synthetic_samples_per_sec", g.synthetic_samples_per_sec,
    {"throughput from memory", "samples/s"});
  a("lost_share", g.lost_share,
    {"1 - real / synthetic; negative: real was faster", "", kAnyNumber});
  a.pair("lost_share_ci95", g.lost_share_ci95,
         {"95 % interval of lost_share, paired within blocks", "", kAnyNumber});
  standing_fields(a, g.standing);
}

template <class A>
constexpr void fields(A& a, typename A::template Field<Drift>& d) {
  a.record("drift", "How speed moved over the sweep, point means removed");
  a("per_sweep", d.per_sweep,
    {"relative change of throughput from start to end: 0.01 is 1 % faster", "", kAnyNumber});
  a.pair("ci95", d.ci95, {"95 % interval of per_sweep", "", kAnyNumber});
  a("lag1", d.lag1,
    {"correlation of neighbouring runs, means of points and drift removed; absent unless it is "
     "significant (one-sided 5 %): intervals of throughput are then widened, and drift is no "
     "finding",
     "", kAnyNumber});
  standing_fields(a, d.standing);
}

template <class A>
constexpr void fields(A& a, typename A::template Field<DeviceRecord>& d) {
  a.record("device",
           "A device by itself: a rank of a point with no exchange, which waits for no other");
  a("group", d.group, {"group of that point", Holds::kId});
  a("rank", d.rank, {"number of the rank in the launch"});
  a("host", d.host, {"the machine it ran on", Holds::kHost});
  a("device", d.device, {"what it computed on: cpu | cuda:0", Holds::kWord});
  a.text("uuid", d.uuid, {"unique id of the GPU or MIG instance", Holds::kSerial});
  a.text("pci", d.pci, {"PCI address of the GPU", Holds::kSerial});
  a("runs", d.runs, {"how many runs went in", "", 1});
  a("samples_per_sec", d.samples_per_sec,
    {"its own samples by the length of its own window: exp of the mean logarithm over runs; of "
     "several sessions, over the means of sessions",
     "samples/s"});
  a.pair("ci95", d.ci95,
         {"95 % interval of samples_per_sec, as in groups", "samples/s", kAnyNumber});
  a("deviation", d.deviation,
    {"samples_per_sec against the median of the other devices in the same runs: -0.05 is 5 % "
     "slower; absent for a single device",
     "", kAnyNumber});
  a.pair("deviation_ci95", d.deviation_ci95,
         {"95 % interval of deviation over runs", "", kAnyNumber});
  a.object("clocks",
           [&](auto& inner) {
             inner.record("device_clocks", "Clock rates of a device");
             inner("max_sm_MHz", d.max_sm_clock_MHz,
                   {"highest of the multiprocessors that the driver allows", "MHz"});
             inner("max_memory_MHz", d.max_memory_clock_MHz,
                   {"highest of the memory that the driver allows", "MHz"});
           },
           {"clock rates; absent where none is known"});
}

template <class A>
constexpr void fields(A& a, typename A::template Field<FastestPoint>& f) {
  a.record("fastest", "The point with the largest throughput");
  a("group", f.group,
    {"its group; points of several ranks with no exchange do not count", Holds::kId});
  a("not_told_apart", f.not_told_apart,
    {"groups that may be as fast, fastest first: Welch's tests of ln samples_per_sec, 5 % over all "
     "pairs of points, do not tell them apart",
     Holds::kId});
}

template <class A>
constexpr void fields(A& a, typename A::template Field<SessionRecord>& s) {
  a.record("session", "One invocation of the program that added points");
  a("session", s.session, {"its number, counted from 0"});
  a.time("started", s.started, {"when it began"});
  a.text("finished", s.finished,
         {"when it ended, RFC 3339 in UTC; absent while it runs, or when it was killed",
          Holds::kWord});
  a.text("hostname", s.hostname, {"machine of rank 0", Holds::kHost});
  a.text("command_line", s.command_line, {"how it was started, as typed", Holds::kCommand});
  a("planned_runs", s.planned_runs,
    {"so many entries of points that are not skipped it was to leave, those of the sessions before "
     "included; --until-ci and --burn-in may add more. Absent with --tune, which ends slow values "
     "early, and in reports before 0.9",
     "", 1});
  a.text("broke_with", s.broke_with,
         {"differences from the sessions before that --resume-anyway passed over", Holds::kText});
}

template <class A>
constexpr void fields(A& a, typename A::template Field<Prediction>& p) {
  a.record("prediction", "What more ranks would give");
  a("slice", p.slice, {"what is fixed, in words", Holds::kText});
  a("world_size", p.world_size, {"for how many ranks it is", "ranks", 1});
  a("samples_per_sec", p.samples_per_sec,
    {"predicted throughput: that of `predictor`", "samples/s"});
  a("efficiency", p.efficiency, {"predicted efficiency"});
  a.text("predictor", p.predictor,
         {"rule | interpolation, between two measured counts; older versions: model, where it is "
          "absent, too",
          Holds::kWord});
  a.text("reason", p.reason, {"why it is that one, and how far off it was", Holds::kText});
  a("model_samples_per_sec", p.model_samples_per_sec,
    {"older versions: what a fitted model of compute and communication gave", "samples/s"});
  a("rule_samples_per_sec", p.rule_samples_per_sec,
    {"what the rule gives: efficiency falls 2 % per doubling of the ranks; absent between measured "
     "counts",
     "samples/s"});
  a.pair("band", p.low, p.high,
         {"range of samples_per_sec, from the errors of such predictions on published series; "
          "absent where too few test it, and between measured counts",
          "samples/s", kAnyNumber});
  a("band_coverage", p.band_coverage,
    {"share of those predictions inside bands made without their source"});
  a("tested_series", p.tested_series, {"published series that test such a prediction"});
  a("tested_sources", p.tested_sources, {"sources of these series"});
  a("basis", p.basis,
    {"how the speed of links is known: measured | assumed (older versions: given); then \", "
     "indicative\" far beyond what was measured",
     Holds::kWord});
}

}  // namespace scalemark::reporting
