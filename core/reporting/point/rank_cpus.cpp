#include "core/reporting/point/rank_cpus.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "core/base/text.h"
#include "core/monitoring/environment.h"
#include "core/placement/places.h"
#include "core/reporting/record/point_facts.h"

namespace scalemark::reporting {
namespace {

constexpr std::size_t kNamedRanks = 4;

// Empty: it did not say.
std::vector<int> cpus_of(const RankRecord& rank) {
  return placement::parse_cpu_list(rank.cpus).value_or(std::vector<int>{});
}

bool is_bound(const RankRecord& rank, const PointRecord& point) {
  return rank.memory_node || std::ranges::any_of(point.ranks, [&](const RankRecord& other) {
           return other.host == rank.host && other.cpus != rank.cpus;
         });
}

std::string place_of(const RankRecord& rank) {
  std::string text = "rank " + std::to_string(rank.rank) + " to CPUs " + rank.cpus;
  if (rank.memory_node) text += ", memory node " + std::to_string(*rank.memory_node);
  return text;
}

// A quota that all ranks of a host have is one that they share, as far as is known; else each has
// its own, which bounds it alone.
bool has_shared_quota(const PointRecord& point, const monitoring::Host& host) {
  if (!host.cgroup.cpus) return false;
  const auto told = [](const RankRecord& rank) { return rank.cpu_limit.has_value(); };
  return std::ranges::none_of(point.ranks, told) ||
         std::ranges::all_of(point.ranks, [&](const RankRecord& rank) {
           return rank.host != host.hostname || rank.cpu_limit == host.cgroup.cpus;
         });
}

}  // namespace

int usable_cpus(const PointRecord& point, const monitoring::Host& host) {
  std::set<int> together;
  bool all_told = true;
  for (const RankRecord& rank : point.ranks) {
    if (rank.host != host.hostname) continue;
    const auto cpus = cpus_of(rank);
    all_told = all_told && !cpus.empty();
    together.insert(cpus.begin(), cpus.end());
  }
  if (!all_told || together.empty()) return monitoring::usable_cores(host);
  auto cpus = static_cast<int>(together.size());
  if (has_shared_quota(point, host)) {
    cpus = std::min(cpus, static_cast<int>(std::floor(*host.cgroup.cpus)));
  }
  return std::max(1, cpus);
}

std::optional<CrowdedRank> crowded_rank(const PointRecord& point) {
  const int threads = point.threads * ranks_per_process(point);
  for (const RankRecord& rank : point.ranks) {
    const auto cpus = std::ssize(cpus_of(rank));
    if (cpus > 0 && cpus < threads) {
      return CrowdedRank{rank.rank, counted(cpus, "CPU") + " (" + rank.cpus + ")", threads};
    }
    if (rank.cpu_limit && *rank.cpu_limit < threads) {
      return CrowdedRank{rank.rank, with_decimals(*rank.cpu_limit, 2) + " CPUs (its quota)",
                         threads};
    }
  }
  return std::nullopt;
}

std::optional<std::string> binding_of(const PointRecord& point) {
  std::string text;
  std::size_t bound = 0;
  for (const RankRecord& rank : point.ranks) {
    if (!is_bound(rank, point)) continue;
    if (bound++ < kNamedRanks) text += (text.empty() ? "" : "; ") + place_of(rank);
  }
  if (bound == 0) return std::nullopt;
  if (bound > kNamedRanks) text += "; and " + std::to_string(bound - kNamedRanks) + " more";
  return text;
}

}  // namespace scalemark::reporting
