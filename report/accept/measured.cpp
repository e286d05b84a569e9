// Reads from the reports of a fleet what each part showed in the metric of a rule.

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "core/base/text.h"
#include "core/collectives/bandwidth.h"
#include "core/machine/gpus.h"
#include "core/statistics/summary.h"
#include "report/accept/acceptance.h"
#include "report/accept/inventory.h"
#include "report/accept/series.h"
#include "report/accept/single_values.h"
#include "report/record/finding_kinds.h"
#include "report/record/point_facts.h"

namespace scalemark::acceptance {
namespace {

using monitoring::Host;
using reporting::Finding;
using reporting::FingerprintRecord;
using reporting::MachineRate;
using reporting::PointRecord;
using reporting::PointStatus;
using reporting::RankRecord;
using reporting::Report;

using StartKey = std::pair<std::size_t, int>;  // report and session: ascending is the order of time

struct RunsOfStart {
  std::vector<double> logs;  // one for each run that counts
  int throttled = 0;
  bool failed = false;
  std::string why;  // why a run does not count
};

// A run that something disturbed does not count. Whoever else used the machine may have heated or
// crowded out the part: such a run is no sign that it throttles by itself.
enum class DisturbedBy { kNothing, kOtherThrottled, kThrottled, kOthers, kNotKnown };

// `reason`: why there is no rate; may be empty.
void add_rate(RunsOfStart& runs, DisturbedBy disturbed_by, double rate, const std::string& reason) {
  if (disturbed_by == DisturbedBy::kThrottled) {
    ++runs.throttled;
    runs.why = "its hardware was slowed down";
  } else if (disturbed_by == DisturbedBy::kOthers) {
    runs.why = kSharedWhy;
  } else if (disturbed_by == DisturbedBy::kNotKnown) {
    runs.why = "its clocks and counters do not tell what it measured";
  } else if (disturbed_by == DisturbedBy::kOtherThrottled) {
    runs.why = "another device of its run was slowed down";
  } else if (!(rate > 0) || !std::isfinite(rate)) {
    runs.why = reason.empty() ? "no rate" : reason;
  } else {
    runs.logs.push_back(std::log(rate));
  }
}

struct Gathered {
  Series series;
  std::map<StartKey, RunsOfStart> starts;
};

Start start_of(const RunsOfStart& runs) {
  Start start;
  start.failed = runs.failed;
  start.throttled_runs = runs.throttled;
  if (!runs.logs.empty()) start.value = std::exp(statistics::mean(runs.logs));
  if (runs.logs.empty() || runs.failed) start.why = runs.why;
  return start;
}

// Collects the runs of each part and class.
class Gatherer {
 public:
  RunsOfStart& at(const Series& like, const StartKey& start) {
    const std::string key = like.part.key() + "\n" + like.of_class + "\n" + like.software;
    const auto [found, is_new] = places_.try_emplace(key, all_.size());
    if (is_new) all_.push_back({like, {}});
    Gathered& gathered = all_[found->second];
    gathered.series.unsteady = gathered.series.unsteady || like.unsteady;
    return gathered.starts[start];
  }
  // Adds a run that failed on `node` to all of its parts in that class, or to the node where none
  // of them is known.
  void add_failed(const Series& node, const StartKey& start, const std::string& why) {
    bool known = false;
    for (Gathered& one : all_) {
      if (one.series.part.host != node.part.host || one.series.of_class != node.of_class) continue;
      fail(one.starts[start], why);
      known = true;
    }
    if (!known) fail(at(node, start), why);
  }
  std::vector<Series> series(std::span<const NamedReport> reports) {
    std::vector<Series> result;
    const std::vector<std::size_t> rounds = rounds_of(reports);
    for (Gathered& one : all_) {
      const std::size_t first = one.starts.empty() ? 0 : one.starts.begin()->first.first;
      for (const auto& [key, runs] : one.starts) {
        one.series.starts.push_back(start_of(runs));
        if (key.first != first) one.series.starts.back().session = rounds[key.first];
        const auto& hosts = reports[key.first].report.environment.hosts;
        const Host* host = reporting::find_host(hosts, one.series.part.host);
        if (host != nullptr) one.series.starts.back().boot = host->boot_id;
      }
      result.push_back(std::move(one.series));
    }
    return result;
  }

