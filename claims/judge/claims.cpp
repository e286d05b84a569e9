#include "claims/judge/claims.h"

#include <utility>

#include "core/base/number_words.h"
#include "core/base/record_json.h"
#include "report/judge/judge.h"
#include "report/record/report_fields.h"
#include "report/say/render/junit.h"
#include "report/say/render/sections/claim_sections.h"
#include "report/say/table/text_table.h"

namespace scalemark::claims {
namespace {

using reporting::ClaimRecord;
using reporting::Column;

// Withheld numbers are not shown to people.
std::vector<ClaimRecord> shown(const std::vector<ClaimRecord>& claims) {
  reporting::Report report;
  report.claims = claims;
  return reporting::for_people(std::move(report)).claims;
}

// The counts are the answer, so they stand last and by themselves.
reporting::Section without_counts(const std::vector<ClaimRecord>& claims) {
  reporting::Section section = reporting::claims_section(shown(claims));
  section.title.clear();
  section.lines.pop_back();
  return section;
}

}  // namespace

std::string claims_text(const std::vector<ClaimRecord>& claims, const Terminal& terminal) {
  return reporting::section_text(without_counts(claims), terminal) +
         reporting::claim_counts(claims) + "\n";
}

std::string claims_markdown(const std::vector<ClaimRecord>& claims) {
  return reporting::section_markdown(without_counts(claims)).substr(1) + "\n" +
         reporting::claim_counts(claims) + "\n";
}

std::string claims_csv(const std::vector<ClaimRecord>& claims) {
  const auto number = [](const std::optional<double>& value) {
    return value ? significant(*value, 12) : "";
  };
  std::vector<Column> columns;
  const auto add = [&](const char* head, auto cell) {
    Column& column = columns.emplace_back();
    column.head = {head};
    column.left = true;
    for (const ClaimRecord& claim : claims) column.cells.push_back(cell(claim));
  };
  add("row", [](const ClaimRecord& c) { return c.row; });
  add("table", [](const ClaimRecord& c) { return c.table; });
  add("what", [](const ClaimRecord& c) { return c.what; });
  add("metric", [](const ClaimRecord& c) { return c.metric; });
  add("claimed_low", [&](const ClaimRecord& c) { return number(c.claimed_low); });
  add("claimed_high", [&](const ClaimRecord& c) { return number(c.claimed_high); });
  add("measured", [&](const ClaimRecord& c) { return number(c.measured); });
  add("measured_low", [&](const ClaimRecord& c) { return number(c.measured_ci95_low); });
  add("measured_high", [&](const ClaimRecord& c) { return number(c.measured_ci95_high); });
  add("tolerance", [&](const ClaimRecord& c) { return number(c.tolerance); });
  add("basis", [](const ClaimRecord& c) { return c.basis; });
  add("verdict", [](const ClaimRecord& c) { return std::string(name_of(c.verdict)); });
  add("reason", [](const ClaimRecord& c) { return c.reason; });
  return reporting::set_csv(columns);
}

std::string claims_json_lines(const std::vector<ClaimRecord>& claims) {
  std::string text;
  for (const ClaimRecord& claim : claims) {
    text += dumped(as_json(claim, "claim")) + "\n";
  }
  return text;
}

std::string claims_junit(const std::vector<ClaimRecord>& claims, const std::string& started) {
  return reporting::junit_xml({{.name = "published claims",
                                .started = started,
                                .host = {},
                                .properties = {},
                                .cases = reporting::claim_cases(shown(claims)),
                                .output = {},
                                .errors = {}}});
}

}  // namespace scalemark::claims
