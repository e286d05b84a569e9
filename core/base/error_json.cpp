#include "core/base/error_json.h"

#include <nlohmann/json.hpp>

namespace scalemark {
nlohmann::json to_json_value(const ErrorRecord& record) {
  nlohmann::json value{{"code", record.code},
                       {"exit_code", static_cast<int>(record.exit_code)},
                       {"domain", name_of(record.domain)},
                       {"what", record.what},
                       {"expected", record.expected},
                       {"hint", record.hint},
                       {"host", record.host},
                       {"phase", record.phase},
                       {"point", record.point}};
  if (record.rank) value["rank"] = *record.rank;
  if (record.step) value["step"] = *record.step;
  return value;
}

std::optional<ErrorRecord> error_from_json(const nlohmann::json& value) try {
  ErrorRecord record{.code = value.at("code").get<std::string>(),
                     .exit_code = static_cast<ExitCode>(value.at("exit_code").get<int>()),
                     .domain = find_word<ErrorDomain>(value.at("domain").get<std::string>())
                                   .value_or(ErrorDomain::kSoftware),
                     .what = value.at("what").get<std::string>(),
                     .expected = value.at("expected").get<std::string>(),
                     .hint = value.at("hint").get<std::string>(),
                     .host = value.at("host").get<std::string>(),
                     .phase = value.at("phase").get<std::string>(),
                     .point = value.at("point").get<std::string>()};
  if (value.contains("rank")) record.rank = value.at("rank").get<int>();
  if (value.contains("step")) record.step = value.at("step").get<std::int64_t>();
  return record;
} catch (const nlohmann::json::exception&) {
  return std::nullopt;
}

}  // namespace scalemark
