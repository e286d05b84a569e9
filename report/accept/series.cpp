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

std::string scheduler_name(const Part& part) {
  return part.scheduler_node.empty() ? part.host : part.scheduler_node;
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

// Finds the short measurement of the same product on the same device, made before heat held it
// back; null: none.
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

}  // namespace scalemark::acceptance
