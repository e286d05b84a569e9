#include "core/statistics/shared_group.h"

#include <algorithm>
#include <array>
#include <boost/math/distributions/hypergeometric.hpp>
#include <cmath>
#include <map>
#include <random>
#include <utility>

#include "core/base/error.h"

namespace scalemark::statistics {

double chance_of_sharing(std::size_t seen, std::size_t drawn, std::size_t with, std::size_t all) {
  if (drawn > all || with > all || seen > drawn) throw bug("more are drawn than there are");
  if (seen == 0 || drawn + with >= all + seen) return 1;  // fewer are impossible
  if (seen > with) return 0;
  const boost::math::hypergeometric_distribution<double> of_drawn(with, drawn, all);
  return boost::math::cdf(boost::math::complement(of_drawn, seen - 1));
}

namespace {

using Groups = std::vector<std::vector<std::size_t>>;

constexpr int kOrders = 499;
constexpr std::uint64_t kSeedOfOrders = 1;
// Equal counts have equal ratios but for the order of their sums.
constexpr double kRounding = 1e-9;

constexpr std::array kKinds{LinksOf::kLeaving, LinksOf::kWithin, LinksOf::kTouching};

struct LinkCounts {
  double failed = 0, all = 0;

  void add(const JudgedLink& link) {
    ++all;
    failed += link.failed;
  }
  LinkCounts operator+(const LinkCounts& other) const {
    return {failed + other.failed, all + other.all};
  }
  LinkCounts without(const LinkCounts& part) const {
    return {failed - part.failed, all - part.all};
  }
  double ln_likelihood() const {
    if (failed == 0 || failed == all) return 0;
    return failed * std::log(failed / all) + (all - failed) * std::log(1 - failed / all);
  }
};

double likelihood_ratio(const LinkCounts& here, const LinkCounts& total) {
  const LinkCounts others = total.without(here);
  if (here.failed * others.all <= others.failed * here.all) return 0;
  return here.ln_likelihood() + others.ln_likelihood() - total.ln_likelihood();
}

// Counts the links of each group, where node i stands where `place_of[i]` does.
class Tally {
 public:
  Tally(std::span<const JudgedLink> links, const Groups& groups)
      : links_(links), groups_(groups), leaving_(count_of(groups)), within_(leaving_.size()) {
    for (const JudgedLink& link : links) total_.add(link);
  }

  void count(const std::vector<std::size_t>& place_of) {
    std::ranges::fill(leaving_, LinkCounts());
    std::ranges::fill(within_, LinkCounts());
    for (const JudgedLink& link : links_) {
      const std::size_t a = groups_[place_of[link.a]][link.place];
      const std::size_t b = groups_[place_of[link.b]][link.place];
      if (a == b) {
        if (a != kNoGroup) within_[a].add(link);
        continue;
      }
      if (a != kNoGroup) leaving_[a].add(link);
      if (b != kNoGroup) leaving_[b].add(link);
    }
  }

  double ratio_of(std::size_t group, LinksOf kind) const {
    return likelihood_ratio(counts_of(group, kind), total_);
  }

  double largest() const {
    double most = 0;
    for (std::size_t group = 0; group < size(); ++group) {
      for (const LinksOf kind : kKinds) most = std::max(most, ratio_of(group, kind));
    }
    return most;
  }

  std::size_t size() const { return leaving_.size(); }
  const LinkCounts& total() const { return total_; }

 private:
  static std::size_t count_of(const Groups& groups) {
    std::size_t count = 0;
    for (const auto& places : groups) {
      for (const std::size_t group : places) {
        if (group != kNoGroup) count = std::max(count, group + 1);
      }
    }
    return count;
  }

  LinkCounts counts_of(std::size_t group, LinksOf kind) const {
    if (kind == LinksOf::kLeaving) return leaving_[group];
    return kind == LinksOf::kWithin ? within_[group] : leaving_[group] + within_[group];
  }

