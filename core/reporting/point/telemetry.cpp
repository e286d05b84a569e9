#include "core/reporting/point/telemetry.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "core/base/text.h"
#include "core/monitoring/telemetry/gpu_probes.h"
#include "core/monitoring/telemetry/host_probes.h"
#include "core/monitoring/telemetry/process_probes.h"
#include "core/monitoring/telemetry/sampler.h"
#include "core/reporting/record/point_facts.h"

namespace scalemark::reporting {
namespace {

using monitoring::SourceSummary;

constexpr const char* kOtherCpus = "other_cpus";
constexpr const char* kRanksCpus = "ranks_cpus";

constexpr double kThrottledCpusLimit = 0.01;
constexpr double kThermalViolationLimit = 0.001;
constexpr std::size_t kPlacesToldOf = 3;

bool is_idle_interface(const SourceSummary& source) {
  return (source.source == monitoring::kReceivedBytes || source.source == monitoring::kSentBytes) &&
         source.total == 0;
}

// These sources belong to one rank's process; they are told for each host, not for each rank.
bool is_of_process(const SourceSummary& source) {
  return source.source == monitoring::kProcessCpus || source.source == monitoring::kSamplerCost ||
         source.source == monitoring::kWatchingCost || source.source == monitoring::kWantedCpus;
}

bool is_of_cpu_group(const SourceSummary& source) {
  return source.source == monitoring::kThrottledCpus ||
         source.source == monitoring::kThrottledPeriods;
}

double mean_of(const RankReadings& rank, const char* source) {
  const auto found = std::ranges::find(rank.sources, source, &SourceSummary::source);
  return found == rank.sources.end() ? 0 : found->mean;
}

// One value over all of the window.
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

// Adds each control group of a host once: of the host where it has no other, else of the first rank
// that is in it.
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

int cpus_of(const std::string& hostname, std::span<const monitoring::Host> hosts) {
  const monitoring::Host* host = find_host(hosts, hostname);
  return host ? std::max(1, host->cores.logical) : 1;
}

std::string place_of(const TelemetryRecord& record) {
  if (record.rank) return "rank " + std::to_string(*record.rank) + " of " + record.host;
  return record.values.device.empty() ? record.host : record.values.device + " of " + record.host;
}

std::string limit_text(double limit) { return " (limit " + printed("%.2f", limit) + ")"; }

// In words how `record` shows that the run was slowed down; empty: it does not.
std::string throttling_in(const TelemetryRecord& record) {
  static const std::map<std::string, const char*> kSlowdowns = {
      {"hw_slowdown", "hardware slowdown"},
      {"hw_thermal_slowdown", "thermal slowdown by hardware"},
      {"sw_thermal_slowdown", "thermal slowdown by the driver"},
      {"power_brake", "power brake"}};
  const SourceSummary& values = record.values;
  const auto slowdown = kSlowdowns.find(values.source);
  if (slowdown != kSlowdowns.end() && values.max > 0) {
    return std::string(slowdown->second) + " in " + percent(values.mean) + " of the readings";
  }
  if (values.source == monitoring::kThermalViolation && values.mean >= kThermalViolationLimit) {
    return "thermal slowdown during " + percent(values.mean) + " of the window";
  }
  if (values.source == monitoring::kThrottledCpus && values.mean >= kThrottledCpusLimit) {
    return "a CPU quota (cgroup) held back " + printed("%.2f", values.mean) + " CPUs" +
           limit_text(kThrottledCpusLimit);
  }
  return {};
}

// Cores of the host that our ranks leave: hyper-threads are none, since two of them share a core.
// Ranks that others hold back use less than they want. 0 where that is not known.
double free_cores(const std::string& hostname, std::span<const TelemetryRecord> telemetry,
                  std::span<const monitoring::Host> hosts) {
  double wanted = 0, used = 0;
  for (const TelemetryRecord& record : telemetry) {
    if (record.host != hostname) continue;
    if (record.values.source == monitoring::kWantedCpus) wanted += record.values.mean;
    if (record.values.source == kRanksCpus) used += record.values.mean;
  }
  const monitoring::Host* host = find_host(hosts, hostname);
  if (!(wanted > 0) || !host) return 0;
  int cores = host->cores.physical > 0 ? host->cores.physical : host->cores.logical;
  // Others of a container share its CPUs, however many the machine has.
  if (host->cores.usable > 0) cores = std::min(cores, host->cores.usable);
  return std::max(0.0, cores - std::max(wanted, used));
}

// The same for others on the machine.
std::string sharing_in(const TelemetryRecord& record, std::span<const TelemetryRecord> telemetry,
                       std::span<const monitoring::Host> hosts) {
  const SourceSummary& values = record.values;
  const int cpus = cpus_of(record.host, hosts);
  if (values.source == monitoring::kOtherProcesses && values.max > 0) {
    return printed("%.0f", values.max) +
           (values.max > 1 ? " other processes on the GPU" : " other process on the GPU");
  }
  const double foreign =
      foreign_load_limit(cpus, values.observed_s, free_cores(record.host, telemetry, hosts));
  if (values.source == kOtherCpus && values.mean > foreign) {
    return "other processes used " + printed("%.2f", values.mean) + " CPUs" + limit_text(foreign);
  }
  const double steal = steal_limit(cpus, values.observed_s);
  if (values.source == monitoring::kStealCpus && values.mean > steal) {
    return "the hypervisor took " + printed("%.2f", values.mean) + " CPUs (steal)" +
           limit_text(steal);
  }
  return {};
}

class Places {
 public:
  void add(const TelemetryRecord& record, std::string what) {
    if (what.empty()) return;
    place_ = {.rank = record.rank, .host = record.host, .device = record.values.device};
    if (count_++ < kPlacesToldOf) texts_.push_back(place_of(record) + ": " + std::move(what));
  }
  void tell(std::vector<Disturbance>& all, const FindingKind& kind) const {
    if (count_ == 0) return;
    std::string text = joined(texts_, "; ");
    if (count_ > kPlacesToldOf) {
      text += "; and " + std::to_string(count_ - kPlacesToldOf) + " more";
    }
    all.push_back({&kind, std::move(text), count_ == 1 ? std::optional(place_) : std::nullopt});
  }

