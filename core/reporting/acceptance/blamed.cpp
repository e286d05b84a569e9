// Findings that blame a part, bits, links, and products that are held: values that need no
// repetition.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "core/base/text.h"
#include "core/reporting/acceptance/inventory.h"
#include "core/reporting/point/replays.h"
#include "core/reporting/record/finding_kinds.h"
#include "core/reporting/record/point_facts.h"

namespace scalemark::acceptance {
namespace {

using reporting::Finding;
using reporting::FingerprintRecord;
using reporting::MachineRate;
using reporting::PointRecord;
using reporting::PointStatus;
using reporting::RankRecord;
using reporting::ReplayRecord;
using reporting::Report;

bool names(const Rule& rule, const Finding& finding) {
  const std::string_view code = finding.code;
  return code == row_of(rule.metric).name ||
         (rule.metric == Metric::kStraggler &&
          code == reporting::finding_kinds::straggler_intermittent.code);
}

// Counts the repetitions in which this rank was compared with its peers, at the point that has
// most.
std::size_t compared_runs(const Report& report, const Part& part) {
  std::map<std::string_view, std::size_t> runs;
  for (const PointRecord& run : report.points) {
    if (run.status != PointStatus::kOk || !reporting::has_exchange(run)) continue;
    runs[run.group] += std::ranges::any_of(run.ranks, [&](const RankRecord& rank) {
      return rank.rank == part.rank && rank.host == part.host && rank.own_mean_ln;
    });
  }
  std::size_t most = 0;
  for (const auto& [group, count] : runs) most = std::max(most, count);
  return most;
}

bool is_blamed(const Part& part, const Finding& finding) {
  if (!finding.place) return false;
  const auto& place = *finding.place;
  if (part.kind == PartKind::kLink) return place.link == part.name();
  if (place.host != part.host) return false;
  return part.kind == PartKind::kNode || !place.rank || place.rank == part.rank;
}

// The parts that a report could have blamed by the findings of a metric.
std::vector<Part> parts_at_risk(Metric metric, const Report& report) {
  std::vector<Part> parts;
  if (metric == Metric::kSlowNode || metric == Metric::kSlowLink) {
    if (!reporting::measures_collectives(report) || report.links.empty()) return {};
    if (metric == Metric::kSlowNode) return node_parts(report);
    for (auto& [part, link] : link_parts(report)) parts.push_back(std::move(part));
    return parts;
  }
  if (metric == Metric::kWrongElements) {
    const bool checked = std::ranges::any_of(report.collectives,
                                             [](const auto& run) { return run.wrong.has_value(); });
    return checked ? node_parts(report) : parts;
  }
  std::set<std::string> known;
  for (const PointRecord& run : report.points) {
    if (run.status != PointStatus::kOk || !reporting::has_exchange(run)) continue;
    for (const RankRecord& rank : run.ranks) {
      Part part = device_part(report, run, rank);
      if (known.insert(part.key()).second) parts.push_back(std::move(part));
    }
  }
  return parts;
}

// Every session of a part and class is a start of one series.
Series& series_of_part(std::vector<Series>& all, Part part, const std::string& of_class = "") {
  const std::string key = part.key();
  const auto found = std::ranges::find_if(all, [&](const Series& known) {
    return known.of_class == of_class && known.part.key() == key;
  });
  if (found != all.end()) return *found;
  all.emplace_back().part = std::move(part);
  all.back().of_class = of_class;
  return all.back();
}

// Something that was not done is no gap once it was, in any session.
bool is_made_good(const ReplayRecord& replay, const std::vector<const ReplayRecord*>& all) {
  return std::ranges::any_of(all, [&](const ReplayRecord* one) {
    return !one->digest.empty() && one->host == replay.host && one->device == replay.device &&
           one->rank == replay.rank && one->uuid == replay.uuid && one->work == replay.work &&
           one->precision == replay.precision;
  });
}

using Works = std::set<std::string>;  // "bf16 matrix product"

// A device that left out work which others of its model have: what it did shows not all of it.
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
  using Verdict = reporting::BitsVerdict;
  Start start;
  if (judged.verdict == Verdict::kSame) start.value = 0;
  if (judged.verdict == Verdict::kWrong) start.value = 1;
  (judged.verdict == Verdict::kNotDone ? start.why : start.fact) = judged.why;
  return start;
}

// The same product on the same device in the first seconds.
const FingerprintRecord* burst_of(const Report& report, const FingerprintRecord& held) {
  const auto found = std::ranges::find_if(report.fingerprint, [&](const FingerprintRecord& one) {
    return one.what == MachineRate::kMatrixProduct && one.value && one.rank == held.rank &&
           one.host == held.host && one.device == held.device && one.precision == held.precision &&
           one.threads == held.threads && held.method.starts_with(one.method);
  });
  return found == report.fingerprint.end() ? nullptr : &*found;
}

}  // namespace

