#include "report/accept/series.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "core/base/text.h"
#include "core/machine/network_ports.h"
#include "core/statistics/summary.h"
#include "report/accept/inventory.h"
#include "report/judge/point/fingerprint.h"
#include "report/record/finding_kinds.h"
#include "report/record/point_facts.h"
#include "report/record/report.h"

namespace scalemark::acceptance {

std::string Part::name() const {
  if (kind == PartKind::kLink)
    return reporting::link_end(host, rank, device) + " to " + (end.empty() ? other : end);
  return kind == PartKind::kDevice ? host + " " + device : host;
}

std::string Part::key() const {
  if (kind == PartKind::kDevice && !uuid.empty()) return uuid;
  return name();
}

std::vector<std::vector<const Series*>> by_class(const std::vector<Series>& all) {
  std::vector<std::vector<const Series*>> classes;
  std::map<std::pair<std::string, std::string>, std::size_t> places;
  for (const Series& series : all) {
    const auto [found, is_new] =
        places.try_emplace({series.of_class, series.software}, classes.size());
    if (is_new) classes.emplace_back();
    classes[found->second].push_back(&series);
  }
  return classes;
}

int throttled_runs(const Series& series) {
  int runs = 0;
  for (const Start& start : series.starts) runs += start.throttled_runs;
  return runs;
}

const Start* failed_start(const Series& series) {
  const auto found = std::ranges::find_if(series.starts, [](const Start& s) { return s.failed; });
  return found == series.starts.end() ? nullptr : &*found;
}

std::vector<double> logarithms_of(const Series& series) {
  std::vector<double> logs;
  for (const Start& start : series.starts) {
    if (std::isfinite(start.value)) logs.push_back(std::log(start.value));
  }
  return logs;
}

std::optional<double> beyond_physics(const Series& series) {
  const std::vector<double> logs = logarithms_of(series);
  const auto datasheet = series.at_most.find(LimitOf::kDatasheet);
  if (datasheet == series.at_most.end() || logs.empty()) return std::nullopt;
  const double times = std::exp(statistics::mean(logs)) / datasheet->second.per_sec;
  return times > kBeyondPhysics ? std::optional(times) : std::nullopt;
}

bool has_speed(const Series& series) {
  return throttled_runs(series) < kThrottledRuns && failed_start(series) == nullptr &&
         !beyond_physics(series);
}

// --- Values that need no repetition: findings that blame a part, bits, links, and products that
// are held. inventory.h declares the functions that read them.

namespace {

using reporting::Finding;
using reporting::FingerprintRecord;
using reporting::MachineRate;
using reporting::PointRecord;
using reporting::PointStatus;
using reporting::RankRecord;
using reporting::ReplayRecord;
using reporting::Report;

bool is_blamed(const Part& part, const Finding& finding) {
  return finding.place && finding.place->host == part.host;
}

// Returns the nodes whose results of collectives were compared.
std::vector<Part> checked_nodes(const Report& report) {
  const bool checked = std::ranges::any_of(report.collectives,
                                           [](const auto& run) { return run.wrong.has_value(); });
  return checked ? node_parts(report) : std::vector<Part>{};
}

// Work that was not done is no gap once the device did it in any session.
bool is_made_good(const ReplayRecord& replay, const std::vector<const ReplayRecord*>& all) {
  return std::ranges::any_of(all, [&](const ReplayRecord* one) {
    return !one->digest.empty() && one->host == replay.host && one->device == replay.device &&
           one->rank == replay.rank && one->uuid == replay.uuid && one->work == replay.work &&
           one->precision == replay.precision;
  });
}

using Works = std::set<std::string>;  // "bf16 matrix product"

// Adds a start without a value to each device that left out work which others of its model did: its
// other work does not show all of the device.
void add_left_out(std::map<std::string, Works>& by_part, std::vector<Series>& all) {
  std::map<std::string, Works> by_chip;
  for (const Series& series : all) {
    const Works& works = by_part[series.part.key()];
    by_chip[series.chip].insert(works.begin(), works.end());
  }
  for (Series& series : all) {
    std::vector<std::string> lacking;
    std::ranges::set_difference(by_chip[series.chip], by_part[series.part.key()],
                                std::back_inserter(lacking));
    if (!lacking.empty()) series.starts.emplace_back().why = "not done: " + listed(lacking, 3);
  }
}

Start start_of(const reporting::JudgedReplay& judged) {
  using Bits = reporting::BitsOutcome;
  Start start;
  if (judged.outcome == Bits::kSame) start.value = 0;
  if (judged.outcome == Bits::kWrong) start.value = 1;
  (judged.outcome == Bits::kNotDone ? start.why : start.fact) = judged.why;
  return start;
}

Start start_of(const reporting::LinkRecord& link) {
  Start start;
  start.value = link.bandwidth_GBps;
  std::tie(start.low, start.high) = std::tie(link.bandwidth_ci95.low, link.bandwidth_ci95.high);
  return start;
}

// Finds the same product on the same device in its first seconds; null: none.
const FingerprintRecord* burst_of(const Report& report, const FingerprintRecord& held) {
  const auto found = std::ranges::find_if(report.fingerprint, [&](const FingerprintRecord& one) {
    return one.what == MachineRate::kMatrixProduct && one.value && one.rank == held.rank &&
           one.host == held.host && one.device == held.device && one.precision == held.precision &&
           one.threads == held.threads && held.method.starts_with(one.method);
  });
  return found == report.fingerprint.end() ? nullptr : &*found;
}

}  // namespace

Series& SeriesOfParts::at(Part part, const std::string& of_class) {
  const auto [place, is_new] = places_.try_emplace({of_class, part.key()}, all_.size());
  if (is_new) {
    all_.emplace_back().part = std::move(part);
    all_.back().of_class = of_class;
  }
  return all_[place->second];
}

bool was_shared(const FingerprintRecord& record) {
  const std::vector<std::string> only_throttled = {reporting::finding_kinds::throttled.code};
  return !record.disturbed.empty() && record.disturbed_by != only_throttled;
}

void read_findings(const Rule& rule, const Report& report, SeriesOfParts& all) {
  for (Part& part : checked_nodes(report)) {
    Start start;
    start.value = 0;
    for (const Finding& finding : report.findings) {
      if (finding.code != definition_of(rule.metric).name || !is_blamed(part, finding)) continue;
      ++start.value;
      start.fact = finding.text;
    }
    all.at(std::move(part)).starts.push_back(std::move(start));
  }
}

std::vector<Series> read_replays(std::span<const NamedReport> reports) {
  std::vector<const ReplayRecord*> replays;
  std::map<const ReplayRecord*, const Report*> reports_of;
  for (const NamedReport& one : reports) {
    for (const ReplayRecord& replay : one.report.replays) {
      replays.push_back(&replay);
      reports_of[&replay] = &one.report;
    }
  }
  SeriesOfParts series_of_parts;
  std::map<std::string, Works> by_part;
  for (const reporting::JudgedReplay& judged : reporting::judge_replays(replays)) {
    const ReplayRecord& replay = *judged.replay;
    const bool not_done = judged.outcome == reporting::BitsOutcome::kNotDone;
    if (not_done && is_made_good(replay, replays)) continue;
    const Report& report = *reports_of[&replay];
    const Part part = measured_part(report, replay.host, replay.device, replay.rank);
    by_part[part.key()].insert(replay.precision + " " + replay.work);
    Series& series = series_of_parts.at(part);
    series.chip = chip_of(report, part, "");
    series.starts.push_back(start_of(judged));
  }
  std::vector<Series> all = std::move(series_of_parts).all();
  add_left_out(by_part, all);
  return all;
}

void read_sustained(const Report& report, SeriesOfParts& all) {
  for (const FingerprintRecord& record : report.fingerprint) {
    if (record.what != MachineRate::kSustainedProduct) continue;
    Start start;
    // The check has to find devices that throttle, so that such a record counts.
    const bool shared = was_shared(record);
    if (shared || !record.value) {
      start.why = shared ? kSharedWhy : record.reason;
    } else {
      start.value = *record.value;
      std::tie(start.low, start.high) = std::tie(record.ci95.low, record.ci95.high);
      if (const FingerprintRecord* burst = burst_of(report, record)) start.burst = burst->value;
    }
    all.at(measured_part(report, record.host, record.device, record.rank),
           record.device_name + ", " + record.precision + ", " + record.method)
        .starts.push_back(std::move(start));
  }
}

// A message takes as long as the slower one of its two ends needs: an end is as fast as its best
// link. Of a node with several network cards the slowest one counts.
void read_best_links(const Report& report, SeriesOfParts& all) {
  std::map<std::string, std::map<std::string, const reporting::LinkRecord*>> best;  // host, end
  for (const auto& [part, link] : link_parts(report)) {
    if (!is_measured(link->bandwidth_GBps)) continue;
    for (const auto& [host, end] :
         {std::pair(link->a, link->first()), std::pair(link->b, link->second())}) {
      const reporting::LinkRecord*& known = best[host][end];
      if (!known || link->bandwidth_GBps > known->bandwidth_GBps) known = link;
    }
  }
  for (const auto& [host, ends] : best) {
    const auto& [end, link] = *std::ranges::min_element(
        ends, {}, [](const auto& one) { return one.second->bandwidth_GBps; });
    Series& series = all.at(node_part(report, host));
    series.starts.push_back(start_of(*link));
    if (end != host) series.starts.back().fact = end;
  }
}

namespace {

// How many ranks of each host sent at the same time: links are measured of one rank of a node, or
// of each with the one at its place.
std::map<std::string, std::set<int>> senders_of(const Report& report) {
  std::map<std::string, std::set<int>> senders;
  for (const auto& link : report.links) {
    senders[link.a].insert(link.a_rank.value_or(0));
    senders[link.b].insert(link.b_rank.value_or(0));
  }
  return senders;
}

// What the ports of a node have for each of its ranks, in GB/s. A rank fills one port at most, and
// shares it where ranks are more than ports. Where one rank of several was measured it is not known
// which ports it could use.
std::optional<std::pair<LimitOf, reporting::Peak>> share_of_ports(const Report& report,
                                                                  const std::string& name,
                                                                  bool on_gpus, std::size_t ranks) {
  const monitoring::Host* host = reporting::find_host(report.environment.hosts, name);
  if (host == nullptr) return std::nullopt;
  const auto use = on_gpus ? monitoring::PortUse::kAll : monitoring::PortUse::kOneSocket;
  const auto ports = monitoring::network_ports(*host, use, report.environment.variables);
  const std::size_t used = std::min(ports.Gbit_per_s.size(), ranks);
  if (used == 0) return std::nullopt;
  double Gbit_per_s = 0;  // of the fastest ones
  for (std::size_t i = ports.Gbit_per_s.size() - used; i < ports.Gbit_per_s.size(); ++i)
    Gbit_per_s += ports.Gbit_per_s[i];
  const double each = Gbit_per_s / static_cast<double>(ranks);
  return std::pair(ports.rdma ? LimitOf::kRdma : LimitOf::kSockets,
                   reporting::Peak{each / 8, significant(each, 4) + " Gbit/s that ports of " +
                                                 name + " have for each of its ranks"});
}

// The end with less decides.
void add_ports(Series& series, const Report& report, const reporting::LinkRecord& link,
               std::map<std::string, std::set<int>>& senders) {
  const bool on_gpus = link.a_device.starts_with("cuda");
  const monitoring::Host* host = reporting::find_host(report.environment.hosts, link.a);
  if (!link.a_rank && host != nullptr && !host->gpus.empty()) return;
  for (const std::string& name : {link.a, link.b}) {
    const auto share = share_of_ports(report, name, on_gpus, senders[name].size());
    if (!share) {
      series.at_most.erase(LimitOf::kRdma);
      series.at_most.erase(LimitOf::kSockets);
      return;
    }
    const auto [most, is_new] = series.at_most.try_emplace(share->first, share->second);
    if (!is_new && share->second.per_sec < most->second.per_sec) most->second = share->second;
  }
}

}  // namespace

void read_links(const Report& report, SeriesOfParts& all) {
  auto senders = senders_of(report);
  for (const auto& [part, link] : link_parts(report)) {
    if (!is_measured(link->bandwidth_GBps)) continue;
    Series& series = all.at(part);
    series.starts.push_back(start_of(*link));
    series.at_most.clear();
    add_ports(series, report, *link, senders);
  }
}

}  // namespace scalemark::acceptance
