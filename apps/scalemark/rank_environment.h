// --env: variables that ranks have from their start, which only the built-in launcher can give
// them.
#pragma once

#include <vector>

#include "apps/scalemark/rank_command.h"
#include "core/settings/layers.h"
#include "core/settings/problem.h"
#include "core/settings/settings.h"

namespace scalemark::cli {

// Variables among `raw` by which launchers number their ranks.
std::vector<settings::Problem> variables_of_launchers(const settings::RawSettings& raw);

// Makes this process the launcher of its node's ranks, a single rank too, where `environments` hold
// variables or `restarts` asks for ranks that are started anew, and it is no rank that was started
// so. Throws configuration() (78) where it
// cannot start them: another launcher owns the ranks, or several environments are asked of several
// nodes; the commands that do it are printed first.
void settle_environment(const Invocation& invocation, ResolvedCommand& resolved,
                        const std::vector<settings::Variables>& environments, bool restarts);

// Finds the environment among `environments` that this rank was started with. bug() when none is.
const settings::Variables& own_environment(const std::vector<settings::Variables>& environments);

}  // namespace scalemark::cli