 private:
  std::vector<std::string> texts_;
  FindingPlace place_;  // the last
  std::size_t count_ = 0;
};

}  // namespace

double foreign_load_limit(int cpus, double seconds, double free) {
  constexpr double kLeast = 0.1, kShare = 0.01, kTickNoise = 0.1, kFiveTicks_s = 0.05,
                   kOfFree = 0.5;
  const double unsure =
      seconds > 0 ? std::max(kTickNoise * std::sqrt(cpus / seconds), kFiveTicks_s / seconds)
                  : kLeast;
  return std::max({kLeast, kShare * cpus, unsure, kOfFree * free});
}

double steal_limit(int cpus, double seconds) {
  constexpr double kShare = 0.01, kFiveTicks_s = 0.05;
  return std::max(kShare * cpus, seconds > 0 ? kFiveTicks_s / seconds : 0);
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
  std::map<std::string, double> used;  // CPUs of our ranks, by machine
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
  }
  add_cpu_groups(all, point, ranks);
  add_sums_of_hosts(all, point, ranks);
  return all;
}

std::vector<Disturbance> disturbances_of(std::span<const TelemetryRecord> telemetry,
                                         std::span<const monitoring::Host> hosts) {
  Places throttled, shared;
  for (const TelemetryRecord& record : telemetry) {
    throttled.add(record, throttling_in(record));
    shared.add(record, sharing_in(record, telemetry, hosts));
  }
  std::vector<Disturbance> all;
  throttled.tell(all, finding_kinds::throttled);
  shared.tell(all, finding_kinds::shared);
  return all;
}

std::string in_words(std::span<const Disturbance> disturbances) {
  std::vector<std::string> texts;
  for (const auto& [kind, text, place] : disturbances) {
    texts.push_back(std::string(kind->code) + ": " + text);
  }
  return joined(texts, "; ");
}

}  // namespace scalemark::reporting
