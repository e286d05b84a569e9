// Phrases that the sections of a sweep and its summary share. Private to this folder.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/reporting/record/sweep_records.h"
#include "core/reporting/render/text.h"
#include "core/reporting/table/row_text.h"
#include "core/reporting/table/text_table.h"

namespace scalemark::reporting {

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
