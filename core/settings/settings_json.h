// Resolved settings as flat JSON, and as key-value texts that ranks compare. Knows neither
// reports nor stores.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "core/settings/settings.h"
#include "core/settings/sweep_settings.h"

namespace scalemark::settings {

// One flat JSON object, keys being option names with underscores, plus "command". Absent optionals
// and empty texts are left out; numbers are written exactly.
std::string to_json(const Settings& settings);

// The same of the options of a whole sweep, as far as they say what it measures.
std::string to_json(const SweepSettings& sweep);

// {"batch_size": "option", ...}, of origins or of other texts.
std::string texts_to_json(const std::map<std::string, std::string>& texts);

// The same pairs as to_json, values as JSON text: what preflight compares key by key.
std::map<std::string, std::string> flat_settings(const Settings& settings);

// Keeps the pairs that distinguish points.
std::map<std::string, std::string> identity_settings(const Settings& settings);

// True for settings that may differ between the ranks of one run (node_rank, output, ...): the
// option table says so.
bool may_differ_between_ranks(std::string_view name);

}  // namespace scalemark::settings
