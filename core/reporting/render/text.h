// Pieces of text that several renderers need.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/reporting/record/records.h"

namespace scalemark::reporting {

// For XML 1.0 text and attributes; what XML cannot hold becomes U+FFFD.
std::string xml_escaped(std::string_view text);

// For HTML text and attributes.
std::string html_escaped(std::string_view text);

}  // namespace scalemark::reporting
