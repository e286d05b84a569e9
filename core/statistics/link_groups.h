// Which nodes stand near each other, such as behind one switch, by how long messages between them
// take; and whether so many of one group by chance. Knows neither messages nor hosts.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace scalemark::statistics {

// A message between two nodes takes so long: a logarithm of seconds.
struct LinkLevel {
  int a = 0, b = 0;  // nodes, from 0
  double ln_seconds = 0;
};

struct LinkGroups {
  std::vector<std::size_t> of_node;  // the number of its group, from 0
  std::vector<std::size_t> sizes;    // nodes of each group
  double times_as_long = 1;          // between groups, as within them: ratio of medians
};

// Links between groups take longer than this, by those within them.
inline constexpr double kBetweenGroups = 1.1;
// So large a share of the links within a group are near: a bad cable does not part it.
inline constexpr double kNearWithin = 0.8;

// Parts links into near and far ones at a gap of kBetweenGroups or more in the order of their
// times, at the widest one that makes groups: nodes that near links connect are one group where
// kNearWithin of the links among them are near, two groups or more have two nodes, and one has
// three, for noise makes pairs. A node all of whose links are slow is a group by itself, and no
// group of others. Absent: no gap makes groups, as in a network where all nodes are alike, or where
// only some nodes or links are slow.
std::optional<LinkGroups> groups_of_links(std::span<const LinkLevel> links, std::size_t nodes);

// The chance that `seen` or more of `drawn` things have what `with` of `all` have, drawn blindly
// (hypergeometric). Throws bug() where a count is larger than the one that it is part of.
double chance_of_sharing(std::size_t seen, std::size_t drawn, std::size_t with, std::size_t all);

}  // namespace scalemark::statistics
