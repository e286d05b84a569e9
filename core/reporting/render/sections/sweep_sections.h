// The results of a sweep as titled tables of text, which the console and Markdown share. Private to
// this folder.
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

// Each sweep by itself, then all single runs together (also when there is nothing at all), a blank
// line between; ends with a line end.
std::string sweeps_then_runs(std::span<const Report> reports,
                             const std::function<std::string(const Report&)>& sweep_text,
                             const std::function<std::string(std::span<const Report>)>& runs_text);

}  // namespace scalemark::reporting
