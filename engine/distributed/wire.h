// Text form of what ranks tell each other through the store. The only file of this room that knows
// JSON.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"

namespace scalemark::distributed {

std::string encode(const ErrorRecord& record);
// Nothing when the text is not an encoded record of this version.
std::optional<ErrorRecord> decode_error(std::string_view text);

// What ranks must agree on: "settings.batch_size" -> "32".
using Facts = std::map<std::string, std::string>;
std::string encode(const Facts& facts);
std::optional<Facts> decode_facts(std::string_view text);

// Every leaf of a JSON object under its dotted path; arrays are leaves. Throws bug() when the text
// is no JSON object.
Facts facts_from_json(std::string_view json_object);

}  // namespace scalemark::distributed
