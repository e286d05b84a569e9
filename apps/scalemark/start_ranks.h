// Which ranks there are, and how this process starts those of its node without a launcher from
// outside: this program, once per rank, with the variables of --env.
#pragma once

#include <vector>

#include "apps/scalemark/command_line.h"
#include "apps/scalemark/rank_command.h"
#include "core/base/error.h"
#include "core/launch/local_launcher.h"
#include "core/settings/layers.h"
#include "core/settings/machine.h"
#include "core/settings/problem.h"
#include "core/settings/settings.h"

namespace scalemark::cli {

// PET_NNODES becomes --nnodes, so that whatever divides or adds up the ranks of nodes knows it.
// True: `raw` has changed, and must be read again.
bool take_nodes_of_pod(const RankCommand::RankOptions& rank_options,
                       const settings::Surroundings& around, settings::RawSettings& raw);

// Finds the ranks from the options that decide it and from the variables of a launcher. False:
// `problems`, or those of the detection, say why there are none.
bool find_ranks(const RankCommand::RankOptions& rank_options, const settings::Surroundings& around,
                ResolvedCommand& base, std::vector<settings::Problem>& problems);

// Returns when every rank has ended; its code is that of the initiating fault. The ranks have this
// process's environment with the variables of --env (`resolved.settings`).
ExitCode start_ranks(const Invocation& invocation, const ResolvedCommand& resolved);

// One of several consecutive starts: signals that arrive between them stay in `signals`.
// `same_session`: the ranks continue the session of the start before.
launching::LaunchResult start_ranks(const Invocation& invocation, const ResolvedCommand& resolved,
                                    launching::SignalScope& signals, bool same_session = false);

// In a rank: whether start_ranks() started it with `same_session`.
bool continues_session();

// Variables of --env among `raw` by which launchers number their ranks.
std::vector<settings::Problem> variables_of_launchers(const settings::RawSettings& raw);

// Makes this process the launcher of its node's ranks, even of a single one, where `environments`
// hold variables, which only the built-in launcher can give to ranks, or `restarts` asks for fresh
// ranks; a rank that was started so stays a rank. Throws configuration() (78) where it cannot start
// them: another launcher owns the ranks, or several environments are asked of several nodes; the
// commands that do it are printed first.
void resolve_environment(const Invocation& invocation, ResolvedCommand& resolved,
                         const std::vector<settings::Variables>& environments, bool restarts);

// The one of `environments` that this rank was started with. bug() when it is none of them.
const settings::Variables& own_environment(const std::vector<settings::Variables>& environments);

}  // namespace scalemark::cli
