// The fields of a report, a published row and a status as data: *.schema.json and the tables
// of REPORT.md and STATUS.md are made of them. Knows none of these forms.
#pragma once

#include <string>
#include <vector>

#include "core/base/field.h"

namespace scalemark::reporting {

enum class FieldKind {
  kTruth,
  kWhole,
  kNumber,
  kText,
  kTime,      // RFC 3339, UTC
  kWord,      // one of `words`
  kConstant,  // words[0]
  kPair,      // [low, high]
  kFree,      // an object whose keys are data
  kRecord,    // an object with fields of its own: `record`
};
enum class Nesting { kOne, kList, kMap };
enum class Presence { kAlways, kMayBeAbsent, kWhenOk };

struct FieldEntry {
  std::string name;
  FieldKind kind = FieldKind::kText;
  Nesting nesting = Nesting::kOne;
  Presence presence = Presence::kAlways;
  std::string record;
  std::vector<std::string> words;
  std::string meaning, unit;
  double least = 0;  // -infinity: any number is allowed
  Holds holds = Holds::kNothing;
};

struct RecordEntry {
  std::string name, meaning;
  std::vector<FieldEntry> fields;
};

// "report" first, then each record in the order in which fields refer to them. Throws bug() for a
// text, or a map, that does not say what it holds: --redact goes by that.
std::vector<RecordEntry> report_records();

// "row", then its records: a line of results/published.
std::vector<RecordEntry> published_records();

// "status", then its records: status.json.
std::vector<RecordEntry> status_records();

// "now", then its records: what `top --format json` adds to a status.
std::vector<RecordEntry> top_records();

}  // namespace scalemark::reporting
