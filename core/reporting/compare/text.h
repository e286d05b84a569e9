// A comparison as Markdown for people. Pure.
#pragma once

#include <string>

#include "core/reporting/compare/compare.h"

namespace scalemark::reporting {

std::string comparison_markdown(const Comparison& comparison);

}  // namespace scalemark::reporting
