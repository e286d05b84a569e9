// Parts that failed may have a group in common, such as the switch behind which they stand. Knows
// neither parts nor switches.
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <vector>

namespace scalemark::statistics {

// `with` of `all` things have a property, and `drawn` of them are drawn at random. Returns the
// probability that `seen` or more of the drawn ones have it (hypergeometric). Throws bug() where a
// count is larger than the one that it is part of.
double chance_of_sharing(std::size_t seen, std::size_t drawn, std::size_t with, std::size_t all);

// A link was measured between two nodes, from 0, at a place of both, such as a network card.
struct JudgedLink {
  std::size_t a = 0, b = 0, place = 0;
  bool failed = false;
};

// The links of a group have one end in it, both ends in it, or either.
enum class LinksOf { kLeaving, kWithin, kTouching };

struct SharedGroup {
  std::size_t group = 0;
  LinksOf links = LinksOf::kLeaving;
  std::size_t failed_here = 0, failed = 0;  // failed links of the group, and in all
  std::vector<std::size_t> or_groups;  // all of its failed links lead there: these explain as much
};

inline constexpr std::size_t kNoGroup = std::numeric_limits<std::size_t>::max();

// Returns the group that failed links have in common more often than `by_chance` (a probability)
// explains, over all groups and all LinksOf; absent: there is none. `groups[node][place]` is the
// group of that end, kNoGroup where it is not known; each node has equally many places.
//
// Links are no independent draws, for those of a bad node all fail: by chance means that the nodes
// stand in the groups at random, which 499 random orders of the nodes show (permutation test; the
// seed is fixed). What is compared is the largest log likelihood ratio of "fails more often than
// the other links" (Kulldorff 1997, "A spatial scan statistic"). Where one node is an end of all
// failed links of a group, they are that node's.
std::optional<SharedGroup> shared_group(std::span<const JudgedLink> links,
                                        const std::vector<std::vector<std::size_t>>& groups,
                                        double by_chance);

// Whether the link is one of `links` of the group, by the same `groups`.
bool is_of_group(const JudgedLink& link, std::size_t group, LinksOf links,
                 const std::vector<std::vector<std::size_t>>& groups);

}  // namespace scalemark::statistics
