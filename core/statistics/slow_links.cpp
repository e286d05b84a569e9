#include "core/statistics/slow_links.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

#include "core/statistics/significance.h"
#include "core/statistics/summary.h"

namespace scalemark::statistics {
namespace {

constexpr double kLinkFalseAlarms = 0.05;  // the probability that one call has any

// Normal values have these ratios: standard deviation to median absolute deviation, and standard
// error of the median to that of the mean.
constexpr double kDeviationByMad = 1.4826, kErrorOfMedian = 1.2533;

// A link, or the best link of a node, has this median and second smallest (`quick`) of the
// logarithms of its seconds.
struct Level {
  double median = std::numeric_limits<double>::infinity(), error = 0, quick = 0;
};

struct Candidate {
  Level level, reference;
  int node = -1;  // -1: the candidate is a link
  const LinkTimes* link = nullptr;
};

// How far the values lie from their median. Of an odd number one is the median itself and says
// nothing about the spread.
std::vector<double> deviations(const std::vector<double>& values, double centre) {
  std::vector<double> all;
  for (const double value : values) all.push_back(std::abs(value - centre));
  std::ranges::sort(all);
  if (all.size() % 2 == 1) all.erase(all.begin());
  return all;
}

std::vector<Level> levels_of(std::span<const LinkTimes> links) {
  std::vector<Level> levels;
  std::vector<double> all_deviations;
  for (const LinkTimes& link : links) {
    std::vector<double> logs;
    for (const double seconds : link.seconds) logs.push_back(std::log(seconds));
    std::ranges::sort(logs);
    const double centre = median(logs);
    const auto own = deviations(logs, centre);
    levels.push_back({centre, median(own), logs[1]});
    all_deviations.insert(all_deviations.end(), own.begin(), own.end());
  }
  // With few values a small spread can be chance.
  const double usual = median(all_deviations);
  const double passes = static_cast<double>(links.front().seconds.size());
  for (Level& level : levels) {
    level.error =
        kErrorOfMedian * kDeviationByMad * std::max(level.error, usual) / std::sqrt(passes);
  }
  return levels;
}

std::vector<Level> best_of_nodes(std::span<const LinkTimes> links, const std::vector<Level>& levels,
                                 int nodes) {
  std::vector<Level> best(static_cast<std::size_t>(nodes));
  for (std::size_t i = 0; i < links.size(); ++i) {
    for (const int node : {links[i].a, links[i].b}) {
      Level& known = best.at(static_cast<std::size_t>(node));
      if (levels[i].median < known.median) known = levels[i];
    }
  }
  return best;
}

Level ordinary(std::vector<Level> best) {
  std::ranges::sort(best, {}, &Level::median);
  return best[(best.size() - 1) / 2];
}

// The level of an ordinary node, by rail.
std::map<int, Level> ordinary_of_rails(const std::vector<Level>& best,
                                       std::span<const int> rail_of_node) {
  std::map<int, std::vector<Level>> of_rail;
  for (std::size_t i = 0; i < best.size(); ++i) of_rail[rail_of_node[i]].push_back(best[i]);
  std::map<int, Level> levels;
  for (const auto& [rail, own] : of_rail) levels[rail] = ordinary(own.size() < 3 ? best : own);
  return levels;
}

std::vector<Candidate> candidates_of(std::span<const LinkTimes> links,
                                     const std::vector<Level>& levels, int nodes,
                                     std::span<const int> rail_of_node) {
  const auto best = best_of_nodes(links, levels, nodes);
  const auto ordinary_of = ordinary_of_rails(best, rail_of_node);
  const auto usual = [&](int node) {
    return ordinary_of.at(rail_of_node[static_cast<std::size_t>(node)]);
  };
  std::vector<int> links_at(best.size());
  for (const LinkTimes& link : links) {
    for (const int node : {link.a, link.b}) ++links_at[static_cast<std::size_t>(node)];
  }
  // A single link does not show which of its ends is slow.
  const auto own_level = [&](int node) {
    const auto i = static_cast<std::size_t>(node);
    return links_at[i] > 1 ? best[i] : usual(node);
  };
  std::vector<Candidate> candidates;
  for (int node = 0; node < nodes; ++node) {
    if (links_at[static_cast<std::size_t>(node)] < 2) continue;
    candidates.push_back({.level = own_level(node), .reference = usual(node), .node = node});
  }
  for (std::size_t i = 0; i < links.size(); ++i) {
    const Level a = own_level(links[i].a), b = own_level(links[i].b);
    candidates.push_back(
        {.level = levels[i], .reference = a.median > b.median ? a : b, .link = &links[i]});
  }
  return candidates;
}

// std::hypot of this compiler needs glibc 2.35 (DEPENDENCIES.md).
double error_of(const Candidate& one) {
  return std::sqrt(one.level.error * one.level.error + one.reference.error * one.reference.error);
}

// Two errors with passes - 1 degrees of freedom each have twice as many together where they are
// alike (Satterthwaite 1946).
double degrees_of(const Candidate& one, std::size_t passes) {
  const double a = one.level.error * one.level.error;
  const double b = one.reference.error * one.reference.error;
  const double sum = a + b;
  return static_cast<double>(passes - 1) * (sum > 0 ? sum * sum / (a * a + b * b) : 1);
}

// Returns the one-sided p of the hypothesis that this one is slower by no more than kSlowRatio.
// Passes are held up now and then, so a link with two quick passes is sound, whatever its median. A
// single quick pass may be chance.
double p_of(const Candidate& one, std::size_t passes) {
  const double limit = one.reference.median + std::log(kSlowRatio);
  const double beyond = one.level.median - limit;
  if (beyond <= 0 || one.level.quick <= limit) return 1;
  if (error_of(one) == 0) return 0;
  return students_t_two_sided(beyond / error_of(one), degrees_of(one, passes)) / 2;
}

Slowness slowness_of(const Candidate& one, std::size_t passes) {
  const double difference = one.level.median - one.reference.median;
  const double half = students_t_quantile(0.975, degrees_of(one, passes)) * error_of(one);
  return {std::exp(difference), exponential({difference - half, difference + half})};
}

bool can_be_judged(std::span<const LinkTimes> links, int nodes) {
  return nodes >= 3 && !links.empty() && links.front().seconds.size() >= kPassesToJudge;
}

}  // namespace

SlowParts find_slow(std::span<const LinkTimes> links, int nodes,
                    std::span<const int> rail_of_node) {
  if (!can_be_judged(links, nodes)) return {};
  const std::vector<int> one_rail(static_cast<std::size_t>(nodes));
  const auto candidates =
      candidates_of(links, levels_of(links), nodes, rail_of_node.empty() ? one_rail : rail_of_node);
  const std::size_t passes = links.front().seconds.size();
  std::vector<double> p;
  for (const Candidate& one : candidates) p.push_back(p_of(one, passes));
  p = holm_adjusted(p);

  SlowParts slow;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (p[i] >= kLinkFalseAlarms) continue;
    const Candidate& one = candidates[i];
    const Slowness how = slowness_of(one, passes);
    if (one.link == nullptr) {
      slow.nodes.push_back({one.node, how});
    } else {
      slow.links.push_back({one.link->a, one.link->b, how});
    }
  }
  return slow;
}

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
  std::vector<std::pair<double, std::size_t>> gaps;  // width, and how many links lie before it
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

}  // namespace scalemark::statistics
