#include <cmath>
#include <nlohmann/json.hpp>

#include "core/live/status.h"
#include "report/record/report.h"
#include "tools/reference/field_list.h"
#include "tools/reference/reference.h"

namespace scalemark::reporting {
namespace {

using Json = nlohmann::ordered_json;

Json number(const char* type, double least) {
  Json schema{{"type", type}};
  if (std::isfinite(least)) schema["minimum"] = static_cast<std::int64_t>(least);
  return schema;
}

// Returns the schema of one value, apart from lists and maps of it.
Json value_schema(const FieldEntry& field) {
  switch (field.kind) {
    case FieldKind::kTruth:
      return {{"type", "boolean"}};
    case FieldKind::kWhole:
      return number("integer", field.least);
    case FieldKind::kNumber:
      return number("number", field.least);
    case FieldKind::kText:
      return {{"type", "string"}};
    case FieldKind::kTime:
      return {{"type", "string"}, {"pattern", R"(^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$)"}};
    case FieldKind::kWord:
      return {{"enum", field.words}};
    case FieldKind::kConstant:
      return {{"const", field.words.at(0)}};
    case FieldKind::kPair:
      return {{"type", "array"},
              {"items", number("number", field.least)},
              {"minItems", 2},
              {"maxItems", 2}};
    case FieldKind::kFree:
      return {{"type", "object"}};
    case FieldKind::kRecord:
      return {{"$ref", "#/$defs/" + field.record}};
  }
  return {};
}

Json field_schema(const FieldEntry& field) {
  Json schema = value_schema(field);
  if (field.nesting == Nesting::kList) schema = Json{{"type", "array"}, {"items", schema}};
  if (field.nesting == Nesting::kMap) {
    schema = Json{{"type", "object"}, {"additionalProperties", schema}};
  }
  schema["description"] = field.meaning + (field.unit.empty() ? "" : " [" + field.unit + "]");
  return schema;
}

Json names_of(const RecordEntry& record, Presence presence) {
  Json names = Json::array();
  for (const FieldEntry& field : record.fields) {
    if (field.presence == presence) names.push_back(field.name);
  }
  return names;
}

Json conditions(const char* field, const char* value, Json then, Json otherwise) {
  return Json::array({{{"if", {{"properties", {{field, {{"const", value}}}}}}},
                       {"then", std::move(then)},
                       {"else", std::move(otherwise)}}});
}

void add_conditions(Json& schema, const RecordEntry& record) {
  if (record.name == "report") {
    schema["allOf"] = conditions("status", "partial", {{"not", {{"required", {"exit_code"}}}}},
                                 {{"required", {"exit_code", "finished"}}});
  }
  if (record.name == "point" || record.name == "collective") {
    schema["allOf"] =
        conditions("status", "ok", {{"required", names_of(record, Presence::kWhenOk)}},
                   {{"required", {"reason"}}});
  }
}

void describe(Json& schema, const RecordEntry& record) {
  schema["description"] = record.meaning;
  schema["type"] = "object";
  schema["required"] = names_of(record, Presence::kAlways);
  Json& properties = schema["properties"] = Json::object();
  for (const FieldEntry& field : record.fields) properties[field.name] = field_schema(field);
  add_conditions(schema, record);
}

std::string schema_of(const std::vector<RecordEntry>& records, const char* id, const char* title) {
  Json schema{
      {"$schema", "https://json-schema.org/draft/2020-12/schema"}, {"$id", id}, {"title", title}};
  describe(schema, records.front());
  for (std::size_t i = 1; i < records.size(); ++i)
    describe(schema["$defs"][records[i].name], records[i]);
  return schema.dump(2) + "\n";
}

}  // namespace

std::string report_schema() { return schema_of(report_records(), kSchema, "scalemark report"); }

std::string published_schema() {
  return schema_of(published_records(), "scalemark.published/1", "a row of results/published");
}

std::string status_schema() {
  return schema_of(status_records(), live::kStatusSchema.data(), "a run as it stands: status.json");
}

}  // namespace scalemark::reporting
