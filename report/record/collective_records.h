// Plain records of what was measured of collectives. Definitions: METRICS.md, "Collectives".
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/collectives/collective.h"
#include "report/record/records.h"
#include "report/record/sweep_records.h"

namespace scalemark::reporting {

// The latency of isolated calls: the slowest rank of each call, then quantiles over calls, in
// seconds.
struct Latency {
  std::int64_t n = 0;
  double p50 = 0;
  std::optional<double> p95, p99;  // set from kCallsForP95 and kCallsForP99 calls on
};

// A run and the group of its repetitions have these members in common.
struct CollectiveIdentity {
  collectives::Collective collective = collectives::Collective::kAllReduce;
  std::string backend;
  collectives::Via via = collectives::Via::kC10d;
  collectives::DataType dtype = collectives::DataType::kFp32;
  std::string device;  // cpu | cuda
  collectives::Staging staging = collectives::Staging::kNone;
  std::int64_t bytes = 0;  // counted as nccl-tests does; 0 for a barrier
  int world_size = 1, nodes = 1;
  std::string placement;
  bool in_place = true, overlap_compute = false, congestion = false;
  std::optional<int> parts = {};  // so many parts of a fleet made the same call at the same time
};

// One run of one collective over its group of ranks.
struct CollectiveRecord : CollectiveIdentity {
  std::string id, group;
  int repetition = 0, order = 0;
  std::string started;  // RFC 3339, UTC
  std::vector<int> members;

  // These members describe the outcome.
  PointStatus status = PointStatus::kOk;
  std::string reason;
  std::optional<int> attempts;  // set where there were several
  std::string disturbed;        // the disturbance of the last attempt; empty: none

  // These members were measured. They have a meaning when status is ok.
  std::int64_t iterations = 0;  // calls in the back-to-back loop
  std::int64_t calls = 0;       // all calls: warm-up, loop, isolated and verified ones
  double time_s = 0;            // mean of a call over the loop, then over ranks
  std::optional<Latency> latency_s;
  // A barrier has none of these.
  std::optional<double> algbw_GBps, busbw_GBps, expected_busbw_GBps;
  std::string expected_source;  // how the expected bandwidth was found; empty when there is none
  // How many elements were wrong, over all ranks; unset where nothing was checked.
  std::optional<std::int64_t> wrong;
  std::optional<int> wrong_rank;  // the first rank that got wrong elements
};

// One rank's measurements of one run. They are gathered on the group's rank 0.
struct CollectiveTimes {
  std::int64_t iterations = 0, calls = 0;
  double time_s = 0;       // mean of a call in this rank's back-to-back loop
  std::int64_t wrong = 0;  // wrong elements of this rank
  // The member, by its place among them, that the first wrong element came from, where known.
  std::optional<int> wrong_from;
  std::int64_t first_wrong = 0;  // index of the first wrong element
};
template <class A>
constexpr void fields(A& a, typename A::template Field<CollectiveTimes>& t) {
  a.values(t.iterations, t.calls, t.time_s, t.wrong, t.wrong_from, t.first_wrong);
}

// Names the end of a link: "n7 rank 59 (cuda:3)", or only the host where the rank is not given.
std::string link_end(const std::string& name, std::optional<int> rank, const std::string& device);

// A link between two hosts or ranks, measured in both directions. The ends are names of hosts, or
// "rank 3" within one.
struct LinkRecord {
  std::string a, b;
  double latency_s = 0, bandwidth_GBps = 0;
  std::int64_t passes = 1;  // latency and bandwidth are medians over so many
  Bounds latency_ci95 = {}, bandwidth_ci95 = {};
  std::optional<int> a_rank = {}, b_rank = {};  // set for links between ranks of two nodes
  std::string a_device = {}, b_device = {};
  std::string first() const { return link_end(a, a_rank, a_device); }
  std::string second() const { return link_end(b, b_rank, b_device); }
  std::string name() const { return first() + " to " + second(); }
  bool operator==(const LinkRecord&) const = default;
};

// A number of a group over its repetitions, with its 95 % interval if there are two or more.
struct OverRuns {
  std::optional<double> value;
  Bounds ci95;
};

// One planned point over its repetitions. The numbers are of repetitions with status ok, and are
// unset when there are none.
struct CollectiveGroup : CollectiveIdentity {
  std::string group;
  int n = 0;                                 // repetitions that are ok
  std::map<std::string, int> status_counts;  // status -> repetitions
  OverRuns time_s, latency_p50_s, latency_p95_s, latency_p99_s;
  OverRuns algbw_GBps, busbw_GBps;  // a barrier has none
  std::optional<double> expected_busbw_GBps;
  std::string expected_source;
  OverRuns expected_share;            // busbw_GBps / expected_busbw_GBps
  std::optional<std::int64_t> wrong;  // counts all repetitions
  Standing standing = {};             // applies to times and bandwidths
};

// The fastest backend at one size.
struct SizeWinner {
  std::int64_t bytes = 0;
  std::string fastest;                           // backend
  std::vector<std::string> not_distinguishable;  // backends that are not surely slower
};

// Consecutive sizes at which one backend is surely the fastest.
struct WinnerRange {
  std::string backend;
  std::int64_t from_bytes = 0, to_bytes = 0;  // both were measured
};

// A comparison of backends over the sizes of one collective, all else equal.
struct CollectiveWinners {
  std::map<std::string, std::string> fixed;  // collective, dtype, world_size, device, ...
  std::vector<SizeWinner> sizes;             // ascending
  std::vector<WinnerRange> ranges;           // ascending
  std::string in_words;
};

// Latency and bandwidth of the links of one level, fitted over the sizes of one series.
struct CollectiveFit {
  std::map<std::string, std::string> fixed;   // collective, backend, via, dtype, world_size, ...
  std::string level;                          // intra_node | inter_node
  std::int64_t from_bytes = 0, to_bytes = 0;  // the range of fitted sizes
  int sizes = 0;
  double alpha_s = 0;
  Bounds alpha_ci95;
  std::optional<double> bandwidth_GBps;  // unset where time does not grow with the size
  Bounds bandwidth_ci95;
  double worst_relative_error = 0;  // |fit / measured - 1|
  std::string in_words;
  Standing standing = {};
};

}  // namespace scalemark::reporting
