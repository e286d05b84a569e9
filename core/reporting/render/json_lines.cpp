#include <map>
#include <nlohmann/json.hpp>

#include "core/reporting/record/report_json.h"
#include "core/reporting/render/render.h"

namespace scalemark::reporting {
namespace {

using Json = nlohmann::ordered_json;

std::string line_of(const char* record, const std::string& run_id, const Json& fields) {
  Json line = {{"record", record}, {"run_id", run_id}};
  for (const auto& [key, value] : fields.items()) line[key] = value;
  return line.dump() + "\n";
}

}  // namespace

std::string render_json_lines(std::span<const Report> reports) {
  static const std::map<std::string, const char*> kLists = {
      {"points", "point"},
      {"groups", "group"},
      {"scaling", "scaling"},
      {"stragglers", "straggler"},
      {"data_gaps", "data_gap"},
      {"sessions", "session"},
      {"effects", "effect"},
      {"tuning", "tuning"},
      {"communication_limits", "communication_limit"},
      {"devices", "device"},
      {"predictions", "prediction"},
      {"findings", "finding"},
      {"telemetry", "telemetry"},
      {"health", "health"},
      {"collectives", "collective"},
      {"collective_groups", "collective_group"},
      {"collective_winners", "collective_winners"},
      {"collective_fits", "collective_fit"},
      {"links", "link"},
      {"errors", "error"}};
  std::string text;
  for (const Report& report : reports) {
    Json whole = Json::parse(to_json(report));
    Json rest = Json::object();
    std::string lines;
    for (const auto& [key, value] : whole.items()) {
      const auto list = kLists.find(key);
      if (list == kLists.end()) {
        rest[key] = value;
        continue;
      }
      for (const Json& entry : value) lines += line_of(list->second, whole["run_id"], entry);
    }
    text += line_of("report", whole["run_id"], rest) + lines;
  }
  return text;
}

}  // namespace scalemark::reporting
