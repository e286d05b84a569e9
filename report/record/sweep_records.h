// Plain records hold how far one number may be trusted, and what a sweep says about its points: one
// group per point over its repetitions, scaling tables, drift, and the sessions that ran them.
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
// is withheld, forms for programs hold it beside the number. Source: docs/METRICS.md, "Standing".

inline constexpr const char* kShown = "shown";
inline constexpr const char* kShownWithCare = "with_care";
inline constexpr const char* kWithheld = "withheld";

struct Standing {
  std::string level;   // one of the three words; empty: nobody has judged it yet
  std::string reason;  // the code of a finding or doubt (verdict.reasons[].code); empty: shown

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

// The field of a record's number.
template <class A>
constexpr void standing_fields(A& a, auto& standing) {
  a.part(standing, [&](auto& inner) { fields(inner, standing); });
}

// --- A sweep says this about its points. It is computed once, by summary.h; renderers only show
// it. Definitions: docs/METRICS.md, "Several runs".

using statistics::Bounds;

// Where the variance of a point's throughput comes from: standard deviations of ln X, and what
// would narrow its interval.
struct VarianceRecord {
  double between_runs = 0, steps = 0, beyond_steps = 0;
  Bounds beyond_steps_ci95;
  std::optional<double> sessions;  // unset: one session
  Bounds sessions_ci95;
  double window_s = 0;          // mean length of the windows
  std::optional<double> run_s;  // a run takes so much besides; unset: not known
  statistics::ReplicationLevel buy = statistics::ReplicationLevel::kUnsure;
  std::optional<double> best_window_s;  // how long windows should be; set for kWindows
  std::string in_words;
};

// --communication-cost measured these over repetitions: means, and their intervals from two on, or
// from three sessions.
struct GroupCommunication {
  std::optional<double> cost_s, contention_s, efficiency;
  Bounds cost_ci95, contention_ci95, efficiency_ci95;
};

// One planned point over its repetitions. The rates count status ok only, and are absent when no
// repetition is.
struct GroupRecord {
  std::string group;
  int n = 0;                    // repetitions that are ok
  std::optional<int> sessions;  // they come from so many sessions; unset: one
  std::optional<double> samples_per_sec;
  std::optional<double> step_time_s;       // T: samples of a step / samples_per_sec
  Bounds ci95;                             // from two repetitions, or three sessions
  std::optional<double> slowest, fastest;  // samples_per_sec of single runs, from two on
  std::optional<double> at_least;          // holds for one run; see ScalingRow
  std::optional<double> unseen_share;  // largest share of runs that a state of the machine may have
                                       // and still be in none of them (95 %)
  std::optional<double> cv_between;
  std::string stop_reason;  // "repetitions" | "until-ci" | "max-time" (unconverged) | ...
  std::optional<double> samples_per_joule, samples_per_dollar;
  // By all repetitions together; absent: unknown.
  std::optional<bool> steady;
  std::string steady_reason;
  std::optional<double> bias_bound;
  std::optional<VarianceRecord> variance;           // unset with too few runs, or steps, to tell
  std::optional<GroupCommunication> communication;  // filled by --communication-cost
  std::map<std::string, int> status_counts;         // ok | oom | failed | skipped -> repetitions
  Standing standing = {};                           // applies to its rate
};

// Where efficiency went: shares that sum to 1 - efficiency, signs kept; and their 95 % intervals
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
  std::optional<double> speedup, efficiency;  // never clipped; the baseline itself has none
  Bounds efficiency_ci95;
  std::optional<double> efficiency_lowest, efficiency_highest;  // extremes of pairs, from two on
  // Where one pair stands alone: the relative uncertainty that steps within the runs give. Runs
  // differ by more.
  std::optional<double> at_least;
  std::optional<int> unsteady_runs;  // among the runs of the pairs; unset: none
  std::optional<LossOfEfficiency> loss_of_efficiency;
  std::optional<LossIntervals> loss_of_efficiency_ci95;  // from two blocks
  std::optional<int> slowest_rank;                       // the rule for stragglers names it
  std::string in_words;                                  // "8.0x -> 6.1x: communication -0.9, ..."
  Standing standing = {};  // applies to speed-up, efficiency and losses

  // The speed-up that an efficiency of 1 would be. For a row that has both.
  double ideal() const { return *efficiency > 0 ? *speedup / *efficiency : 1; }
};

// One slice: everything fixed but the world size.
struct ScalingTable {
  std::string kind;  // weak | strong-by-batch | strong-by-accumulation
  std::map<std::string, std::string> fixed;
  std::vector<std::string> baseline_points;  // ids
  std::string relative_to;  // "1 rank without communication", or "2 ranks" when that cannot run
  std::vector<ScalingRow> rows;
  std::vector<std::string> left_out;  // ids whose baseline ran in another session
};

using statistics::RankVerdict;

// A rank whose own time stands out from its peers' (docs/METRICS.md, "Straggler").
struct Straggler {
  std::string group;
  int rank = 0;
  std::string host, device;
  double deviation = 0;  // D_r, a logarithm: its own time is exp(D_r) times the others' median
  std::optional<double> low95;
  int runs = 0, slow_runs = 0;  // that were compared, and those in which it was above its limit
  RankVerdict verdict = RankVerdict::kWithinNoise;
};

// The same slice from synthetic and from real data.
struct DataGap {
  std::string real_group, synthetic_group;
  double real_samples_per_sec = 0, synthetic_samples_per_sec = 0;
  double lost_share = 0;  // 1 - real / synthetic; negative: real was faster
  Bounds lost_share_ci95;
  Standing standing = {};
};

// How speed moved over the sweep, point means removed: 0.01 = 1 % faster from start to end.
struct Drift {
  double per_sweep = 0;
  Bounds ci95;
  std::optional<double> lag1;  // between neighbouring runs, where it is significant
  Standing standing = {};
};

// A device by itself, from runs of independent replicas (no exchange), where no rank waits for
// another.
struct DeviceRecord {
  std::string group;  // with no exchange
  int rank = 0;
  std::string host, device, uuid, pci;  // uuid and pci empty where they are not known
  int runs = 0;
  double samples_per_sec = 0;
  Bounds ci95;  // see GroupRecord
  // From the median of the other devices of the same runs: -0.05 is 5 % slower. Absent for one.
  std::optional<double> deviation;
  Bounds deviation_ci95;
  std::optional<int> max_sm_clock_MHz, max_memory_clock_MHz;
};

// The fastest point, and what may be as fast.
struct FastestPoint {
  std::string group;
  std::vector<std::string> not_told_apart;  // groups, fastest first
};

// One invocation that added points.
struct SessionRecord {
  int session = 0;
  std::string started, finished;  // RFC 3339, UTC; finished empty while it runs
  std::string hostname;           // rank 0 ran there
  std::string command_line;
  std::string broke_with;  // changes that --resume-anyway passed over; empty: none
};

struct Prediction {
  std::string slice;
  int world_size = 1;
  double samples_per_sec = 0, efficiency = 0;
  std::string predictor, reason;  // rule | interpolation; older: model, where it is empty, too
  std::optional<double> model_samples_per_sec, rule_samples_per_sec;
  // The band holds samples_per_sec; absent where published series do not test the prediction.
  std::optional<double> low, high, band_coverage;
  std::optional<int> tested_series, tested_sources;
  std::string basis;  // links: measured | assumed (older: given); may go on ", indicative"
};

}  // namespace scalemark::reporting
