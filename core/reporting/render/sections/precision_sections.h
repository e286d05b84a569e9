// Sections on how well points are known over their repetitions. Private to this folder.
#pragma once

#include <vector>

#include "core/reporting/render/sections/sweep_sections.h"

namespace scalemark::reporting {

// Where variance comes from, and what --communication-cost measured: those with content.
std::vector<Section> precision_sections(const Report& report);

}  // namespace scalemark::reporting
