// Ranks send each other bytes: JSON's values in CBOR, which keeps NaN, every bit of a double and
// texts that are not UTF-8. No file format: both ends are the same build.
#pragma once

#include <cstddef>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"

namespace scalemark::distributed {

std::string pack(const nlohmann::json& value);
// Nothing when the bytes are no packed value.
std::optional<nlohmann::json> unpack(std::string_view bytes);

std::string encode(const ErrorRecord& record);
std::optional<ErrorRecord> decode_error(std::string_view bytes);

// Ranks must agree on these: "settings.batch_size" -> "32".
using Facts = std::map<std::string, std::string>;
std::string encode(const Facts& facts);
std::optional<Facts> decode_facts(std::string_view bytes);

// Numbers in an order that both ends know; counts below 2^53 stay exact.
std::string encode_numbers(const std::vector<double>& numbers);
// Throws bug() when they are not `count` numbers.
std::vector<double> decode_numbers(std::string_view bytes, std::size_t count);

// Every leaf of a JSON object under its dotted path; arrays are leaves. Throws bug() when the text
// is no JSON object.
Facts facts_from_json(std::string_view json_object);

}  // namespace scalemark::distributed
