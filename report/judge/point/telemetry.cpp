#include "report/judge/point/telemetry.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "core/base/text.h"
#include "core/machine/places.h"
#include "core/machine/process_reading.h"
#include "core/machine/survey.h"
#include "core/machine/telemetry/host_probes.h"
#include "core/machine/telemetry/sampler.h"
#include "report/record/point_facts.h"

namespace scalemark::reporting {
namespace {

using monitoring::SourceSummary;

bool is_idle_interface(const SourceSummary& source) {
  return (source.source == monitoring::kReceivedBytes || source.source == monitoring::kSentBytes) &&
         source.total == 0;
}

// These sources belong to one rank's process, and are reported per host, not per rank.
bool is_of_process(const SourceSummary& source) {
  return source.source == monitoring::kProcessCpus ||
         source.source == monitoring::kProcessCpusByTicks ||
         source.source == monitoring::kSamplerCost || source.source == monitoring::kWatchingCost ||
         source.source == monitoring::kWantedCpus || source.source == monitoring::kStoppedShare;
}

bool is_of_cpu_group(const SourceSummary& source) {
  return source.source == monitoring::kThrottledCpus ||
         source.source == monitoring::kThrottledPeriods;
}

const SourceSummary* find_source(const RankReadings& rank, const char* source) {
  const auto found = std::ranges::find(rank.sources, source, &SourceSummary::source);
  return found == rank.sources.end() ? nullptr : &*found;
}

double mean_of(const RankReadings& rank, const char* source) {
  const SourceSummary* found = find_source(rank, source);
  return found ? found->mean : 0;
}

// Makes one value over the whole window.
SourceSummary value_over(const char* source, double value, double observed_s) {
  return {.source = source,
          .n = 1,
          .mean = value,
          .min = value,
          .max = value,
          .first = value,
          .last = value,
          .total = std::nullopt,
          .observed_s = observed_s};
}

// Containers on one machine see the same CPUs.
const std::string& machine_of(const RankReadings& rank) {
  return rank.machine.empty() ? rank.host : rank.machine;
}

// Adds each host once, in rank order.
void add_sums_of_hosts(std::vector<TelemetryRecord>& all, const std::string& point,
                       std::span<const RankReadings> ranks) {
  std::set<std::string> told;
  for (const RankReadings& first : ranks) {
    if (first.sources.empty() || !told.insert(first.host).second) continue;
    double cpus = 0, cost = 0, watching = 0, wanted = 0, observed_s = 0;
    for (const RankReadings& rank : ranks) {
      if (rank.host != first.host) continue;
      cpus += mean_of(rank, monitoring::kProcessCpus);
      cost += mean_of(rank, monitoring::kSamplerCost);
      watching += mean_of(rank, monitoring::kWatchingCost);
      wanted += mean_of(rank, monitoring::kWantedCpus);
      for (const auto& source : rank.sources) {
        observed_s = std::max(observed_s, source.observed_s);
      }
    }
    all.push_back({point, first.host, value_over(kRanksCpus, cpus, observed_s)});
    all.push_back({point, first.host, value_over(monitoring::kSamplerCost, cost, observed_s)});
    if (watching > 0) {
      all.push_back(
          {point, first.host, value_over(monitoring::kWatchingCost, watching, observed_s)});
    }
    if (wanted > 0) {
      all.push_back({point, first.host, value_over(monitoring::kWantedCpus, wanted, observed_s)});
    }
  }
}

// Adds each control group of a host once: for the host if it has only one, else for the first rank
// in the group.
void add_cpu_groups(std::vector<TelemetryRecord>& all, const std::string& point,
                    std::span<const RankReadings> ranks) {
  std::map<std::string, std::set<std::string>> of_host;
  for (const RankReadings& rank : ranks) of_host[rank.host].insert(rank.cpu_group);
  std::set<std::pair<std::string, std::string>> told;
  for (const RankReadings& rank : ranks) {
    const bool reads = std::ranges::any_of(rank.sources, is_of_cpu_group);
    if (!reads || !told.insert({rank.host, rank.cpu_group}).second) continue;
    const auto place = of_host[rank.host].size() > 1 ? std::optional(rank.rank) : std::nullopt;
    for (const SourceSummary& source : rank.sources) {
      if (is_of_cpu_group(source)) all.push_back({point, rank.host, source, place});
    }
  }
}

void add_contradiction(std::vector<TelemetryRecord>& all, const std::string& point,
                       const RankReadings& rank) {
  const SourceSummary* by_clock = find_source(rank, monitoring::kProcessCpus);
  const SourceSummary* by_ticks = find_source(rank, monitoring::kProcessCpusByTicks);
  if (!by_clock || !by_ticks) return;
  const double seconds = std::min(by_clock->observed_s, by_ticks->observed_s);
  const double allowed = count_tolerance(by_ticks->mean, seconds);
  if (!(std::abs(by_clock->mean - by_ticks->mean) > allowed)) return;
  all.push_back({point, rank.host, *by_clock, rank.rank});
  all.push_back({point, rank.host, *by_ticks, rank.rank});
}

}  // namespace

double count_tolerance(double cpus, double seconds) {
  constexpr double kShare = 0.02;
  return std::max(seconds > 0 ? kFiveTicks_s / seconds : cpus, kShare * cpus);
}

std::vector<RankReadings> readings_of(std::span<const RankMeasurement> ranks) {
  std::vector<RankReadings> all;
  for (const auto& rank : ranks) {
    all.push_back({.rank = rank.record.rank,
                   .host = rank.record.host,
                   .machine = rank.machine,
                   .cpu_group = rank.cpu_group,
                   .sources = rank.telemetry});
  }
  return all;
}

std::vector<TelemetryRecord> telemetry_of(const std::string& point,
                                          std::span<const RankReadings> ranks) {
  std::map<std::string, double> used;  // machine -> CPUs of our ranks
  for (const RankReadings& rank : ranks) {
    used[machine_of(rank)] += mean_of(rank, monitoring::kProcessCpus);
  }
  std::vector<TelemetryRecord> all;
  for (const RankReadings& rank : ranks) {
    for (const SourceSummary& source : rank.sources) {
      if (is_of_process(source) || is_of_cpu_group(source) || is_idle_interface(source)) continue;
      all.push_back({point, rank.host, source});
      if (source.source != monitoring::kBusyCpus) continue;
      const double others = std::max(0.0, source.mean - used[machine_of(rank)]);
      all.push_back({point, rank.host, value_over(kOtherCpus, others, source.observed_s)});
    }
    add_contradiction(all, point, rank);
  }
  add_cpu_groups(all, point, ranks);
  add_sums_of_hosts(all, point, ranks);
  return all;
}

namespace {

constexpr std::size_t kNamedRanks = 4;

// Returns the CPUs of the rank's affinity; empty if it is unknown.
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

// If all ranks of a host have a quota, they are taken to share it. Otherwise a rank's quota limits
// it alone.
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
