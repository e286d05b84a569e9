#include <iterator>
#include <nlohmann/json.hpp>

#include "core/settings/comm_settings.h"
#include "core/settings/option.h"
#include "core/settings/settings_json.h"

namespace scalemark::settings {
namespace {

using nlohmann::json;

template <class E>
json names_in(const std::vector<E>& values) {
  json list = json::array();
  for (const E value : values) list.push_back(name_of(value));
  return list;
}

json sizes_in(const std::vector<collectives::MessageSize>& sizes) {
  json list = json::array();
  for (const auto& size : sizes) list.push_back(collectives::to_text(size));
  return list;
}

json to_object(const CommSettings& comm) {
  json object = {{"collectives", names_in(comm.collectives)},
                 {"sizes", sizes_in(comm.sizes)},
                 {"sizes_of", comm.sizes_of},
                 {"dtypes", names_in(comm.dtypes)},
                 {"backend", comm.backends},
                 {"via", names_in(comm.vias)},
                 {"in_place", comm.in_place},
                 {"overlap_compute", comm.overlap_compute},
                 {"congestion", comm.congestion},
                 {"world_sizes", comm.world_sizes},
                 {"placement", names_in(comm.placements)}};
  for (auto entry = object.begin(); entry != object.end();) {
    entry = entry->empty() ? object.erase(entry) : std::next(entry);
  }
  object["repetitions"] = comm.repetitions;
  object["retries"] = comm.retries;
  if (comm.pairs) {
    object["pairs"] = true;
    object["pair_by"] = name_of(comm.pair_by);
  }
  if (!comm.checks.empty()) object["checks"] = comm.checks;
  return object;
}

// "command" and what `comm` takes of other commands' settings.
bool belongs_to_comm(const std::string& key) {
  const Option* row = find_row(key);
  return key == "command" || (row && takes(kComm, *row));
}

json to_object(const Settings& process, const CommSettings& comm) {
  const json all = json::parse(to_json(process));
  json object = json::object();
  for (const auto& [key, value] : all.items()) {
    if (belongs_to_comm(key)) object[key] = value;
  }
  object.erase("backend");  // a training's one
  object.update(to_object(comm));
  return object;
}

}  // namespace

std::string to_json(const CommSettings& comm) { return to_object(comm).dump(); }

std::string to_json(const Settings& process, const CommSettings& comm) {
  return to_object(process, comm).dump();
}

std::map<std::string, std::string> flat_settings(const Settings& process,
                                                 const CommSettings& comm) {
  const json object = to_object(process, comm);
  std::map<std::string, std::string> flat;
  for (const auto& [key, value] : object.items()) flat[key] = value.dump();
  return flat;
}

}  // namespace scalemark::settings
