// Collectives as sections for the console and Markdown: tables in the layout of nccl-tests. Private
// to this folder.
#pragma once

#include <string>
#include <vector>

#include "core/reporting/render/sections/sweep_sections.h"

namespace scalemark::reporting {

// Tables, winning backends, effects, fits, and what was not measured: those with content.
std::vector<Section> collective_sections(const Report& report);

Section links_section(const std::vector<LinkRecord>& links);

}  // namespace scalemark::reporting
