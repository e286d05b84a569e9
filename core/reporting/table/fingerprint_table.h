// The fingerprint of machines as columns: for doctor, and for the table of single runs and the
// sections of a sweep. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/reporting/record/report.h"
#include "core/reporting/table/text_table.h"

namespace scalemark::reporting {

inline constexpr const char* kFingerprintTitle = "What the machine does by itself";

// One row per measurement; host and device where there are several. `records` is not empty.
std::vector<Column> fingerprint_columns(const std::vector<FingerprintRecord>& records);

// Explains the columns, and why rows have no rate: one sentence each.
std::vector<std::string> fingerprint_notes(const std::vector<FingerprintRecord>& records);

// "matrix product fp32"
std::string name_in_words(const FingerprintRecord& record);

// "143.2 GFLOP/s": four digits, with a decimal prefix where the unit takes one. Counts have no
// unit.
std::string rate_text(double value, const std::string& unit);

// "142.0 .. 144.1", with the prefix that `value` has; "-" without an interval.
std::string rate_interval_text(const FingerprintRecord& record);

}  // namespace scalemark::reporting
