// The environment variables of a process as plain data, and which of them belong to launchers.
// Knows nothing of what the variables mean.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace scalemark::launching {

using Environment = std::map<std::string, std::string>;

Environment snapshot_environment();

// True for every variable by which a launcher tells a process its place (RANK, SLURM_PROCID, ...)
// or from which a library in the process infers such a launcher. Facts about the job that hold for
// any process in it (SLURM_JOB_ID) are not among them.
bool is_launcher_variable(std::string_view name);

// The environment of a rank of the built-in launcher, which would trust a stale RANK.
Environment without_launcher_variables(Environment environment);

}  // namespace scalemark::launching
