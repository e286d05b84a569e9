// An error record as JSON: between ranks, in a launcher's error file. The report has names of its
// own for some fields (docs/REPORT.md).
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "core/base/error.h"

namespace scalemark {

// Every text field is there, empty or not; rank and step only where they are known.
nlohmann::json to_json_value(const ErrorRecord& record);

// Absent when a field is missing or of another type. Unknown fields are ignored.
std::optional<ErrorRecord> error_from_json(const nlohmann::json& value);

}  // namespace scalemark
