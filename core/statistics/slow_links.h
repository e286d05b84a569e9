// Times of messages between pairs show which nodes and links are slow, and which nodes stand near
// each other. Knows neither messages nor hosts.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "core/statistics/summary.h"

namespace scalemark::statistics {

// The times of messages between two nodes, one per pass and above 0. All links have equally many
// passes.
struct LinkTimes {
  int a = 0, b = 0;  // nodes, from 0
  std::vector<double> seconds;
};

// By how much slower: a ratio of times with its 95 % interval.
struct Slowness {
  double ratio = 1;
  Interval ci95;
};
struct SlowNode {
  int node = 0;
  Slowness than_others;  // its best link against that of an ordinary node
};
struct SlowLink {
  int a = 0, b = 0;
  Slowness than_its_nodes;  // against the slower one of the best links of a and b
};
struct SlowParts {
  std::vector<SlowNode> nodes;
  std::vector<SlowLink> links;
};

inline constexpr double kSlowRatio = 1.2;         // smaller ratios are not named
inline constexpr std::size_t kPassesToJudge = 3;  // fewer have no spread to judge by

// A message takes as long as the slower one of its two nodes needs, and longer where the link
// itself is slow. So a node is as fast as its best link, which shows its speed as long as one other
// node is sound; an ordinary node is the lower median of all, which two bad ones of four do not
// move. Nodes and links are named that are slower by more than kSlowRatio for sure: one-sided t on
// the medians of logarithms, Holm over all nodes and links at 5 %. Spread is the median absolute
// deviation, of no link less than that of all together: passes that something else held up, some of
// them tenfold, neither hide a slow link nor make one. `rail_of_node`: nodes of one rail are alike
// and compared with each other, where they are 3 or more, else with all; empty: all are of one
// rail. The end of a single link is not judged, but that link is, against an ordinary node. The
// second quickest pass must be slow as well: of a link that busy hosts hold up in every other pass,
// the quick ones show that it is sound. Needs links of at least 3 nodes and kPassesToJudge passes;
// else nothing is named.
SlowParts find_slow(std::span<const LinkTimes> links, int nodes,
                    std::span<const int> rail_of_node = {});

// How long a message between two nodes takes, as a logarithm of seconds.
struct LinkLevel {
  int a = 0, b = 0;  // nodes, from 0
  double ln_seconds = 0;
};

// Nodes of one group stand near each other, such as behind one switch.
struct LinkGroups {
  std::vector<std::size_t> of_node;  // for each node the number of its group, from 0
  std::vector<std::size_t> sizes;    // how many nodes each group has
  // Messages between groups take so many times as long as those within one: ratio of medians.
  double times_as_long = 1;
};

// Links between groups take longer than this, as a multiple of those within them.
inline constexpr double kBetweenGroups = 1.1;
// At least this share of the links within a group are near: one bad cable does not split it.
inline constexpr double kNearWithin = 0.8;

// Sorts links by their times and divides them into near and far ones at a gap of kBetweenGroups or
// more: the widest one that makes groups. Nodes that near links connect are one group. A gap makes
// groups where, within each, kNearWithin of the links are near, and where two or more have at least
// two nodes, one of them three, since noise makes pairs. A node all of whose links are slow is a
// group by itself. Absent: no gap makes groups, as in a network where all nodes are alike, or where
// only some nodes or links are slow.
std::optional<LinkGroups> groups_of_links(std::span<const LinkLevel> links, std::size_t nodes);

}  // namespace scalemark::statistics
