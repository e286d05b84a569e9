#include "core/live/status.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/base/record_json.h"
#include "core/base/strict_json.h"

namespace scalemark::live {

// Two ranks that read at once see each counter at a time of its own, so that neither reading is the
// newer one in all of them.
void keep_newest(std::map<std::string, NodeStatus>& by_host, const std::string& host,
                 NodeStatus reading) {
  NodeStatus& kept = by_host[host];
  if (reading.clock_s >= kept.clock_s) std::swap(reading, kept);
  const auto keep_larger = [](auto& mine, const auto& others, auto value) {
    mine.*value = std::max(mine.*value, others.*value);
  };
  for (const auto& one : kNodeNumbers) {
    if (one.is.kind == monitoring::SourceKind::kCounter) keep_larger(kept, reading, one.value);
  }
  keep_larger(kept, reading, &NodeStatus::sampler_cpu_s);
  for (InterfaceStatus& is : kept.interfaces) {
    const auto other = std::ranges::find(reading.interfaces, is.name, &InterfaceStatus::name);
    if (other == reading.interfaces.end()) continue;
    for (const auto& one : kInterfaceNumbers) keep_larger(is, *other, one.value);
  }
  kept.host = host;
}

std::string to_json(const Status& status) { return dumped(as_json(status, "status"), 1) + "\n"; }

Status parse_status(std::string_view text, std::string_view origin) {
  const std::string where(origin);
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos)
    throw bad_data("'" + where + "' is empty", "a status.json of a run is expected");
  if (nests_too_deep(text)) throw bad_data("'" + where + "' nests deeper than any status");
  const FieldJson json = FieldJson::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object() || !json.contains("schema"))
    throw bad_data("'" + where + "' is no status of a run",
                   "a status.json, or the output folder that holds it, is expected");
  if (json["schema"] != FieldJson(std::string(kStatusSchema))) {
    throw bad_data("'" + where + "' has the schema " + json["schema"].dump(),
                   std::string(kStatusSchema) + " is expected",
                   "read it with the version of scalemark that wrote it");
  }
  return record_in<Status>(json, where.c_str());
}

}  // namespace scalemark::live
