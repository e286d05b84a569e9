#include "core/reporting/point/disturbances.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "core/base/text.h"
#include "core/monitoring/telemetry/gpu_probes.h"
#include "core/monitoring/telemetry/host_probes.h"
#include "core/monitoring/telemetry/process_probes.h"
#include "core/reporting/point/telemetry.h"
#include "core/reporting/record/point_facts.h"

namespace scalemark::reporting {
namespace {

using monitoring::SourceSummary;

constexpr double kThrottledCpusLimit = 0.01;
constexpr double kThermalViolationLimit = 0.001;
constexpr std::size_t kPlacesToldOf = 3;
constexpr double kShareOfCpus = 0.01, kTickNoise = 0.1, kOfFree = 0.5;

// CPUs of others that a look must be able to see.
double known_load(int cpus, double free) {
  constexpr double kKnown = 0.3;
  return std::max({kKnown, kShareOfCpus * cpus, kOfFree * free});
}

// The machine's count is a sample at each tick, which steps of ranks may follow: five standard
// deviations of half-busy CPUs that all run and rest at once, and half of the time.
double busy_tolerance(double used, double cpus, double seconds) {
  constexpr double kLeast = 0.1, kShare = 0.5, kNoise = 0.25;
  const double noise = seconds > 0 ? kNoise * cpus / std::sqrt(seconds) : used;
  return std::max({kLeast, kShare * used, noise});
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

// The mean of a source of the host itself; absent where it was not read.
std::optional<double> mean_of_host(const std::string& hostname, const char* source,
                                   std::span<const TelemetryRecord> telemetry) {
  for (const TelemetryRecord& record : telemetry) {
    if (record.host == hostname && !record.rank && record.values.source == source) {
      return record.values.mean;
    }
  }
  return std::nullopt;
}

// In words which other count contradicts `record`; empty: none does.
std::string contradiction_in(const TelemetryRecord& record,
                             std::span<const TelemetryRecord> telemetry,
                             std::span<const monitoring::Host> hosts) {
  const SourceSummary& values = record.values;
  if (record.rank && values.source == monitoring::kProcessCpus) {
    for (const TelemetryRecord& other : telemetry) {
      if (other.rank != record.rank || other.values.source != monitoring::kProcessCpusByTicks)
        continue;
      return "its clock of CPU time counted " + printed("%.2f", values.mean) +
             " CPUs, the kernel's ticks " + printed("%.2f", other.values.mean);
    }
  }
  const monitoring::Host* host = find_host(hosts, record.host);
  if (values.source != kRanksCpus || !host || host->cores.logical <= 0) return {};
  const double cpus = host->cores.logical;
  if (values.mean > cpus + count_tolerance(cpus, values.observed_s)) {
    return "its ranks used " + printed("%.2f", values.mean) + " of " + printed("%.0f", cpus) +
           " CPUs";
  }
  const auto busy = mean_of_host(record.host, monitoring::kBusyCpus, telemetry);
  if (!busy) return {};
  // Interrupts and steal may be in the clock of the process that they held up.
  const double most = *busy +
                      mean_of_host(record.host, monitoring::kInterruptCpus, telemetry).value_or(0) +
                      mean_of_host(record.host, monitoring::kStealCpus, telemetry).value_or(0);
  if (!(values.mean > most + busy_tolerance(values.mean, cpus, values.observed_s))) return {};
  return "its ranks used " + printed("%.2f", values.mean) + " CPUs, of which the machine ran " +
         printed("%.2f", most);
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

// In words how `record` shows others on the machine.
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
  const double most = most_steal(cpus, values.observed_s);
  if (values.source == monitoring::kStealCpus && values.mean > most) {
    return "the hypervisor took " + printed("%.2f", values.mean) + " CPUs (steal)" +
           limit_text(most);
  }
  return {};
}

std::string little_steal_in(const TelemetryRecord& record,
                            std::span<const monitoring::Host> hosts) {
  const SourceSummary& values = record.values;
  const int cpus = cpus_of(record.host, hosts);
  const double least = steal_limit(cpus, values.observed_s);
  const bool is_little = values.source == monitoring::kStealCpus && values.mean > least &&
                         values.mean <= most_steal(cpus, values.observed_s);
  if (!is_little) return {};
  return "the hypervisor took " + printed("%.2f", values.mean) + " of " + counted(cpus, "CPU") +
         " (steal)" + limit_text(least);
}

// Whether what clocks of 10 ms leave unsure decided that nobody else was there.
std::string brevity_in(const TelemetryRecord& record, std::span<const TelemetryRecord> telemetry,
                       std::span<const monitoring::Host> hosts) {
  const SourceSummary& values = record.values;
  if (values.source != kOtherCpus) return {};
  const int cpus = cpus_of(record.host, hosts);
  const double free = free_cores(record.host, telemetry, hosts);
  const double limit = foreign_load_limit(cpus, values.observed_s, free);
  if (values.mean > limit || !(limit > known_load(cpus, free))) return {};
  return "the machine was watched for " + printed("%.2f", values.observed_s) +
         " s, in which others could use " + printed("%.2f", limit) + " CPUs unnoticed" +
         limit_text(known_load(cpus, free));
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
  constexpr double kLeast = 0.1;
  const double unsure =
      seconds > 0 ? std::max(kTickNoise * std::sqrt(cpus / seconds), kFiveTicks_s / seconds)
                  : kLeast;
  return std::max({kLeast, kShareOfCpus * cpus, unsure, kOfFree * free});
}

double least_observed_s(int cpus, double free) {
  const double known = known_load(cpus, free);
  return std::max(cpus * std::pow(kTickNoise / known, 2), kFiveTicks_s / known);
}

double steal_limit(int cpus, double seconds) {
  return std::max(kShareOfCpus * cpus, seconds > 0 ? kFiveTicks_s / seconds : 0);
}

double most_steal(int cpus, double seconds) {
  constexpr double kMost = 0.05;
  return std::max(kMost * cpus, steal_limit(cpus, seconds));
}

std::vector<Disturbance> disturbances_of(std::span<const TelemetryRecord> telemetry,
                                         std::span<const monitoring::Host> hosts) {
  Places contradicting, throttled, shared;
  for (const TelemetryRecord& record : telemetry) {
    contradicting.add(record, contradiction_in(record, telemetry, hosts));
    throttled.add(record, throttling_in(record));
    shared.add(record, sharing_in(record, telemetry, hosts));
  }
  std::vector<Disturbance> all;
  contradicting.tell(all, finding_kinds::counters_disagree);
  throttled.tell(all, finding_kinds::throttled);
  shared.tell(all, finding_kinds::shared);
  return all;
}

std::vector<Disturbance> doubts_of(std::span<const TelemetryRecord> telemetry,
                                   std::span<const monitoring::Host> hosts) {
  Places steal, brief;
  for (const TelemetryRecord& record : telemetry) {
    steal.add(record, little_steal_in(record, hosts));
    brief.add(record, brevity_in(record, telemetry, hosts));
  }
  std::vector<Disturbance> all;
  steal.tell(all, finding_kinds::steal);
  brief.tell(all, finding_kinds::others_unknown);
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
