// Options of a sweep have effects: these are the sections for the console and Markdown. Private to
// this folder.
#pragma once

#include <vector>

#include "core/reporting/render/sections/sweep_sections.h"

namespace scalemark::reporting {

// The answer of --tune, effects, and limits of communication: those with content.
std::vector<Section> effect_sections(const Report& report);

}  // namespace scalemark::reporting
