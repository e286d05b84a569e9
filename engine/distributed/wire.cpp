#include "engine/distributed/wire.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "core/base/error_json.h"

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

std::string pack(const json& value) {
  std::string bytes;
  json::to_cbor(value, bytes);
  return bytes;
}

std::optional<json> unpack(std::string_view bytes) {
  json value = json::from_cbor(bytes, /*strict=*/true, /*allow_exceptions=*/false);
  return value.is_discarded() ? std::nullopt : std::optional(std::move(value));
}

std::string encode(const ErrorRecord& record) { return pack(to_json_value(record)); }

std::optional<ErrorRecord> decode_error(std::string_view bytes) {
  const auto value = unpack(bytes);
  return value ? error_from_json(*value) : std::nullopt;
}

std::string encode(const Facts& facts) { return pack(json(facts)); }

std::optional<Facts> decode_facts(std::string_view bytes) try {
  const auto value = unpack(bytes);
  return value ? std::optional(value->get<Facts>()) : std::nullopt;
} catch (const json::exception&) {
  return std::nullopt;
}

std::string encode_numbers(const std::vector<double>& numbers) { return pack(json(numbers)); }

std::vector<double> decode_numbers(std::string_view bytes, std::size_t count) try {
  const auto value = unpack(bytes);
  const auto numbers = value ? value->get<std::vector<double>>() : std::vector<double>();
  if (numbers.size() != count) throw bug("a rank sent other numbers than were expected");
  return numbers;
} catch (const json::exception&) {
  throw bug("a rank sent no numbers");
}

Facts facts_from_json(std::string_view json_object) {
  const json object = json::parse(json_object, nullptr, false);
  if (!object.is_object()) throw bug("facts_from_json was given no JSON object");
  Facts facts;
  add_leaves(object, "", facts);
  return facts;
}

}  // namespace scalemark::distributed
