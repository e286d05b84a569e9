// Plain records of how far one number may be trusted, and of what a sweep says about its points:
// one group per point over its repetitions, scaling tables, drift, and the sessions that ran them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/field.h"
#include "core/base/words.h"
#include "core/statistics/efficiency.h"
#include "core/statistics/straggler.h"
#include "core/statistics/summary.h"
#include "core/statistics/variance_split.h"

namespace scalemark::reporting {

// --- The standing of a number, as report/judge found it. Forms for people leave out what
// is withheld, forms for programs hold it beside the number. Source: METRICS.md, "Standing".

inline constexpr const char* kShown = "shown";
inline constexpr const char* kShownWithCare = "with_care";
inline constexpr const char* kWithheld = "withheld";

struct Standing {
  std::string level;   // one of the three words; empty: not judged yet
  std::string reason;  // code of a finding or doubt (verdict.reasons[].code); empty: shown

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

// Writes the fields of a standing into the record of its number.
template <class A>
constexpr void standing_fields(A& a, auto& standing) {
  a.part(standing, [&](auto& inner) { fields(inner, standing); });
}

// --- What a sweep says about its points. summary.h computes it once; renderers only show it.
// Definitions: METRICS.md, "Several runs".

using statistics::Bounds;

// Where the variance of a point's throughput comes from, as standard deviations of ln X, and what
// would narrow its interval.
struct VarianceRecord {
  double between_runs = 0, steps = 0, beyond_steps = 0;
  Bounds beyond_steps_ci95;
  std::optional<double> sessions;  // unset: one session
  Bounds sessions_ci95;
  double window_s = 0;          // mean length of the windows
  std::optional<double> run_s;  // a run takes so much besides; unset: unknown
  statistics::ReplicationLevel buy = statistics::ReplicationLevel::kUnsure;
  std::optional<double> best_window_s;  // how long windows should be; set for kWindows
  std::string in_words;
};

// The results of --communication-cost over repetitions: means, and their intervals, for which two
// repetitions, or three sessions, are needed.
struct GroupCommunication {
  std::optional<double> cost_s, contention_s, efficiency;
  Bounds cost_ci95, contention_ci95, efficiency_ci95;
};

// One planned point over its repetitions. The rates are of repetitions with status ok, and are
// unset when there are none.
struct GroupRecord {
  std::string group;
  int n = 0;                    // repetitions that are ok
  std::optional<int> sessions;  // unset: all are from one session
  std::optional<double> samples_per_sec;
  std::optional<double> step_time_s;       // T: samples of a step / samples_per_sec
  Bounds ci95;                             // needs two repetitions, or three sessions
  std::optional<double> slowest, fastest;  // samples_per_sec of single runs; needs two
  std::optional<double> at_least;          // set for one run; see ScalingRow
  // A state of the machine that affects up to this share of runs may have occurred in none (95 %).
  std::optional<double> unseen_share;
  std::optional<double> cv_between;
  std::string stop_reason;  // "repetitions" | "until-ci" | "max-time" (unconverged) | ...
  std::optional<double> samples_per_joule, samples_per_dollar;
  // The verdict on all repetitions together. Unset: unknown.
  std::optional<bool> steady;
  std::string steady_reason;
  std::optional<double> bias_bound;
  std::optional<VarianceRecord> variance;           // unset with too few runs, or steps
  std::optional<GroupCommunication> communication;  // filled by --communication-cost
  std::map<std::string, int> status_counts;         // ok | oom | failed | skipped -> repetitions
  Standing standing = {};                           // applies to its rate
};

// The shares of lost efficiency, whose sum is 1 - efficiency, with signs; and their 95 % intervals
// over blocks.
using LossOfEfficiency = statistics::LossTerms;
using LossIntervals = statistics::LossIntervals;

struct ScalingRow {
  int world_size = 1;
  std::string group;
  std::string strategy;             // "none": no exchange
  std::vector<std::string> points;  // ids, one per block
  double samples_per_sec = 0;
  std::optional<double> step_time_s;          // T, see GroupRecord
  std::optional<double> speedup, efficiency;  // never clipped; unset for the baseline itself
  Bounds efficiency_ci95;
  std::optional<double> efficiency_lowest, efficiency_highest;  // extremes of pairs; needs two
  // Set for a single pair: the relative uncertainty from the steps within its runs. Runs differ by
  // more.
  std::optional<double> at_least;
  std::optional<int> unsteady_runs;  // among the runs of the pairs; unset: none
  std::optional<LossOfEfficiency> loss_of_efficiency;
  std::optional<LossIntervals> loss_of_efficiency_ci95;  // needs two blocks
  std::optional<int> slowest_rank;  // the rank that the rule for stragglers names
  std::string in_words;             // "8.0x -> 6.1x: communication -0.9, ..."
  Standing standing = {};           // applies to speed-up, efficiency and losses

