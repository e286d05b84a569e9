#include "engine/distributed/wire.h"

#include <nlohmann/json.hpp>

namespace scalemark::distributed {
namespace {

using nlohmann::json;

// Messages quote foreign file names, which need not be UTF-8.
std::string dump(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

void add_leaves(const json& object, const std::string& path, Facts& facts) {
  for (const auto& [key, value] : object.items()) {
    const std::string name = path.empty() ? key : path + "." + key;
    if (value.is_object()) {
      add_leaves(value, name, facts);
    } else {
      facts[name] = value.is_string() ? value.get<std::string>() : dump(value);
    }
  }
}

}  // namespace

std::string encode(const ErrorRecord& record) {
  json object{{"code", record.code},
              {"exit_code", static_cast<int>(record.exit_code)},
              {"domain", static_cast<int>(record.domain)},
              {"what", record.what},
              {"expected", record.expected},
              {"hint", record.hint},
              {"host", record.host},
              {"phase", record.phase},
              {"point", record.point}};
  if (record.rank) object["rank"] = *record.rank;
  if (record.step) object["step"] = *record.step;
  return dump(object);
}

std::optional<ErrorRecord> decode_error(std::string_view text) try {
  const json object = json::parse(text);
  ErrorRecord record{.code = object.at("code").get<std::string>(),
                     .exit_code = static_cast<ExitCode>(object.at("exit_code").get<int>()),
                     .domain = static_cast<ErrorDomain>(object.at("domain").get<int>()),
                     .what = object.at("what").get<std::string>(),
                     .expected = object.at("expected").get<std::string>(),
                     .hint = object.at("hint").get<std::string>(),
                     .host = object.at("host").get<std::string>(),
                     .phase = object.at("phase").get<std::string>(),
                     .point = object.at("point").get<std::string>()};
  if (object.contains("rank")) record.rank = object.at("rank").get<int>();
  if (object.contains("step")) record.step = object.at("step").get<std::int64_t>();
  return record;
} catch (const json::exception&) {
  return std::nullopt;
}

std::string encode(const Facts& facts) { return dump(json(facts)); }

std::optional<Facts> decode_facts(std::string_view text) try {
  return json::parse(text).get<Facts>();
} catch (const json::exception&) {
  return std::nullopt;
}

Facts facts_from_json(std::string_view json_object) {
  const json object = json::parse(json_object, nullptr, false);
  if (!object.is_object()) throw bug("facts_from_json was given no JSON object");
  Facts facts;
  add_leaves(object, "", facts);
  return facts;
}

}  // namespace scalemark::distributed
