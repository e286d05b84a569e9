// doctor --measure makes a report of what it finds: the machine, and what it does by itself.
#pragma once

#include "apps/scalemark/command_line.h"
#include "apps/scalemark/machine_probe.h"
#include "core/reporting/record/report.h"
#include "core/settings/reader.h"

namespace scalemark::cli {

// Measures through the engine; on the first GPU where there is one. Takes about 2 s for each
// measurement. Throws what finding torch and loading the engine throw, and the error of a process
// that cannot be set up.
reporting::Report measured_report(const Invocation& invocation, const settings::ToolValues& values,
                                  const ProbedMachine& probed);

}  // namespace scalemark::cli
