#include "core/live/status.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/base/json_depth.h"
#include "core/base/json_reader.h"
#include "core/base/json_writer.h"

namespace scalemark::live {

// The work that a machine's CPUs have done says which of two readings is the newer one.
void keep_newest(std::map<std::string, NodeStatus>& by_host, const std::string& host,
                 const NodeStatus& reading) {
  NodeStatus& kept = by_host[host];
  if (reading.busy_cpu_s < kept.busy_cpu_s) return;
  const auto sampler_cpu_s = std::max(kept.sampler_cpu_s, reading.sampler_cpu_s);
  kept = reading;
  kept.host = host;
  kept.sampler_cpu_s = sampler_cpu_s;
}

std::string to_json(const Status& status) {
  return as_json(status, "status").dump(1, ' ', false, FieldJson::error_handler_t::replace) + "\n";
}

Status parse_status(std::string_view text, std::string_view origin) {
  const std::string where(origin);
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
