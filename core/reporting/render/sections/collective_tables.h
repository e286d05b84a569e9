// Tables of collectives in the layout of nccl-tests. Private to this folder.
#pragma once

#include <vector>

#include "core/reporting/render/sections/sweep_sections.h"

namespace scalemark::reporting {

// One per collective, data type, backend, way of calling and ranks; a line per size. What is the
// same in all lines stands in the title. Where both were measured, out of place and in place stand
// side by side, and latencies have a table of their own.
std::vector<Section> collective_tables(const std::vector<CollectiveGroup>& groups);

}  // namespace scalemark::reporting
