// Random extreme reports, to find what a renderer cannot handle.
#pragma once

#include <cstdint>

#include "report/record/report.h"

namespace scalemark::reporting {

// The same report for the same seed. Its summary is summarise_sweep()'s, its numbers are finite,
// and everything else may be missing, empty, enormous or malicious.
Report generated_report(std::uint64_t seed);

}  // namespace scalemark::reporting
