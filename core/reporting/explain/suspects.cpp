#include <algorithm>
#include <set>

#include "core/base/number_words.h"
#include "core/reporting/explain/parts.h"
#include "core/reporting/record/finding_kinds.h"
#include "core/reporting/record/verdict.h"

namespace scalemark::reporting {
namespace {

namespace kinds = finding_kinds;

constexpr double kSlowDevice = 0.02;  // below the median of the others

std::string place_of(const std::string& host, const std::string& device) {
  return device.empty() ? host : device + " of " + host;
}

std::string text_of(const DeviceRecord& device) {
  return place_of(device.host, device.device) + ": by itself " + percent(-*device.deviation) +
         " slower than the median of the others (" + percent_text(-*device.deviation_ci95.high) +
         " to " + percent_text(-*device.deviation_ci95.low) + ")";
}

bool is_slow(const DeviceRecord& device) {
  return device.deviation && device.deviation_ci95 && *device.deviation_ci95.high < -kSlowDevice;
}

void add_links(const Report& report, std::vector<std::string>& all) {
  for (const Finding& finding : report.findings) {
    if (role_of(finding.code) == FindingRole::kNamesLink) all.push_back(finding.text);
  }
}

bool is_at(const EffectRecord& effect, const ScalingRow& row) {
  const auto ranks = effect.fixed.find("world_size");
  return effect.axis != "world_size" && ranks != effect.fixed.end() &&
         ranks->second == std::to_string(row.world_size);
}

}  // namespace

std::vector<std::string> slow_parts(const Report& report, const ScalingRow& row,
                                    const std::vector<const Report*>& collectives) {
  std::vector<std::string> all;
  for (const Finding& finding : report.findings) {
    const auto is_it = [&](const Straggler& rank) {
      return rank.group == row.group && is_named(rank.verdict) && names(finding, rank);
    };
    if (std::ranges::any_of(report.stragglers, is_it)) all.push_back(brief_text(finding));
  }
  std::set<std::string> told;  // a device stands in each solo group
  for (const DeviceRecord& device : report.devices) {
    if (!is_slow(device) || !told.insert(place_of(device.host, device.device)).second) continue;
    all.push_back(text_of(device));
  }
  add_links(report, all);
  for (const Report* measured : collectives) add_links(*measured, all);
  return all;
}

std::vector<std::string> disturbances(const Report& report, const ChosenRow& chosen) {
  const auto is_in = [&](const std::string& id) {
    const auto holds = [&](const auto& ids) { return std::ranges::find(ids, id) != ids.end(); };
    return holds(chosen.row->points) || holds(chosen.table->baseline_points);
  };
  const auto is_found = [&](std::string_view code) {
    return std::ranges::any_of(report.findings, [&](const Finding& finding) {
      return finding.code == code && is_in(finding.point);
    });
  };
  std::vector<std::string> all;
  const auto& verdict = report.verdict;
  for (const VerdictReason& reason : verdict ? verdict->reasons : std::vector<VerdictReason>()) {
    if (disturbs(reason.code) && is_found(reason.code)) all.push_back(reason.text);
  }
  for (const Finding& finding : report.findings) {
    if (finding.code != kinds::gpu_waits.code || !is_in(finding.point)) continue;
    all.push_back(finding.text);
    break;
  }
  return all;
}

bool compares_options(const Report& report, const ScalingRow& row) {
  return std::ranges::any_of(report.effects,
                             [&](const EffectRecord& effect) { return is_at(effect, row); });
}

const EffectRecord* best_effect(const Report& report, const ScalingRow& row) {
  const EffectRecord* best = nullptr;
  for (const EffectRecord& effect : report.effects) {
    const bool helps = effect.verdict == statistics::EffectVerdict::kReal && effect.ratio > 1;
    if (!helps || effect.standing.is_withheld() || !is_at(effect, row)) continue;
    const auto proven = [](const EffectRecord& one) {
      return one.ratio_ci95.low.value_or(one.ratio);
    };
    if (!best || proven(effect) > proven(*best)) best = &effect;
  }
  return best;
}

}  // namespace scalemark::reporting
