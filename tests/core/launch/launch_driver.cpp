// Calls launch_local() as the program does:
//   launch-driver PROGRAM NPROC GRACE_MS FAILURE_GRACE_MS VERBOSE [NNODES NODE_RANK] --
//   ARGUMENTS...
// LAUNCH_MPIRUN=openmpi:/usr/bin/mpirun.openmpi in its environment: through that mpirun.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/launch/local_launcher.h"
#include "core/launch/meeting_point.h"
#include "tools/programs/commands.h"

int scalemark::commands::launch_driver(int argc, char** argv) {
  using namespace scalemark;
  std::vector<std::string> ours;
  int i = 1;
  for (; i < argc && std::string(argv[i]) != "--"; ++i) ours.emplace_back(argv[i]);
  launching::LaunchSpec spec;
  spec.program = ours.at(0);
  spec.plan.nproc_per_node = std::stoi(ours.at(1));
  spec.grace = std::chrono::milliseconds(std::stoi(ours.at(2)));
  spec.failure_grace = std::chrono::milliseconds(std::stoi(ours.at(3)));
  spec.verbose = ours.at(4) == "1";
  if (ours.size() > 6) {
    spec.plan.nnodes = std::stoi(ours.at(5));
    spec.plan.node_rank = std::stoi(ours.at(6));
    spec.plan.rendezvous = *launching::parse_rendezvous("127.0.0.1:23456");
    spec.plan.rendezvous.run_id = "over-nodes";
  }
  if (const char* text = std::getenv("LAUNCH_MPIRUN")) {
    const std::string mpirun = text;
    spec.plan.mpi_library = mpirun.substr(0, mpirun.find(':'));
    spec.plan.mpirun = mpirun.substr(mpirun.find(':') + 1);
  }
  spec.arguments = {"core_tool", "rank-child"};
  for (++i; i < argc; ++i) spec.arguments.emplace_back(argv[i]);
  spec.environment = launching::snapshot_environment();
  try {
    return launching::launch_local(spec).exit_code;
  } catch (const Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return static_cast<int>(error.record().exit_code);
  }
}
