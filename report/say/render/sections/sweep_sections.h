// Shows the results of a report as titled tables of text, which the console, Markdown and the page
// share.
#pragma once

#include <algorithm>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/base/text.h"
#include "report/record/records.h"
#include "report/record/report.h"
#include "report/say/table/text_table.h"
#include "report/say/words/words.h"

namespace scalemark::reporting {

// Whether the report holds more than single points: a sweep, or collectives.
bool is_sweep(const Report& report);

// Returns one section each, unless it is empty, for claims, collectives, scaling tables, groups,
// ranks, links, data gaps, drift, predictions, findings, errors.
std::vector<Section> sweep_sections(const Report& report);

// Returns one section each, unless it is empty, for the answer of --tune, effects, and limits of
// communication.
std::vector<Section> effect_sections(const Report& report);

// Returns one section each, unless it is empty, for where variance comes from, and what
// --communication-cost measured.
std::vector<Section> precision_sections(const Report& report);

// Shows one slice: speed-up and efficiency, and, where runs have phases, what is lost to what.
std::vector<Section> scaling_sections(const ScalingTable& table,
                                      const std::vector<ScalingTable>& all);

// Returns one section each, unless it is empty, for tables, winning backends, effects, fits, and
// what was not measured.
std::vector<Section> collective_sections(const Report& report);
// Makes one table per collective, data type, backend, way of calling and number of ranks, in the
// layout of nccl-tests, with a line per size. The title has what is the same in all lines. Where
// both were measured, out of place and in place stand side by side, and latencies have a table of
// their own.
std::vector<Section> collective_tables(const std::vector<CollectiveGroup>& groups);
Section links_section(const std::vector<LinkRecord>& links);

// Returns up to three sections, without those that have nothing to show: the machines by
// themselves; the attempts of runs that were measured several times, in order; and telemetry, with
// a row for each source, its extremes over runs, hosts and devices, and where those are.
std::vector<Section> machine_sections(const Report& report);

std::string two_digits_ms(double seconds);

// Writes each sweep by itself, then all single runs together (also when there is nothing at all),
// with a blank line between. It ends with a line end.
std::string sweeps_then_runs(std::span<const Report> reports,
                             const std::function<std::string(const Report&)>& sweep_text,
                             const std::function<std::string(std::span<const Report>)>& runs_text);

// Lists rows without a number and why, once for each group and reason. Private to this folder.
// `rows` are points or collectives.
template <class Row>
Section not_measured_section(const std::vector<Row>& rows) {
  struct Reason {
    const Row* run;
    int runs = 0;
  };
  std::vector<Reason> reasons;
  for (const Row& run : rows) {
    if (run.status == PointStatus::kOk) continue;
    const auto same = [&](const Reason& known) {
      return known.run->group == run.group && known.run->status == run.status &&
             known.run->reason == run.reason;
    };
    const auto known = std::ranges::find_if(reasons, same);
    if (known == reasons.end()) {
      reasons.push_back({&run, 1});
    } else {
      ++known->runs;
    }
  }
  Section section{"Not measured", {}, {}};
  for (const auto& [run, runs] : reasons) {
    std::string line = run->group + ": " + std::string(name_of(run->status));
    if (runs > 1) line += " in " + counted(runs, "run");
    section.lines.push_back(line + (run->reason.empty() ? "" : ", " + run->reason));
  }
  return section;
}

}  // namespace scalemark::reporting