  // The speed-up that an efficiency of 1 would be, for a row that has both. The interval of the
  // speed-up is that of the efficiency, scaled by the same ratio.
  double ideal() const { return *efficiency > 0 ? *speedup / *efficiency : 1; }
};

// One slice, in which all but the world size is fixed.
struct ScalingTable {
  std::string kind;  // weak | strong-by-batch | strong-by-accumulation
  std::map<std::string, std::string> fixed;
  std::vector<std::string> baseline_points;  // ids
  std::string relative_to;  // "1 rank without communication", or "2 ranks" when it cannot run
  std::vector<ScalingRow> rows;
  std::vector<std::string> left_out;  // ids of runs whose baseline ran in another session
};

using statistics::RankVerdict;

// A rank whose own time differs from its peers' (METRICS.md, "Straggler").
struct Straggler {
  std::string group;
  int rank = 0;
  std::string host, device;
  double deviation = 0;  // D_r, a logarithm: its own time is exp(D_r) times the others' median
  std::optional<double> low95;
  int runs = 0, slow_runs = 0;  // slow_runs: compared runs in which it was above its limit
  RankVerdict verdict = RankVerdict::kWithinNoise;
};

// A comparison of one slice with synthetic and with real data.
struct DataGap {
  std::string real_group, synthetic_group;
  double real_samples_per_sec = 0, synthetic_samples_per_sec = 0;
  double lost_share = 0;  // 1 - real / synthetic; negative: real was faster
  Bounds lost_share_ci95;
  Standing standing = {};
};

// How speed changed over the sweep, with the means of points removed: 0.01 = 1 % faster from start
// to end.
struct Drift {
  double per_sweep = 0;
  Bounds ci95;
  std::optional<double> lag1;  // between neighbouring runs; set where it is significant
  Standing standing = {};
};

// The speed of a device by itself, from runs of independent replicas (no exchange), where no rank
// waits for another.
struct DeviceRecord {
  std::string group;  // its runs have no exchange
  int rank = 0;
  std::string host, device, uuid, pci;  // uuid, pci: empty where unknown
  int runs = 0;
  double samples_per_sec = 0;
  Bounds ci95;  // see GroupRecord
  // Deviation from the median of the other devices of the same runs: -0.05 is 5 % slower. Unset for
  // a single device.
  std::optional<double> deviation;
  Bounds deviation_ci95;
  std::optional<int> max_sm_clock_MHz, max_memory_clock_MHz;
};

// The fastest point, and the points that may be as fast.
struct FastestPoint {
  std::string group;
  std::vector<std::string> not_told_apart;  // groups, fastest first
};

// One call of the program that added points.
struct SessionRecord {
  int session = 0;
  std::string started, finished;  // RFC 3339, UTC; finished: empty while it runs
  std::string hostname;           // host of rank 0
  std::string command_line;
  std::optional<int> planned_runs;  // counts those of earlier sessions; unset: not known
  std::string broke_with;           // changes that --resume-anyway accepted; empty: none
};

struct Prediction {
  std::string slice;
  int world_size = 1;
  double samples_per_sec = 0, efficiency = 0;
  // predictor: rule | interpolation; in older reports model, also where it is empty.
  std::string predictor, reason;
  std::optional<double> model_samples_per_sec, rule_samples_per_sec;
  // The band contains samples_per_sec. Unset where published series do not test the prediction.
  std::optional<double> low, high, band_coverage;
  std::optional<int> tested_series, tested_sources;
  std::string basis;  // links: measured | assumed (older: given); may end in ", indicative"
};

}  // namespace scalemark::reporting
