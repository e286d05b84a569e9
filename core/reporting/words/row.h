// The numbers of a scaling row in words, worded once: answer, tables, sentences and explain say the
// same speed-up in the same digits. Pure.
#pragma once

#include <string>
#include <vector>

#include "core/reporting/record/sweep_records.h"
#include "core/reporting/table/text_table.h"

namespace scalemark::reporting {

// "1.41", "12.1"
std::string speed_up_digits(double factor);
// Of a row; "~1.4" of two digits (surety.h); "withheld". kAbsent where the row has none.
std::string speed_up_text(const ScalingRow& row);

// In %, with `unit` behind it: "70", "70.3" where the 95 % interval is narrower than two points.
std::string efficiency_text(const ScalingRow& row, const std::string& unit = "");

// "64 .. 77" in as many digits, or what stands in its place: "one run", "not known (2 runs)".
// `between`: of both ends.
std::string efficiency_interval(const ScalingRow& row, const char* between = " .. ");

// "2 ranks give 1.41x of the 2.00x that would be ideal: efficiency 70 % (95 %: 64 to 77)". For a
// row with a speed-up.
std::string scaling_in_words(const ScalingRow& row);

// "7,377", "12.3": four digits or more.
std::string rate_text(double value);
// "~53" of two digits (surety.h); "withheld". kAbsent where the group has none.
std::string rate_text(const GroupRecord& group);

// "81.2 .. 82.9": both ends, since an interval of a ratio is not symmetric.
inline std::string share_interval(const Bounds& bounds) {
  return interval_text(bounds, percent_text);
}

// "weak, batch size 64, workload mlp": the kind, the size, and the values in which this slice
// differs from the others of its report.
std::string slice_text(const ScalingTable& table, const std::vector<ScalingTable>& all);

// "bucket cap mb"; the name of a variable ("env.NAME") is to be recognised, and stays.
std::string option_in_words(std::string option);

}  // namespace scalemark::reporting
