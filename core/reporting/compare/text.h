// A comparison for people and for programs that read tables. Pure.
#pragma once

#include <string>

#include "core/base/terminal.h"
#include "core/reporting/compare/compare.h"

namespace scalemark::reporting {

// First one sentence that says what came out: "slower: x by 5.00 %; 2 same", "no difference beyond
// 2 %", "cannot tell, because ...". `details`: with every column and row, and what verdicts mean.
std::string comparison_text(const Comparison& comparison, const Terminal& terminal, bool details);

std::string comparison_markdown(const Comparison& comparison);  // with details
std::string comparison_csv(const Comparison& comparison);  // one line for each point and other side

}  // namespace scalemark::reporting
