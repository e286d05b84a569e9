#include "core/reporting/render/sweep_words.h"

#include <algorithm>

#include "core/catalogue/strategy.h"
#include "core/reporting/render/sweep_sections.h"
#include "core/reporting/render/text.h"

namespace scalemark::reporting {

std::string counted(int n, const char* noun) {
  return std::to_string(n) + " " + noun + (n == 1 ? "" : "s");
}

std::string share_interval(const std::optional<double>& low, const std::optional<double>& high) {
  return interval_text(low, high, percent_text);
}

std::string slice_text(const ScalingTable& table, const std::vector<ScalingTable>& all) {
  std::string text;
  for (const auto& [name, value] : table.fixed) {
    const auto differs = [&](const ScalingTable& other) {
      const auto found = other.fixed.find(name);
      return found == other.fixed.end() || found->second != value;
    };
    const bool is_size = name == (table.kind == "weak" ? "batch_size" : "global_batch_size");
    if (!is_size && std::ranges::none_of(all, differs)) continue;
    std::string words = name;
    std::ranges::replace(words, '_', ' ');
    text += ", " + words + " " + value;
  }
  return table.kind + text;
}

namespace {

// Solo points train replicas that share nothing, so none of them counts as the fastest point.
bool is_solo(const Report& report, const GroupRecord& group) {
  const auto run = std::ranges::find(report.points, group.group, &PointRecord::group);
  return run != report.points.end() && !catalogue::exchanges(run->strategy) && run->world_size > 1;
}

const GroupRecord* fastest(const Report& report) {
  const GroupRecord* best = nullptr;
  for (const GroupRecord& group : report.groups) {
    if (!group.samples_per_sec || is_solo(report, group)) continue;
    if (!best || *group.samples_per_sec > *best->samples_per_sec) best = &group;
  }
  return best;
}

std::string drift_sentence(const Drift& drift) {
  std::string text = "Over the sweep speed moved by " + percent_text(drift.per_sweep) + " %";
  if (drift.ci95_low && drift.ci95_high) {
    text += " (95 % interval " + share_interval(drift.ci95_low, drift.ci95_high) + ")";
  }
  return text + ".";
}

// The widest row that communicates of each slice.
std::vector<std::string> efficiency_sentences(const Report& report) {
  std::vector<std::string> sentences;
  for (const ScalingTable& table : report.scaling) {
    const ScalingRow* last = nullptr;
    for (const ScalingRow& row : table.rows) {
      if (catalogue::exchanges(row.strategy) && row.world_size > 1) last = &row;
    }
    if (!last) continue;
    std::string text = slice_text(table, report.scaling) + ": " + std::to_string(last->world_size) +
                       " ranks reach " + readable(last->speedup) + "x, efficiency " +
                       percent_text(last->efficiency) + " %";
    if (last->efficiency_ci95_low && last->efficiency_ci95_high) {
      text += " (" + share_interval(last->efficiency_ci95_low, last->efficiency_ci95_high) + ")";
    }
    if (!last->in_words.empty()) text += "; " + last->in_words;
    sentences.push_back(text + ".");
  }
  return sentences;
}

}  // namespace

std::vector<std::string> summary_in_words(const Report& report) {
  std::vector<std::string> sentences;
  int runs = 0, ok = 0, without = 0;
  for (const GroupRecord& group : report.groups) {
    for (const auto& [status, count] : group.status_counts) runs += count;
    ok += group.n;
    without += group.n == 0;
  }
  sentences.push_back(counted(static_cast<int>(report.groups.size()), "point") + ", " +
                      counted(runs, "run") + ", " + std::to_string(ok) + " of them measured.");
  if (const GroupRecord* best = fastest(report)) {
    std::string text =
        "Fastest: " + best->group + " with " + readable(*best->samples_per_sec) + " samples/s";
    if (best->ci95_low && best->ci95_high) {
      text += " (95 % interval " + interval_text(best->ci95_low, best->ci95_high, readable) + ")";
    }
    sentences.push_back(text + ".");
  } else if (ok == 0 && !report.groups.empty()) {
    sentences.push_back("No point could be measured.");
  }
  for (auto& sentence : efficiency_sentences(report)) sentences.push_back(std::move(sentence));
  if (report.drift) sentences.push_back(drift_sentence(*report.drift));
  if (without > 0) sentences.push_back(counted(without, "point") + " without a result.");
  const auto warnings = std::ranges::count_if(
      report.findings, [](const Finding& finding) { return finding.severity != "info"; });
  if (warnings > 0) {
    sentences.push_back(counted(static_cast<int>(warnings), "warning") +
                        ", listed under findings.");
  } else if (without == 0) {
    sentences.push_back("Nothing to warn of.");
  }
  return sentences;
}

}  // namespace scalemark::reporting
