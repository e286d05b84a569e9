// Devices by themselves, as columns: for the table of single runs and the sections of a sweep.
// Pure.
#pragma once

#include <string>
#include <vector>

#include "core/reporting/record/report.h"
#include "core/reporting/table/text_table.h"

namespace scalemark::reporting {

inline constexpr const char* kDevicesTitle = "Devices, each by itself (no exchange)";

// One row per device and point with no exchange; columns of what is known. `devices` is not empty.
std::vector<Column> device_columns(const std::vector<DeviceRecord>& devices);

// Explains the columns in one sentence.
std::string devices_note();

}  // namespace scalemark::reporting
