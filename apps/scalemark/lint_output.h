// The common end of lint and published lint: findings in the wanted forms, and the exit code.
#pragma once

#include <string>
#include <vector>

#include "apps/scalemark/command_line.h"
#include "apps/scalemark/sources.h"
#include "core/base/error.h"
#include "core/lint/forms.h"

namespace scalemark::cli {

// --format, then --fail-on: kFail where it names one of `findings`.
ExitCode tell_findings(const Invocation& invocation, const settings::ToolValues& values,
                       const std::vector<lint::Finding>& findings, const lint::Judged& judged);

ExitCode explain_finding(const std::string& code);

}  // namespace scalemark::cli
