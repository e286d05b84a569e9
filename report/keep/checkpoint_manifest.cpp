#include "report/keep/checkpoint_manifest.h"

#include "core/base/digest.h"
#include "core/base/error.h"
#include "core/base/record_json.h"
#include "core/base/strict_json.h"
#include "report/record/rank_fields.h"

namespace scalemark::reporting {

namespace {

constexpr const char* kChecksum = "sha256";

std::string checksum_of(FieldJson json) {
  json.erase(kChecksum);
  return sha256_hex(dumped(json));
}

}  // namespace

std::string to_json(const CheckpointManifest& manifest) {
  FieldJson json = as_json(manifest, "checkpoint");
  // Numbers are summed as a reader finds them.
  json[kChecksum] = checksum_of(FieldJson::parse(dumped(json)));
  return dumped(json, 2) + "\n";
}

CheckpointManifest checkpoint_from_json(std::string_view text, std::string_view origin) {
  const std::string where(origin);
  if (nests_too_deep(text)) throw bad_data(where + " nests deeper than any checkpoint");
  try {
    const auto json = FieldJson::parse(text);
    auto manifest = record_in<CheckpointManifest>(json, "checkpoint");
    if (manifest.sha256 && *manifest.sha256 != checksum_of(json)) {
      throw bad_data("it was changed since it was written");
    }
    return manifest;
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
