// The numbers of a scaling row in words, worded once: answer, tables, sentences and explain say the
// same speed-up in the same digits. Pure.
#pragma once

#include <string>

#include "core/reporting/record/sweep_records.h"

namespace scalemark::reporting {

// "1.41", "12.1"; "~1.4" of two digits (surety.h); "withheld". kAbsent where the row has none.
std::string speed_up_text(const ScalingRow& row);

// In %, with `unit` behind it: "70", "70.3" where the 95 % interval is narrower than two points.
std::string efficiency_text(const ScalingRow& row, const std::string& unit = "");

// "64 .. 77" in as many digits, or what stands in its place: "one run", "not known (2 runs)".
// `between`: of both ends.
std::string efficiency_interval(const ScalingRow& row, const char* between = " .. ");

}  // namespace scalemark::reporting
