// Reports as JSON text and back: schema scalemark.report/1 (report.schema.json,
// REPORT.md). Knows no files.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/record/report.h"

namespace scalemark::reporting {

// Writes JSON with an indent of 2, numbers that read back bit by bit, and U+FFFD for bytes that are
// not UTF-8. Unset members are left out. Throws bug() for a number that is not finite: JSON has
// none, and null would be read as unset.
std::string to_json(const Report& report);

// Ignores unknown fields. Throws bad_data() (65) naming `origin` for text that is not JSON, for
// another schema, and for a field that is missing or of the wrong type.
Report report_from_json(std::string_view text, std::string_view origin);

// Writes the report as JSON lines: first the report without most of its lists, then their entries,
// one on each line. The field `record` names the kind of a line (report | point | group | finding |
// ...), `run_id` ties the lines together, and `lines` of the first counts the others. Every line
// has its end.
std::string to_json_lines(const Report& report);

// Reads the reports in a text: one in the form of to_json(), or any number in that of
// to_json_lines(). Throws like report_from_json(), naming the numbers of JSON lines, and for lines
// that are no whole report.
std::vector<Report> reports_from(std::string_view text, std::string_view origin);

// Writes and reads one line of journal.jsonl, without the end of line: a PointRecord,
// CollectiveRecord, Finding or ErrorRecord, or an array of LinkRecord or TelemetryRecord. Messages
// call the record `name`.
template <class T>
std::string to_json_line(const T& value, const char* name);
template <class T>
T from_json_line(std::string_view text, const char* name, std::string_view origin);

std::string to_json_line(std::string_view text);  // quoted and escaped

}  // namespace scalemark::reporting
