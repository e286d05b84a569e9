#include "core/live/status.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/base/json_depth.h"
#include "core/base/json_reader.h"
#include "core/base/json_writer.h"

namespace scalemark::live {

namespace {

constexpr std::optional<double> NodeStatus::*kCounters[] = {
    &NodeStatus::busy_cpu_s,         &NodeStatus::steal_cpu_s,
    &NodeStatus::throttled_cpu_s,    &NodeStatus::swapped_bytes,
    &NodeStatus::pressure_cpu_s,     &NodeStatus::pressure_memory_s,
    &NodeStatus::pressure_io_s,      &NodeStatus::retransmitted_segments,
    &NodeStatus::network_errors,     &NodeStatus::disk_read_bytes,
    &NodeStatus::disk_written_bytes, &NodeStatus::sampler_cpu_s,
};

}  // namespace

// Two ranks that read at once see each counter at a time of its own, so that neither reading is the
// newer one in all of them.
void keep_newest(std::map<std::string, NodeStatus>& by_host, const std::string& host,
                 NodeStatus reading) {
  NodeStatus& kept = by_host[host];
  if (reading.clock_s >= kept.clock_s) std::swap(reading, kept);
  for (const auto counter : kCounters) kept.*counter = std::max(kept.*counter, reading.*counter);
  for (InterfaceStatus& is : kept.interfaces) {
    const auto other = std::ranges::find(reading.interfaces, is.name, &InterfaceStatus::name);
    if (other == reading.interfaces.end()) continue;
    is.received_bytes = std::max(is.received_bytes, other->received_bytes);
    is.sent_bytes = std::max(is.sent_bytes, other->sent_bytes);
  }
  kept.host = host;
}

std::string to_json(const Status& status) {
  return as_json(status, "status").dump(1, ' ', false, FieldJson::error_handler_t::replace) + "\n";
}

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
