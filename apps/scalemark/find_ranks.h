// Which ranks there are: the options that decide it meet what a launcher's variables say.
#pragma once

#include <vector>

#include "apps/scalemark/rank_command.h"
#include "core/settings/layers.h"
#include "core/settings/machine.h"
#include "core/settings/problem.h"

namespace scalemark::cli {

// PET_NNODES becomes --nnodes, so that whatever divides or adds up the ranks of nodes knows it.
// True: `raw` has changed, and is to be looked at again.
bool take_nodes_of_pod(const RankCommand::FirstLook& look, const settings::Surroundings& around,
                       settings::RawSettings& raw);

// Finds the ranks. False: `problems`, or those of the detection, say why there are none.
bool find_ranks(const RankCommand::FirstLook& look, const settings::Surroundings& around,
                ResolvedCommand& base, std::vector<settings::Problem>& problems);

}  // namespace scalemark::cli
