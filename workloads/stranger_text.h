// Text from files of strangers: JSON that must be an object, and names for error lines. Knows no
// format.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace scalemark::workloads {

// A name of a stranger's file for an error line: in quotes, and no more than 100 bytes of it.
std::string in_quotes(std::string_view name);

// Parses JSON of a stranger: an object, no key twice, no deeper than our own. `what` begins the
// message of bad_data (65), as "FILE is not a valid index".
nlohmann::json parse_object(const std::string& text, const std::string& what);

}  // namespace scalemark::workloads
