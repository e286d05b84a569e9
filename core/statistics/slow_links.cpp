#include "core/statistics/slow_links.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/statistics/holm.h"
#include "core/statistics/mean_interval.h"
#include "core/statistics/median_interval.h"
#include "core/statistics/summary.h"

namespace scalemark::statistics {
namespace {

constexpr double kLinkFalseAlarms = 0.05;  // of one call

// Of normal values: standard deviation by median absolute deviation, and standard error of the
// median by that of the mean.
constexpr double kDeviationByMad = 1.4826, kErrorOfMedian = 1.2533;

// Of a link, or of the best link of a node: median and second smallest of the logarithms of its
// seconds.
struct Level {
  double median = std::numeric_limits<double>::infinity(), error = 0, quick = 0;
};

struct Candidate {
  Level level, reference;
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
  // Of few values a small spread may be chance.
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

// std::hypot of this compiler needs glibc 2.35 (docs/DEPENDENCIES.md).
double error_of(const Candidate& one) {
  return std::sqrt(one.level.error * one.level.error + one.reference.error * one.reference.error);
}

// Of two errors with passes - 1 each (Satterthwaite 1946): twice as many where they are alike.
double degrees_of(const Candidate& one, std::size_t passes) {
  const double a = one.level.error * one.level.error;
  const double b = one.reference.error * one.reference.error;
  const double sum = a + b;
  return static_cast<double>(passes - 1) * (sum > 0 ? sum * sum / (a * a + b * b) : 1);
}

// One-sided: "slower by no more than kSlowRatio". What holds passes up comes and goes: a link with
// two quick passes is sound, whatever its median; a single one may be chance.
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

SlowParts find_slow(std::span<const LinkTimes> links, int nodes) {
  if (!can_be_judged(links, nodes)) return {};
  const auto levels = levels_of(links);
  const auto best = best_of_nodes(links, levels, nodes);
  std::vector<Candidate> candidates;
  for (const Level& node : best) candidates.push_back({node, ordinary(best)});
  for (std::size_t i = 0; i < links.size(); ++i) {
    const Level& a = best[static_cast<std::size_t>(links[i].a)];
    const Level& b = best[static_cast<std::size_t>(links[i].b)];
    candidates.push_back({levels[i], a.median > b.median ? a : b});
  }
  const std::size_t passes = links.front().seconds.size();
  std::vector<double> p;
  for (const Candidate& one : candidates) p.push_back(p_of(one, passes));
  p = holm_adjusted(p);

  SlowParts slow;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (p[i] >= kLinkFalseAlarms) continue;
    const Slowness how = slowness_of(candidates[i], passes);
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