  std::span<const JudgedLink> links_;
  const Groups& groups_;
  std::vector<LinkCounts> leaving_, within_;
  LinkCounts total_;
};

// Counts by which nodes, and by which other groups, the failed links of a group go.
struct FailedHere {
  std::size_t links = 0;
  std::map<std::size_t, std::size_t> by_node, by_group;

  FailedHere(std::span<const JudgedLink> all, std::size_t group, LinksOf kind,
             const Groups& groups) {
    for (const JudgedLink& link : all) {
      if (!link.failed || !is_of_group(link, group, kind, groups)) continue;
      ++links;
      for (const std::size_t node : {link.a, link.b}) {
        ++by_node[node];
        const std::size_t own = groups[node][link.place];
        if (own != group && own != kNoGroup) ++by_group[own];
      }
    }
  }

  bool is_of_one_node() const {
    return std::ranges::any_of(by_node, [&](const auto& one) { return one.second == links; });
  }
};

std::optional<SharedGroup> best_group(std::span<const JudgedLink> links, const Groups& groups,
                                      const Tally& tally) {
  std::optional<SharedGroup> best;
  double most = 0;
  for (std::size_t group = 0; group < tally.size(); ++group) {
    for (const LinksOf kind : kKinds) {
      const double ratio = tally.ratio_of(group, kind);
      if (ratio <= most + kRounding) continue;
      const FailedHere here(links, group, kind, groups);
      if (here.is_of_one_node()) continue;
      most = ratio;
      best = SharedGroup{.group = group,
                         .links = kind,
                         .failed_here = here.links,
                         .failed = static_cast<std::size_t>(tally.total().failed),
                         .or_groups = {}};
      for (const auto& [other, count] : here.by_group) {
        if (count == here.links) best->or_groups.push_back(other);
      }
    }
  }
  return best;
}

// Puts the nodes that have links into a random order (Fisher and Yates); others keep their places.
void shuffle_places(const std::vector<std::size_t>& nodes, std::mt19937_64& bits,
                    std::vector<std::size_t>& place_of) {
  for (std::size_t i = nodes.size(); i > 1; --i) {
    std::swap(place_of[nodes[i - 1]], place_of[nodes[bits() % i]]);
  }
}

}  // namespace

bool is_of_group(const JudgedLink& link, std::size_t group, LinksOf links, const Groups& groups) {
  const bool a = groups[link.a][link.place] == group, b = groups[link.b][link.place] == group;
  if (links == LinksOf::kLeaving) return a != b;
  return links == LinksOf::kWithin ? a && b : a || b;
}

std::optional<SharedGroup> shared_group(std::span<const JudgedLink> links, const Groups& groups,
                                        double by_chance) {
  std::vector<std::size_t> place_of(groups.size()), nodes;
  for (std::size_t i = 0; i < place_of.size(); ++i) place_of[i] = i;
  for (const JudgedLink& link : links) nodes.insert(nodes.end(), {link.a, link.b});
  std::ranges::sort(nodes);
  const auto repeated = std::ranges::unique(nodes);
  nodes.erase(repeated.begin(), repeated.end());

  Tally tally(links, groups);
  if (tally.total().failed == 0) return std::nullopt;
  tally.count(place_of);
  const auto best = best_group(links, groups, tally);
  if (!best) return std::nullopt;
  const double seen = tally.ratio_of(best->group, best->links);
  const double most = by_chance * (kOrders + 1);
  std::mt19937_64 bits(kSeedOfOrders);
  int as_much = 1;  // the order that was measured
  for (int order = 0; order < kOrders; ++order) {
    shuffle_places(nodes, bits, place_of);
    tally.count(place_of);
    as_much += tally.largest() >= seen - kRounding;
    if (as_much >= most) return std::nullopt;
  }
  return best;
}

}  // namespace scalemark::statistics
