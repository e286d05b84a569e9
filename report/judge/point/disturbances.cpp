#include "report/judge/point/disturbances.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <ranges>
#include <utility>

#include "core/base/text.h"
#include "core/machine/process_reading.h"
#include "core/machine/telemetry/gpu_probes.h"
#include "core/machine/telemetry/host_probes.h"
#include "report/judge/point/telemetry.h"
#include "report/record/point_facts.h"

namespace scalemark::reporting {
namespace {

using monitoring::SourceSummary;

constexpr double kThrottledCpusLimit = 0.01;
constexpr double kThermalViolationLimit = 0.001;
constexpr std::size_t kPlacesNamed = 3;
constexpr double kShareOfCpus = 0.01, kTickNoise = 0.1, kOfFree = 0.5;

// CPUs used by others that a measurement must be able to detect.
double known_load(int cpus, double free) {
  constexpr double kKnown = 0.3;
  return std::max({kKnown, kShareOfCpus * cpus, kOfFree * free});
}

// The machine's count is a sample at each tick, which steps of ranks may be in phase with. Allows
// for five standard deviations of half-busy CPUs that all run and rest at once, and for half of the
// time.
double busy_tolerance(double used, double cpus, double seconds) {
  constexpr double kLeast = 0.1, kShare = 0.5, kNoise = 0.25;
  const double noise = seconds > 0 ? kNoise * cpus / std::sqrt(seconds) : used;
  return std::max({kLeast, kShare * used, noise});
}

std::optional<double> known_cpus(const std::string& hostname,
                                 std::span<const monitoring::Host> hosts) {
  const monitoring::Host* host = find_host(hosts, hostname);
  return host && host->cores.logical > 0 ? std::optional<double>(host->cores.logical)
                                         : std::nullopt;
}

int cpus_of(const std::string& hostname, std::span<const monitoring::Host> hosts) {
  return static_cast<int>(known_cpus(hostname, hosts).value_or(1));
}

std::string place_of(const TelemetryRecord& record) {
  if (record.rank) return "rank " + std::to_string(*record.rank) + " of " + record.host;
  return record.values.device.empty() ? record.host : record.values.device + " of " + record.host;
}

// Returns the numbers by which `record` shows that the run was slowed down; none where it does not.
AllNamed throttling_in(const TelemetryRecord& record) {
  static const std::map<std::string, const char*> kSlowdowns = {
      {"hw_slowdown", "hardware slowdown"},
      {"hw_thermal_slowdown", "thermal slowdown by hardware"},
      {"sw_thermal_slowdown", "thermal slowdown by the driver"},
      {"power_brake", "power brake"}};
  const SourceSummary& values = record.values;
  const auto slowdown = kSlowdowns.find(values.source);
  if (slowdown != kSlowdowns.end() && values.max > 0) {
    return {{"slowdown", slowdown->second}, {"slowed_share", values.mean}};
  }
  if (values.source == monitoring::kThermalViolation && values.mean >= kThermalViolationLimit) {
    return {{"slowed_share", values.mean}};
  }
  if (values.source == monitoring::kThrottledCpus && values.mean >= kThrottledCpusLimit) {
    return {{"quota_cpus", values.mean}, {"limit", kThrottledCpusLimit}};
  }
  return {};
}

// Returns the mean of a source of the host itself, or nothing where it was not read.
std::optional<double> mean_of_host(const std::string& hostname, const char* source,
                                   std::span<const TelemetryRecord> telemetry) {
  for (const TelemetryRecord& record : telemetry) {
    if (record.host == hostname && !record.rank && record.values.source == source) {
      return record.values.mean;
    }
  }
  return std::nullopt;
}

// Returns the numbers by which another count contradicts `record`; none where nothing does.
AllNamed contradiction_in(const TelemetryRecord& record, std::span<const TelemetryRecord> telemetry,
                          std::span<const monitoring::Host> hosts) {
  const SourceSummary& values = record.values;
  if (record.rank && values.source == monitoring::kProcessCpus) {
    for (const TelemetryRecord& other : telemetry) {
      if (other.rank != record.rank || other.values.source != monitoring::kProcessCpusByTicks)
        continue;
      return {{"clock_cpus", values.mean}, {"tick_cpus", other.values.mean}};
    }
  }
  const monitoring::Host* host = find_host(hosts, record.host);
  if (values.source != kRanksCpus || !host || host->cores.logical <= 0) return {};
  const double cpus = host->cores.logical;
  if (values.mean > cpus + count_tolerance(cpus, values.observed_s)) {
    return {{"ranks_cpus", values.mean}, {"cpus", cpus}};
  }
  const auto busy = mean_of_host(record.host, monitoring::kBusyCpus, telemetry);
  if (!busy) return {};
  // Interrupts and steal may be counted in the process's own time.
  const double most = *busy +
                      mean_of_host(record.host, monitoring::kInterruptCpus, telemetry).value_or(0) +
                      mean_of_host(record.host, monitoring::kStealCpus, telemetry).value_or(0);
  if (!(values.mean > most + busy_tolerance(values.mean, cpus, values.observed_s))) return {};
  return {{"ranks_cpus", values.mean}, {"machine_cpus", most}};
}

// Returns the host's cores that our ranks leave. Hyper-threads do not count, since two of them
// share a core. Ranks that others hold back use less than they want. Returns 0 where that is not
// known.
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
  // A container's processes share its CPUs, however many the machine has.
  if (host->cores.usable > 0) cores = std::min(cores, host->cores.usable);
  return std::max(0.0, cores - std::max(wanted, used));
}

// Returns the numbers by which `record` shows other load on the machine.
AllNamed sharing_in(const TelemetryRecord& record, std::span<const TelemetryRecord> telemetry,
                    std::span<const monitoring::Host> hosts) {
  const SourceSummary& values = record.values;
  const int cpus = cpus_of(record.host, hosts);
  if (values.source == monitoring::kOtherProcesses && values.max > 0) {
    return {{"processes", values.max}};
  }
  const double foreign =
      foreign_load_limit(cpus, values.observed_s, free_cores(record.host, telemetry, hosts));
  if (values.source == kOtherCpus && values.mean > foreign) {
    // In a window of a few ticks, clocks of 10 ms may count more CPUs than the machine has.
    const auto all = known_cpus(record.host, hosts);
    return {{"others", std::min(values.mean, all.value_or(values.mean))},
            {"limit", foreign},
            {"cpus", all}};
  }
  const double most = most_steal(cpus, values.observed_s);
  if (values.source == monitoring::kStealCpus && values.mean > most) {
    return {{"steal", values.mean}, {"limit", most}};
  }
  return {};
}

AllNamed little_steal_in(const TelemetryRecord& record, std::span<const monitoring::Host> hosts) {
  const SourceSummary& values = record.values;
  const int cpus = cpus_of(record.host, hosts);
  const double least = steal_limit(cpus, values.observed_s);
  const bool is_little = values.source == monitoring::kStealCpus && values.mean > least &&
                         values.mean <= most_steal(cpus, values.observed_s);
  if (!is_little) return {};
  return {{"steal", values.mean}, {"cpus", cpus}, {"limit", least}};
}

// Returns numbers where only the error of clocks of 10 ms decided that the machine was not shared.
AllNamed brevity_in(const TelemetryRecord& record, std::span<const TelemetryRecord> telemetry,
                    std::span<const monitoring::Host> hosts) {
  const SourceSummary& values = record.values;
  if (values.source != kOtherCpus) return {};
  const int cpus = cpus_of(record.host, hosts);
  const double free = free_cores(record.host, telemetry, hosts);
  const double limit = foreign_load_limit(cpus, values.observed_s, free);
  if (values.mean > limit || !(limit > known_load(cpus, free))) return {};
  return {
      {"seconds", values.observed_s}, {"unseen_cpus", limit}, {"limit", known_load(cpus, free)}};
}

// Makes one finding for all places of a run. Its text names the first few, its values cover all.
class Places {
 public:
  explicit Places(const FindingKind& kind) : kind_(kind) {}

