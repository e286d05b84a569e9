#include "core/statistics/slow_links.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/statistics/holm.h"
#include "core/statistics/mean_interval.h"
#include "core/statistics/summary.h"

namespace scalemark::statistics {
namespace {

constexpr double kFalseAlarms = 0.05;  // of one call

// Of a link, or of the best link of a node: the mean of the logarithms of its seconds.
struct Level {
  double mean = std::numeric_limits<double>::infinity(), error = 0;
};

struct Candidate {
  Level level, reference;
};

double median_of(std::vector<double> values) {
  std::ranges::sort(values);
  return values[(values.size() - 1) / 2];
}

std::vector<Level> levels_of(std::span<const LinkTimes> links) {
  std::vector<Level> levels;
  std::vector<double> errors;
  for (const LinkTimes& link : links) {
    std::vector<double> logs;
    for (const double seconds : link.seconds) logs.push_back(std::log(seconds));
    const double centre = mean(logs);
    levels.push_back({centre, standard_error(logs, centre)});
    errors.push_back(levels.back().error);
  }
  // Of three values a small spread may be chance.
  const double usual = median_of(std::move(errors));
  for (Level& level : levels) level.error = std::max(level.error, usual);
  return levels;
}

std::vector<Level> best_of_nodes(std::span<const LinkTimes> links, const std::vector<Level>& levels,
                                 int nodes) {
  std::vector<Level> best(static_cast<std::size_t>(nodes));
  for (std::size_t i = 0; i < links.size(); ++i) {
    for (const int node : {links[i].a, links[i].b}) {
      Level& known = best.at(static_cast<std::size_t>(node));
      if (levels[i].mean < known.mean) known = levels[i];
    }
  }
  return best;
}

Level ordinary(std::vector<Level> best) {
  std::ranges::sort(best, {}, &Level::mean);
  return best[(best.size() - 1) / 2];
}

// std::hypot of this compiler needs glibc 2.35 (docs/DEPENDENCIES.md).
double error_of(const Candidate& one) {
  return std::sqrt(one.level.error * one.level.error + one.reference.error * one.reference.error);
}

// One-sided: "slower by no more than kSlowRatio".
double p_of(const Candidate& one, double degrees) {
  const double beyond = one.level.mean - one.reference.mean - std::log(kSlowRatio);
  if (beyond <= 0) return 1;
  if (error_of(one) == 0) return 0;
  return students_t_two_sided(beyond / error_of(one), degrees) / 2;
}

Slowness slowness_of(const Candidate& one, double degrees) {
  const double difference = one.level.mean - one.reference.mean;
  const double half = students_t_quantile(0.975, degrees) * error_of(one);
  return {std::exp(difference), exponential({difference - half, difference + half})};
}

bool can_be_judged(std::span<const LinkTimes> links, int nodes) {
  return nodes >= 3 && !links.empty() && links.front().seconds.size() >= kPassesToJudge;
}

}  // namespace

SlowParts find_slow(std::span<const LinkTimes> links, int nodes) {
  if (!can_be_judged(links, nodes)) return {};
  const auto levels = levels_of(links);
  const auto best = best_of_nodes(links, levels, nodes);
  std::vector<Candidate> candidates;
  for (const Level& node : best) candidates.push_back({node, ordinary(best)});
  for (std::size_t i = 0; i < links.size(); ++i) {
    const Level& a = best[static_cast<std::size_t>(links[i].a)];
    const Level& b = best[static_cast<std::size_t>(links[i].b)];
    candidates.push_back({levels[i], a.mean > b.mean ? a : b});
  }
  const auto degrees = static_cast<double>(links.front().seconds.size() - 1);
  std::vector<double> p;
  for (const Candidate& one : candidates) p.push_back(p_of(one, degrees));
  p = holm_adjusted(p);

  SlowParts slow;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (p[i] >= kFalseAlarms) continue;
    const Slowness how = slowness_of(candidates[i], degrees);
    if (i < best.size()) {
      slow.nodes.push_back({static_cast<int>(i), how});
    } else {
      const LinkTimes& link = links[i - best.size()];
      slow.links.push_back({link.a, link.b, how});
    }
  }
  return slow;
}

}  // namespace scalemark::statistics
