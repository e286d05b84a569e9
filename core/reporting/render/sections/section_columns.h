// Columns of the sections of a sweep, from records. Private to this folder.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/reporting/record/sweep_records.h"
#include "core/reporting/render/sections/sweep_sections.h"

namespace scalemark::reporting {

std::string milliseconds(double seconds);

// Shows one slice: speed-up and efficiency, and, where runs have phases, what is lost to what.
std::vector<Section> scaling_sections(const ScalingTable& table,
                                      const std::vector<ScalingTable>& all);

}  // namespace scalemark::reporting