  void add(const TelemetryRecord& record, AllNamed values) {
    if (values.empty()) return;
    values.emplace_back("where", place_of(record));
    Finding one = make_finding(
        kind_, "", values,
        FindingPlace{.rank = record.rank, .host = record.host, .device = record.values.device});
    if (count_++ == 0) return void(found_ = std::move(one));
    found_.place.reset();
    merge_values(found_, one);
    if (count_ <= kPlacesNamed) found_.text += "; " + one.text;
  }
  void append_to(std::vector<Finding>& all) {
    if (count_ == 0) return;
    if (count_ > kPlacesNamed) {
      found_.text += "; and " + std::to_string(count_ - kPlacesNamed) + " more";
    }
    all.push_back(std::move(found_));
  }

 private:
  const FindingKind& kind_;
  Finding found_;
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

std::vector<Finding> disturbances_of(std::span<const TelemetryRecord> telemetry,
                                     std::span<const monitoring::Host> hosts) {
  Places contradicting(finding_kinds::counters_disagree), throttled(finding_kinds::throttled),
      shared(finding_kinds::shared);
  for (const TelemetryRecord& record : telemetry) {
    contradicting.add(record, contradiction_in(record, telemetry, hosts));
    throttled.add(record, throttling_in(record));
    shared.add(record, sharing_in(record, telemetry, hosts));
  }
  std::vector<Finding> all;
  for (Places* places : {&contradicting, &throttled, &shared}) places->append_to(all);
  return all;
}

std::vector<Finding> doubts_of(std::span<const TelemetryRecord> telemetry,
                               std::span<const monitoring::Host> hosts) {
  Places steal(finding_kinds::steal), brief(finding_kinds::others_unknown);
  for (const TelemetryRecord& record : telemetry) {
    steal.add(record, little_steal_in(record, hosts));
    brief.add(record, brevity_in(record, telemetry, hosts));
  }
  std::vector<Finding> all;
  steal.append_to(all);
  brief.append_to(all);
  return all;
}

void complete_values(Report& report) {
  const auto lacks = [](const Finding& finding) {
    const FindingKind* kind = find_finding_kind(finding.code);
    return finding.values.empty() && kind && kind->role == FindingRole::kDisturbs;
  };
  std::map<std::string, std::vector<TelemetryRecord>> by_run;
  for (const TelemetryRecord& record : report.telemetry) by_run[record.point].push_back(record);
  for (Finding& finding : report.findings) {
    if (!lacks(finding)) continue;
    const bool of_one = !finding.point.empty();
    const auto first = of_one ? by_run.lower_bound(finding.point) : by_run.begin();
    const auto last = of_one ? by_run.upper_bound(finding.point) : by_run.end();
    int runs = 0;
    for (const auto& [run, telemetry] : std::ranges::subrange(first, last)) {
      for (const Finding& anew : disturbances_of(telemetry, report.environment.hosts)) {
        if (anew.code != finding.code) continue;
        merge_values(finding, anew);
        ++runs;
      }
    }
    if (runs > 0 && !report.collectives.empty()) finding.values.emplace("disturbed_runs", runs);
  }
  for (FingerprintRecord& record : report.fingerprint) {
    if (!record.disturbed_by.empty()) continue;
    for (const FindingKind& kind : all_finding_kinds()) {
      const std::string told = "; " + std::string(kind.code) + ": ";
      if (("; " + record.disturbed).find(told) != std::string::npos)
        record.disturbed_by.emplace_back(kind.code);
    }
  }
}

std::string in_words(std::span<const Finding> disturbances) {
  std::vector<std::string> texts;
  for (const Finding& one : disturbances) texts.push_back(one.code + ": " + one.text);
  return joined(texts, "; ");
}

std::vector<std::string> codes_of(std::span<const Finding> disturbances) {
  std::vector<std::string> codes;
  for (const Finding& one : disturbances) codes.push_back(one.code);
  return codes;
}

}  // namespace scalemark::reporting
