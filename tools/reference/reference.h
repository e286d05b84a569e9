// Descriptions that are made from lists in the code: of report.json report.schema.json and the
// tables of REPORT.md, of a published row published.schema.json, of a status
// status.schema.json and the tables of STATUS.md, the rules of docs/LINT.md, the causes of
// docs/DIAGNOSIS.md, and the words of docs/GLOSSARY.md. Pure.
#pragma once

#include <string>
#include <string_view>

namespace scalemark::reporting {

// JSON Schema 2020-12, as a text with a final line end.
std::string report_schema();

// The same of a line of results/published.
std::string published_schema();

// The same of a run's status.json.
std::string status_schema();

// A section with a table for each record.
std::string field_tables();

// The tables of all kinds of findings.
std::string finding_tables();

// `page` with the text between `<!-- generated: NAME -->` and `<!-- end: NAME -->` replaced, for
// the names "fields", "findings", "tags" and "live tags". Throws bad_data() for a page without
// these lines.
std::string with_tables(std::string_view page);

// The same for the name "words" of docs/GLOSSARY.md.
std::string with_words(std::string_view page);

// The same for the name "causes" of docs/DIAGNOSIS.md.
std::string with_causes(std::string_view page);

// The same for the name "rules" of docs/LINT.md.
std::string with_rules(std::string_view page);

// The same for the names "top" and "metrics" of STATUS.md.
std::string with_live(std::string_view page);

}  // namespace scalemark::reporting
