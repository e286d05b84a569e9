// The cost of a collective on the links of its ranks: by a formula, and latency and bandwidth of
// the links fitted to measured times. Pure; knows no backend: the caller fits the points of each by
// themselves.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/collectives/collective.h"
#include "core/statistics/summary.h"

namespace scalemark::collectives {

// Links within a node, and between nodes.
enum Level { kIntraNode = 0, kInterNode = 1 };
inline constexpr std::size_t kLevels = 2;

// The alpha-beta model (Hockney 1994): a message of n bytes takes alpha_s + n x s_per_byte.
struct Link {
  double alpha_s = 0;
  double s_per_byte = 0;
};
using Links = std::array<Link, kLevels>;

// Equal nodes. The last one may hold fewer ranks; formulas take it as full.
struct Layout {
  int nodes = 1;
  int ranks_per_node = 1;
};

// Seconds = sum over levels of messages[l] x alpha[l] + bytes[l] x beta[l]: linear in what is
// fitted.
struct CostTerms {
  std::array<double, kLevels> messages{}, bytes{};
};

// The cost on idle links.
double cost_s(const CostTerms& terms, const Links& links);

// Messages that follow each other, and bytes, at each level, of `bytes` as nccl-tests counts them;
// g ranks on each of n nodes, N in all:
//   all-reduce                  a ring in each level (Patarasu and Yuan 2009): reduce-scatter
//                               within the node, a ring of the nodes for each shard, all-gather
//                               within the node: 2 (g - 1) messages of S / g, 2 (n - 1) of S / n
//                               through each node's connection
//   all-gather, reduce-scatter  half of that: (g - 1) messages of S / g, (n - 1) of S / n
//   broadcast, reduce           a chain in pieces that follow each other: g - 1 (n - 1) latencies,
//   S gather                      into the root: g - 1 messages of S / N, N - g from other nodes
//   all-to-all                  each rank g - 1 messages of S / N; through each node's connection
//                               g (N - g), of which those of one rank follow each other
//   send-recv                   a ring shift: one message of S; on several nodes the one between
//   barrier                     log2, rounded up, messages without data
// All are zero for one rank.
CostTerms ring_terms(Collective collective, Layout layout, double bytes);

// One collective of one size on one set of ranks.
struct LinkPoint {
  Collective collective = Collective::kAllReduce;
  Layout layout;
  std::int64_t bytes = 0;       // counted in the way of nccl-tests
  std::vector<double> seconds;  // one call takes so long, above 0; one value for each repetition
};

struct FittedNumber {
  double value = 0;
  std::optional<statistics::Interval> ci95;  // over repetitions; a single one has none
};

struct FittedLink {
  FittedNumber alpha_s;                        // latency of a message
  FittedNumber s_per_byte;                     // both are 0 or more
  std::optional<FittedNumber> bandwidth_GBps;  // 1e-9 / s_per_byte; absent where that is 0
};

struct LinksFit {
  std::array<std::optional<FittedLink>, kLevels> links;  // by Level; absent: not used
  // The error of the fit for the worst point: its time by the fit against its geometric mean.
  double worst_relative_error = 0;
};

// Least squares on relative errors, no number negative, over ring_terms(), to the geometric means
// of each point's repetitions. Intervals: the same fit to each repetition by itself, and around the
// value half of Student's t interval over those; a low end below 0 is 0. Barriers have no data and
// are left out. Absent when the points are fewer than the numbers to be found and one more: 3 for
// one level, 5 for two. Throws bug() for a point without a time, and for times that are not above
// 0.
std::optional<LinksFit> fit_links(std::span<const LinkPoint> points);

}  // namespace scalemark::collectives
