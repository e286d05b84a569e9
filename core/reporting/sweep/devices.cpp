// Devices by themselves: the ranks of points with no exchange, which wait for nobody.
#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "core/monitoring/gpus.h"
#include "core/reporting/record/point_facts.h"
#include "core/reporting/sweep/runs.h"
#include "core/statistics/runs.h"
#include "core/statistics/summary.h"

namespace scalemark::reporting {
namespace {

struct Place {
  int rank;
  std::string host, device, uuid;
  auto operator<=>(const Place&) const = default;
};

using BySession = std::map<int, std::vector<double>>;

struct Observed {
  BySession rates, ratios;  // to the median of the others
  int runs = 0;
};

// Returns one for each rank; empty where one has no rate.
std::vector<double> ln_rates(const PointRecord& run) {
  std::vector<double> logs;
  for (const RankRecord& rank : run.ranks) {
    const double rate = static_cast<double>(rank.samples) / rank.wall_s;
    if (!(rate > 0) || !std::isfinite(rate)) return {};
    logs.push_back(std::log(rate));
  }
  return logs;
}

double median_of_others(std::vector<double> values, std::size_t left_out) {
  values.erase(values.begin() + static_cast<std::ptrdiff_t>(left_out));
  std::ranges::sort(values);
  return statistics::quantile_of_sorted(values, 0.5);
}

std::map<Place, Observed> observed_at(const Runs& runs) {
  std::map<Place, Observed> places;
  for (const PointRecord* run : runs) {
    const auto logs = ln_rates(*run);
    for (std::size_t r = 0; r < logs.size(); ++r) {
      const RankRecord& rank = run->ranks[r];
      Observed& observed = places[{rank.rank, rank.host, rank.device, rank.uuid}];
      ++observed.runs;
      observed.rates[run->session].push_back(std::exp(logs[r]));
      if (logs.size() < 2) continue;
      observed.ratios[run->session].push_back(std::exp(logs[r] - median_of_others(logs, r)));
    }
  }
  return places;
}

statistics::RunsEstimate estimate_of(const BySession& values) {
  std::vector<std::vector<double>> sessions;
  for (const auto& [session, of_runs] : values) sessions.push_back(of_runs);
  return statistics::estimate_over_sessions(sessions);
}

void set_rates(DeviceRecord& record, const Observed& observed) {
  record.runs = observed.runs;
  const auto rate = estimate_of(observed.rates);
  record.samples_per_sec = rate.value;
  record.ci95 = bounds_of(rate.ci95);
  if (observed.ratios.empty()) return;
  const auto ratio = estimate_of(observed.ratios);
  record.deviation = ratio.value - 1;
  if (is_finite(ratio.ci95)) record.deviation_ci95 = {ratio.ci95->low - 1, ratio.ci95->high - 1};
}

void set_gpu(DeviceRecord& record, std::span<const monitoring::Host> hosts) {
  for (const monitoring::Host& host : hosts) {
    if (record.uuid.empty() || host.hostname != record.host) continue;
    const auto [gpu, instance] = monitoring::find_gpu(host.gpus, record.uuid);
    if (!gpu) continue;
    record.uuid = instance ? instance->uuid : gpu->uuid;  // CUDA does not know "MIG-"
    record.pci = gpu->pci;
    record.max_sm_clock_MHz = gpu->max_sm_clock_MHz;
    record.max_memory_clock_MHz = gpu->max_memory_clock_MHz;
  }
}

}  // namespace

std::vector<DeviceRecord> devices_of(std::span<const PointRecord> points,
                                     std::span<const monitoring::Host> hosts) {
  std::vector<DeviceRecord> devices;
  for (const auto& runs : runs_by_group(points)) {
    if (runs.ok.empty() || !is_solo(*runs.ok.front())) continue;
    for (const auto& [place, observed] : observed_at(runs.ok)) {
      DeviceRecord& record = devices.emplace_back();
      record.group = runs.first().group;
      std::tie(record.rank, record.host, record.device, record.uuid) =
          std::tie(place.rank, place.host, place.device, place.uuid);
      set_rates(record, observed);
      set_gpu(record, hosts);
    }
  }
  return devices;
}

}  // namespace scalemark::reporting
