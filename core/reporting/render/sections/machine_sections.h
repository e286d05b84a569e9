// The machine by itself and during the windows, and runs that were measured more than once, as
// titled tables of text for Markdown. Private to this folder.
#pragma once

#include <optional>

#include "core/reporting/record/report.h"
#include "core/reporting/render/sections/sweep_sections.h"

namespace scalemark::reporting {

// One row per source, with its extremes over runs, hosts and devices, and where those are. Absent
// without telemetry.
std::optional<Section> machine_section(const Report& report);

// Shows what the machines do by themselves. Absent where it was not measured.
std::optional<Section> fingerprint_section(const Report& report);

// Each attempt of the runs that have several, in order. Absent without any.
std::optional<Section> attempts_section(const Report& report);

}  // namespace scalemark::reporting