 private:
  static void fail(RunsOfStart& runs, const std::string& why) {
    runs.failed = true;
    runs.why = why;
  }

  std::vector<Gathered> all_;
  std::map<std::string, std::size_t> places_;
};

bool concerns(const Finding& finding, const Part& part) {
  const auto& place = finding.place;
  if (!place || place->host.empty()) return true;
  return place->host == part.host &&
         (place->device.empty() || part.device.empty() || place->device == part.device);
}

DisturbedBy what_disturbed(const Report& report, const PointRecord& run, const Part& part) {
  namespace kinds = reporting::finding_kinds;
  DisturbedBy worst = DisturbedBy::kNothing;
  for (const Finding& finding : report.findings) {
    if (finding.point != run.id) continue;
    DisturbedBy one = DisturbedBy::kNothing;
    if (finding.code == kinds::others_unknown.code || finding.code == kinds::clocks_disagree.code ||
        finding.code == kinds::counters_disagree.code) {
      one = DisturbedBy::kNotKnown;
    } else if (finding.code == kinds::shared.code || finding.code == kinds::machine_busy.code) {
      one = DisturbedBy::kOthers;
    } else if (finding.code == kinds::throttled.code) {
      one = concerns(finding, part) ? DisturbedBy::kThrottled : DisturbedBy::kOtherThrottled;
    }
    worst = std::max(worst, one);
  }
  return worst;
}

class PointReader {
 public:
  PointReader(const Rule& rule, Gatherer& gatherer) : rule_(rule), gatherer_(gatherer) {}

  void read(const Report& report, std::size_t number) {
    const int most = widest(report);
    const bool of_one_node = report.environment.hosts.size() == 1;
    std::vector<const PointRecord*> failed;
    for (const PointRecord& run : report.points) {
      if (run.world_size != most || !is_wanted(run) || !is_selected(rule_.where, run)) continue;
      if (run.status == PointStatus::kOk) {
        add(report, run, {number, run.session});
      } else if (of_one_node) {
        failed.push_back(&run);  // with several nodes nobody knows which one failed
      }
    }
    for (const PointRecord* run : failed) add_failed(report, *run, {number, run->session});
  }

 private:
  bool of_devices() const { return definition_of(rule_.metric).of == PartKind::kDevice; }
  bool is_wanted(const PointRecord& run) const {
    // Over several nodes one report is one start, and its points are a class of their own.
    if (run.nodes > 1) return false;
    const bool alone = run.strategy == "none";
    return rule_.metric == Metric::kDeviceRate ? alone : !alone;
  }

  Series series_of(const Report& report, const PointRecord& run, const std::string& host,
                   const std::string& chip) const {
    Series series;
    series.chip = chip;
    series.precision = run.precision;
    series.of_class = chip + ", " + run.group;
    series.software = software_of(report, host);
    const auto* group = reporting::find_group(report.groups, run.group);
    series.unsteady = group && group->steady == false;
    return series;
  }

  void add(const Report& report, const PointRecord& run, const StartKey& start) {
    if (of_devices()) {
      const bool own = rule_.metric == Metric::kOwnRate;
      for (const RankRecord& rank : own ? reporting::peers_of(run) : std::span(run.ranks)) {
        if (own && !rank.own_mean_ln) continue;
        const Part part = device_part(report, run, rank);
        Series series = series_of(report, run, rank.host, chip_of(report, part, run.device_name));
        series.part = part;
        add_rate(
            gatherer_.at(series, start), what_disturbed(report, run, part),
            own ? std::exp(-*rank.own_mean_ln) : static_cast<double>(rank.samples) / rank.wall_s,
            "");
      }
      return;
    }
    if (run.ranks.empty()) return;
    const RankRecord& first = run.ranks.front();
    const std::string chip = chip_of(report, device_part(report, run, first), run.device_name);
    Series series = series_of(report, run, first.host, chip);
    series.part = node_part(report, first.host);
    add_rate(gatherer_.at(series, start), what_disturbed(report, run, series.part),
             run.samples_per_sec, "");
  }

