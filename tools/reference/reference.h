// The two descriptions of report.json that are made from its list of fields:
// docs/report.schema.json and the tables of docs/REPORT.md. Pure.
#pragma once

#include <string>
#include <string_view>

namespace scalemark::reporting {

// JSON Schema 2020-12, as a text with a final line end.
std::string report_schema();

// A section with a table for each record.
std::string field_tables();

// The tables of all kinds of findings.
std::string finding_tables();

// `page` with the text between `<!-- generated: NAME -->` and `<!-- end: NAME -->` replaced, for
// the names "fields" and "findings". Throws bad_data() for a page without these lines.
std::string with_tables(std::string_view page);

}  // namespace scalemark::reporting
