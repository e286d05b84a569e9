// Reports as JSON text and back: schema scalemark.report/1 (docs/report.schema.json,
// docs/REPORT.md). Knows no files.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/record/report.h"

namespace scalemark::reporting {

// Two-space indented, numbers that read back bit by bit, text that is not UTF-8 repaired with
// U+FFFD. What is absent in the record is absent in the text. Throws bug() for a number that is not
// finite: JSON has none, and null would be read as "absent".
std::string to_json(const Report& report);

// Unknown fields are ignored. Throws bad_data() (65) naming `origin` for text that is not JSON, for
// another schema, and for a field that is missing or of the wrong type.
Report report_from_json(std::string_view text, std::string_view origin);

// The report as JSON lines, each with its end: first the report without most of its lists, then
// their entries, one on each line. Field `record` says what a line is (report | point | group |
// finding | ...), `run_id` ties them, and `lines` of the first counts the others.
std::string to_json_lines(const Report& report);

// The reports in a text: one as to_json() writes it, or any number as to_json_lines() does. Throws
// as report_from_json(), of JSON lines with their numbers, and for lines that are no whole report.
std::vector<Report> reports_from(std::string_view text, std::string_view origin);

// One line of journal.jsonl, without the end of line, and back: of a PointRecord, CollectiveRecord,
// Finding or ErrorRecord, or an array of LinkRecord or TelemetryRecord. `name` stands for the
// record in messages.
template <class T>
std::string to_json_line(const T& value, const char* name);
template <class T>
T from_json_line(std::string_view text, const char* name, std::string_view origin);

std::string to_json_line(std::string_view text);  // quoted and escaped

}  // namespace scalemark::reporting