  void add_failed(const Report& report, const PointRecord& run, const StartKey& start) {
    for (const Host& host : report.environment.hosts) {
      const std::string chip = run.device_name.empty() ? host.cpu : run.device_name;
      Series series = series_of(report, run, host.hostname, chip);
      series.part = node_part(report, host.hostname);
      gatherer_.add_failed(series, start,
                           run.reason.empty() ? std::string(name_of(run.status)) : run.reason);
    }
  }

  const Rule& rule_;
  Gatherer& gatherer_;
};

// Returns nothing for metrics that no measurement of a machine by itself has.
std::optional<MachineRate> rate_of(Metric metric) {
  static const std::map<Metric, MachineRate> kRates{
      {Metric::kMatrixProduct, MachineRate::kMatrixProduct},
      {Metric::kMemoryCopy, MachineRate::kMemoryCopy},
      {Metric::kHostToDevice, MachineRate::kHostToDevice},
      {Metric::kDeviceToHost, MachineRate::kDeviceToHost},
      {Metric::kNodeAllReduce, MachineRate::kNodeAllReduce},
      {Metric::kNodeAllToAll, MachineRate::kNodeAllToAll},
      {Metric::kPeerExchange, MachineRate::kPeerExchange}};
  const auto found = kRates.find(metric);
  return found == kRates.end() ? std::nullopt : std::optional(found->second);
}

// Whether the devices of a node exchange something.
bool exchanges(Metric metric) {
  return metric == Metric::kNodeAllReduce || metric == Metric::kNodeAllToAll ||
         metric == Metric::kPeerExchange;
}

// Bridges join cards in pairs, whatever their number of links: a ring of more passes PCIe, too.
bool is_bridged(const std::string& chip) {
  constexpr std::array<std::string_view, 7> kCards{"PCIe", "PCIE", "NVL",   "A40",
                                                   "A30",  "RTX",  "Quadro"};
  return std::ranges::any_of(kCards, [&](auto card) { return chip.find(card) != chip.npos; });
}

// Adds what the links of the slowest GPU of `host` carry. Between GPUs NVLink carries what PCIe
// would.
void add_links(Series& series, const Host& host, bool between_gpus) {
  collectives::DataPath path{.node_of_member = {}, .on_gpus = true};
  reporting::add_gpus(path, host);
  const bool nvlink = between_gpus && path.nvlinks.value_or(0) > 0;
  if (nvlink && host.gpus.size() > 2 && is_bridged(series.chip)) return;
  const auto rate = nvlink ? collectives::nvlink_rate(path) : collectives::pcie_rate(path);
  if (!rate) return;
  series.at_most[nvlink ? LimitOf::kNvlink : LimitOf::kPcie] = {rate->busbw_GBps * 1e9,
                                                                rate->source};
}

void add_most(Series& series, Metric metric, const Host* host) {
  std::optional<reporting::Peak> datasheet;
  if (metric == Metric::kMatrixProduct)
    datasheet = reporting::peak_flops(series.chip, series.precision);
  if (metric == Metric::kMemoryCopy) datasheet = reporting::peak_memory_bandwidth(series.chip);
  if (datasheet) series.at_most[LimitOf::kDatasheet] = *datasheet;
  const bool copies = metric == Metric::kHostToDevice || metric == Metric::kDeviceToHost;
  // Instances of one GPU share its link.
  if (copies && series.part.uuid.starts_with("MIG-")) return;
  if ((copies || exchanges(metric)) && host != nullptr && !host->gpus.empty())
    add_links(series, *host, exchanges(metric));
}

void read_fingerprint(const Rule& rule, const Report& report, std::size_t number,
                      Gatherer& gatherer) {
  const auto precision = rule.where.find("precision");
  for (const FingerprintRecord& record : report.fingerprint) {
    if (record.what != rate_of(rule.metric)) continue;
    if (precision != rule.where.end() && precision->second != record.precision) continue;
    Series series;
    series.part = definition_of(rule.metric).of == PartKind::kNode
                      ? node_part(report, record.host)
                      : measured_part(report, record.host, record.device, record.rank);
    series.chip = record.device_name;
    series.precision = record.precision;
    const std::string what =
        record.precision.empty() ? record.method : record.precision + ", " + record.method;
    series.of_class = record.device_name + ", " + what;
    if (record.device == "cpu") series.of_class += ", " + counted(record.threads, "thread");
    add_most(series, rule.metric, reporting::find_host(report.environment.hosts, record.host));
    series.software = software_of(report, record.host);
    RunsOfStart& runs = gatherer.at(series, {number, record.session.value_or(0)});
    DisturbedBy disturbed_by =
        record.disturbed.empty() ? DisturbedBy::kNothing : DisturbedBy::kThrottled;
    if (was_shared(record)) disturbed_by = DisturbedBy::kOthers;
    add_rate(runs, disturbed_by, record.value.value_or(0), record.reason);
  }
}

// Several GPUs are expected to train together, whether they did or not.
bool has_several_devices(const Report& report) {
  const bool trained = std::ranges::any_of(report.points, [](const reporting::PointRecord& run) {
    return run.nodes <= 1 && run.world_size > 1;
  });
  return trained || std::ranges::any_of(report.environment.hosts,
                                        [](const auto& host) { return host.gpus.size() > 1; });
}

bool has_own_times(const Report& report) {
  return std::ranges::any_of(report.points, [](const reporting::PointRecord& run) {
    return run.nodes <= 1 && reporting::has_exchange(run) &&
           std::ranges::any_of(run.ranks, [](const auto& rank) { return bool(rank.own_mean_ln); });
  });
}

bool has_gpus(const Report& report) {
  return std::ranges::any_of(report.environment.hosts,
                             [](const auto& host) { return !host.gpus.empty(); });
}

}  // namespace

bool applies(const Rule& rule, std::span<const NamedReport> reports, std::size_t nodes) {
  const auto any = [&](bool (*has)(const Report&)) {
    return std::ranges::any_of(reports, has, &NamedReport::report);
  };
  switch (definition_of(rule.metric).applies) {
    case Applies::kEverywhere:
      return true;
    case Applies::kWhereMeasured:
      if (definition_of(rule.metric).of == PartKind::kFleet) return nodes > 1;
      if (is_of_nccl(rule.metric)) return any(has_gpus) && (nodes > 1 || any(has_several_devices));
      return exchanges(rule.metric) ? any(has_several_devices) : any(has_gpus);
    case Applies::kWithGpus:
      return any(has_gpus);
    case Applies::kWithSeveralDevices:
      return any(has_several_devices);
    case Applies::kWithOwnTimes:
      return any(has_own_times);
    case Applies::kWithSeveralNodes:
      return nodes > 1;
    case Applies::kWithThreeNodes:
      return nodes > 2;
  }
  return true;
}

std::vector<Series> read_series(const Rule& rule, std::span<const NamedReport> reports) {
  const MetricDefinition& definition = definition_of(rule.metric);
  if (definition.kind == ValueKind::kFact) return read_facts(rule.metric, reports);
  if (rule.metric == Metric::kWrongBits) return read_replays(reports);
  if (is_of_health(rule)) return read_counters(rule.metric, reports);
  if (definition.of == PartKind::kFleet && rule.metric != Metric::kFleetAllReduce)
    return read_of_fleet(rule, reports);
  Gatherer gatherer;
  SeriesOfParts of_parts;
  if (rule.metric == Metric::kFleetAllReduce) {
    read_fleet_all_reduce(reports, of_parts);
    return std::move(of_parts).all();
  }
  for (std::size_t i = 0; i < reports.size(); ++i) {
    const Report& report = reports[i].report;
    if (definition.kind == ValueKind::kCount) {
      read_findings(rule, report, of_parts);
    } else if (rule.metric == Metric::kSustainedProduct) {
      read_sustained(report, of_parts);
    } else if (rule.metric == Metric::kNodeBandwidth) {
      if (reporting::measures_collectives(report)) read_best_links(report, of_parts);
    } else if (definition.kind == ValueKind::kFloor) {
      if (reporting::measures_collectives(report)) read_links(report, of_parts);
    } else if (rule.metric == Metric::kDeviceRate || rule.metric == Metric::kNodeRate ||
               rule.metric == Metric::kOwnRate) {
      PointReader(rule, gatherer).read(report, i);
    } else {
      read_fingerprint(rule, report, i, gatherer);
    }
  }
  std::vector<Series> all = std::move(of_parts).all();
  std::ranges::move(gatherer.series(reports), std::back_inserter(all));
  return all;
}

}  // namespace scalemark::acceptance
