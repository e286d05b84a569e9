// The results of a report as titled tables of text, which the console and Markdown share.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/reporting/record/report.h"
#include "core/reporting/table/section.h"

namespace scalemark::reporting {

// True for a report that holds more than single points: a sweep, or collectives.
bool is_sweep(const Report& report);

// Claims, collectives, scaling tables, groups, ranks, links, data gaps, drift, predictions,
// findings, errors: those with content.
std::vector<Section> sweep_sections(const Report& report);

// The answer of --tune, effects, and limits of communication: those with content.
std::vector<Section> effect_sections(const Report& report);

// Where variance comes from, and what --communication-cost measured: those with content.
std::vector<Section> precision_sections(const Report& report);

// Shows one slice: speed-up and efficiency, and, where runs have phases, what is lost to what.
std::vector<Section> scaling_sections(const ScalingTable& table,
                                      const std::vector<ScalingTable>& all);

// Tables, winning backends, effects, fits, and what was not measured: those with content.
std::vector<Section> collective_sections(const Report& report);
// One per collective, data type, backend, way of calling and ranks, in the layout of nccl-tests; a
// line per size. What is the same in all lines stands in the title. Where both were measured, out
// of place and in place stand side by side, and latencies have a table of their own.
std::vector<Section> collective_tables(const std::vector<CollectiveGroup>& groups);
Section links_section(const std::vector<LinkRecord>& links);

// The machines by themselves; each attempt of the runs that have several, in order; one row
// per source of telemetry, with its extremes over runs, hosts and devices, and where those are:
// those that were measured.
std::vector<Section> machine_sections(const Report& report);

std::string two_digits_ms(double seconds);

// Each sweep by itself, then all single runs together (also when there is nothing at all), a blank
// line between; ends with a line end.
std::string sweeps_then_runs(std::span<const Report> reports,
                             const std::function<std::string(const Report&)>& sweep_text,
                             const std::function<std::string(std::span<const Report>)>& runs_text);

}  // namespace scalemark::reporting
