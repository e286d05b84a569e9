// Commands that take lists and start ranks share this: from the options that all points have in
// common to the ranks there are.
#pragma once

#include <vector>

#include "apps/scalemark/resolve_command.h"
#include "core/planning/memory_budget.h"
#include "core/settings/layers.h"
#include "core/settings/machine.h"
#include "core/settings/problem.h"

namespace scalemark::cli {

// Without a launcher: so many ranks, over the nodes asked for, unless `common` says how many.
void fill_in_ranks(settings::RawSettings& common, int wanted);

// Problems that are not in `all` yet.
void add_problems(std::vector<settings::Problem>& all, const std::vector<settings::Problem>& more);

// Fills in `base`. True when the ranks are known; otherwise `problems`, or those of the detection,
// say why.
bool resolve_launch(const settings::RawSettings& values, const settings::Surroundings& around,
                    ResolvedCommand& base, std::vector<settings::Problem>& problems);

// Launchers fill nodes one after the other. The engine asks every rank once they have met
// (planning::assign_members).
std::vector<int> node_of_rank(const settings::RankCount& ranks);

planning::AvailableMemory available_memory_here(int local_ranks);

}  // namespace scalemark::cli
