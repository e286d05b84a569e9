#include "report/keep/checkpoint_manifest.h"

#include "core/base/error.h"
#include "core/base/record_json.h"
#include "core/base/strict_json.h"
#include "report/record/rank_fields.h"

namespace scalemark::reporting {

std::string to_json(const CheckpointManifest& manifest) {
  return dumped(as_json(manifest, "checkpoint"), 2) + "\n";
}

CheckpointManifest checkpoint_from_json(std::string_view text, std::string_view origin) {
  const std::string where(origin);
  if (nests_too_deep(text)) throw bad_data(where + " nests deeper than any checkpoint");
  try {
    return record_in<CheckpointManifest>(FieldJson::parse(text), "checkpoint");
  } catch (const nlohmann::json::exception&) {
    throw bad_data(where + " is not JSON");
  } catch (const Error& error) {
    throw bad_data(where + ": " + error.record().what);
  }
}

std::vector<std::string> differences(const std::map<std::string, std::string>& before,
                                     const std::map<std::string, std::string>& now) {
  std::map<std::string, std::string> all = before;
  all.insert(now.begin(), now.end());
  std::vector<std::string> found;
  for (const auto& [name, value] : all) {
    const std::string was = value_at(before, name, "absent"), is = value_at(now, name, "absent");
    if (was != is) found.push_back(name + " was " + was + ", now " + is);
  }
  return found;
}

}  // namespace scalemark::reporting
