#include "core/statistics/link_groups.h"

#include <algorithm>
#include <boost/math/distributions/hypergeometric.hpp>
#include <cmath>
#include <functional>
#include <numeric>
#include <utility>

#include "core/base/error.h"
#include "core/statistics/median_interval.h"

namespace scalemark::statistics {
namespace {

using Links = std::span<const LinkLevel>;

// Nodes that the first `near` of `sorted` links connect have one number, from 0.
std::vector<std::size_t> connected(Links sorted, std::size_t near, std::size_t nodes) {
  std::vector<std::size_t> parent(nodes);
  std::iota(parent.begin(), parent.end(), 0U);
  const auto root_of = [&](std::size_t node) {
    while (parent[node] != node) node = parent[node] = parent[parent[node]];
    return node;
  };
  for (const LinkLevel& link : sorted.first(near)) {
    parent[root_of(static_cast<std::size_t>(link.a))] = root_of(static_cast<std::size_t>(link.b));
  }
  std::vector<std::size_t> numbers(nodes), known;
  for (std::size_t node = 0; node < nodes; ++node) {
    const auto found = std::ranges::find(known, root_of(node));
    numbers[node] = static_cast<std::size_t>(found - known.begin());
    if (found == known.end()) known.push_back(root_of(node));
  }
  return numbers;
}

std::optional<LinkGroups> groups_at(Links sorted, std::size_t near, std::size_t nodes) {
  LinkGroups groups{.of_node = connected(sorted, near, nodes)};
  const std::size_t count = 1 + std::ranges::max(groups.of_node);
  groups.sizes.resize(count);
  for (const std::size_t group : groups.of_node) ++groups.sizes[group];
  const auto of_several =
      std::ranges::count_if(groups.sizes, [](std::size_t size) { return size > 1; });
  if (of_several < 2 || std::ranges::max(groups.sizes) < 3) return std::nullopt;
  std::vector<double> inside(count), near_inside(count), within, between;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const std::size_t group = groups.of_node[static_cast<std::size_t>(sorted[i].a)];
    if (group != groups.of_node[static_cast<std::size_t>(sorted[i].b)]) {
      between.push_back(sorted[i].ln_seconds);
      continue;
    }
    within.push_back(sorted[i].ln_seconds);
    ++inside[group];
    near_inside[group] += i < near;
  }
  for (std::size_t group = 0; group < count; ++group) {
    if (near_inside[group] < kNearWithin * inside[group]) return std::nullopt;
  }
  groups.times_as_long = std::exp(median(between) - median(within));
  return groups;
}

}  // namespace

std::optional<LinkGroups> groups_of_links(Links links, std::size_t nodes) {
  std::vector<LinkLevel> sorted(links.begin(), links.end());
  std::ranges::sort(sorted, {}, &LinkLevel::ln_seconds);
  std::vector<std::pair<double, std::size_t>> gaps;  // how wide, and the links before it
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    const double gap = sorted[i].ln_seconds - sorted[i - 1].ln_seconds;
    if (gap >= std::log(kBetweenGroups)) gaps.emplace_back(gap, i);
  }
  std::ranges::sort(gaps, std::greater<>());
  for (const auto& [gap, near] : gaps) {
    if (auto groups = groups_at(sorted, near, nodes)) return groups;
  }
  return std::nullopt;
}

double chance_of_sharing(std::size_t seen, std::size_t drawn, std::size_t with, std::size_t all) {
  if (drawn > all || with > all || seen > drawn) throw bug("more are drawn than there are");
  if (seen == 0 || drawn + with >= all + seen) return 1;  // fewer cannot be
  if (seen > with) return 0;
  const boost::math::hypergeometric_distribution<double> of_drawn(with, drawn, all);
  return boost::math::cdf(boost::math::complement(of_drawn, seen - 1));
}

}  // namespace scalemark::statistics