bool was_shared(const FingerprintRecord& record) {
  // "throttled: ...; shared: ...", of which only the first may stand alone.
  return !record.disturbed.empty() &&
         (!record.disturbed.starts_with(reporting::finding_kinds::throttled.code) ||
          record.disturbed.find(std::string("; ") + reporting::finding_kinds::shared.code + ":") !=
              std::string::npos);
}

void read_findings(const Rule& rule, const Report& report, std::vector<Series>& all) {
  for (Part& part : parts_at_risk(rule.metric, report)) {
    Start start;
    start.value = 0;
    if (rule.metric == Metric::kStraggler) start.runs = compared_runs(report, part);
    std::string now_and_then;
    for (const Finding& finding : report.findings) {
      if (!names(rule, finding) || !is_blamed(part, finding)) continue;
      if (finding.code == reporting::finding_kinds::straggler_intermittent.code) {
        ++start.now_and_then;
        now_and_then = finding.text;
      } else {
        ++start.value;
        start.fact = finding.text;
      }
    }
    if (start.value == 0) start.fact = now_and_then;
    series_of_part(all, std::move(part)).starts.push_back(std::move(start));
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
  std::vector<Series> all;
  std::map<std::string, Works> by_part;
  for (const reporting::JudgedReplay& judged : reporting::judge_replays(replays)) {
    const ReplayRecord& replay = *judged.replay;
    const bool not_done = judged.verdict == reporting::BitsVerdict::kNotDone;
    if (not_done && is_made_good(replay, replays)) continue;
    const Report& report = *reports_of[&replay];
    const Part part = measured_part(report, replay.host, replay.device, replay.rank);
    by_part[part.key()].insert(replay.precision + " " + replay.work);
    Series& series = series_of_part(all, part);
    series.chip = chip_of(report, part, "");
    series.starts.push_back(start_of(judged));
  }
  add_left_out(by_part, all);
  return all;
}

void read_sustained(const Report& report, std::vector<Series>& all) {
  for (const FingerprintRecord& record : report.fingerprint) {
    if (record.what != MachineRate::kSustainedProduct) continue;
    Start start;
    const bool shared = was_shared(record);  // one that throttles is what is looked for
    if (shared || !record.value) {
      start.why = shared ? kSharedWhy : record.reason;
    } else {
      start.value = *record.value;
      std::tie(start.low, start.high) = std::tie(record.ci95.low, record.ci95.high);
      if (const FingerprintRecord* burst = burst_of(report, record)) start.burst = burst->value;
    }
    series_of_part(all, measured_part(report, record.host, record.device, record.rank),
                   record.device_name + ", " + record.precision + ", " + record.method)
        .starts.push_back(std::move(start));
  }
}

void read_links(const Report& report, std::vector<Series>& all) {
  for (const auto& [part, link] : link_parts(report)) {
    if (!(link->bandwidth_GBps > 0) || !std::isfinite(link->bandwidth_GBps)) continue;
    Start start;
    start.value = link->bandwidth_GBps;
    std::tie(start.low, start.high) = std::tie(link->bandwidth_ci95.low, link->bandwidth_ci95.high);
    series_of_part(all, part).starts.push_back(start);
  }
}

}  // namespace scalemark::acceptance
