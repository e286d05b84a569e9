// Environments as the launchers set them, and how a detection is compared. For the tests of
// detect().
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "core/launch/detect.h"

namespace scalemark::launching {

using Lines = std::vector<std::string>;

Detection detect_in(Environment environment);

// Every problem as "what; expected".
Lines problems_of(const Detection& detection);

void expect_world(const Detection& detection, const World& expected);

Environment torchrun();
Environment slurm();
Environment open_mpi();
Environment hydra();
Environment flux();
Environment pals();
Environment jsrun();
Environment pod();
Environment leader_worker_set();
Environment with(Environment environment, const Environment& more);
Environment without(Environment environment, std::initializer_list<const char*> names);

}  // namespace scalemark::launching
