#include "core/launch/mpi_library.h"

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/launch/mpirun.h"
#include "environments.h"

namespace scalemark::launching {
namespace {

const std::vector<std::string> kBoth{"openmpi", "mpich"};

Environment srun_pmix() { return with(slurm(), {{"PMIX_RANK", "1"}}); }

std::string chosen(const Environment& environment, const std::string& wanted = "auto",
                   const std::vector<std::string>& built = kBoth) {
  return std::string(choose_mpi_library(detect_in(environment), environment, wanted, built).name);
}

ErrorRecord refusal(const Detection& detection, const Environment& environment,
                    const std::string& wanted = "auto",
                    const std::vector<std::string>& built = kBoth) {
  try {
    choose_mpi_library(detection, environment, wanted, built);
  } catch (const Error& error) {
    return error.record();
  }
  ADD_FAILURE() << "not refused";
  return {};
}

ErrorRecord refusal(const Environment& environment, const std::string& wanted = "auto",
                    const std::vector<std::string>& built = kBoth) {
  return refusal(detect_in(environment), environment, wanted, built);
}

void expect_words(const ErrorRecord& record, ExitCode code,
                  std::initializer_list<const char*> words) {
  EXPECT_EQ(record.exit_code, code);
  const std::string line = format_error_line(record);
  for (const char* word : words) EXPECT_NE(line.find(word), line.npos) << word << " in " << line;
}

TEST(MpiLibrary, IsTheLaunchers) {
  EXPECT_EQ(chosen(open_mpi()), "openmpi");
  EXPECT_EQ(chosen(hydra()), "mpich");
  EXPECT_EQ(chosen(srun_pmix()), "openmpi");
  EXPECT_EQ(chosen(srun_pmix(), "mpich"), "mpich");  // PMIx serves both
  EXPECT_EQ(chosen({}), "openmpi");                  // a rank alone: the first that is there
  EXPECT_EQ(chosen({}, "auto", {"mpich"}), "mpich");
  EXPECT_EQ(chosen({}, "mpich"), "mpich");
}

TEST(MpiLibrary, AnotherLibraryThanTheLaunchersIsRefusedByName) {
  expect_words(refusal(hydra(), "openmpi"), ExitCode::kConfiguration,
               {"--mpi-library openmpi", "MPICH", "PMI_RANK", "mpirun.openmpi"});
  expect_words(refusal(open_mpi(), "mpich"), ExitCode::kConfiguration,
               {"--mpi-library mpich", "Open MPI", "OMPI_COMM_WORLD_SIZE"});
  expect_words(refusal(hydra(), "auto", {"openmpi"}), ExitCode::kConfiguration,
               {"libscalemark_mpi_mpich is not there", "libmpich-dev", "mpirun.openmpi"});
  expect_words(refusal(open_mpi(), "auto", {}), ExitCode::kSystem, {"libopenmpi-dev"});
}

TEST(MpiLibrary, RanksThatMpiCannotConnectAreRefusedWithTheCommand) {
  expect_words(refusal(torchrun()), ExitCode::kConfiguration,
               {"launcher torch", "mpirun.openmpi -n ", "--backend gloo"});
  expect_words(refusal(slurm()), ExitCode::kConfiguration, {"--mpi=pmix", "--mpi=pmi2"});
  Detection two_nodes;
  two_nodes.node = NodePlan{.nproc_per_node = 2, .nnodes = 2};
  expect_words(refusal(two_nodes, {}), ExitCode::kConfiguration,
               {"several nodes", "mpirun.openmpi -n 4 --host"});
}

TEST(MpiLibrary, TheBuiltInLauncherStartsTheRanksOfOneNode) {
  Detection one_node;
  one_node.node = NodePlan{.nproc_per_node = 2};
  EXPECT_EQ(choose_mpi_library(one_node, {}, "mpich", kBoth).name, "mpich");
  // A launcher's variables around it are not its ranks'.
  EXPECT_EQ(choose_mpi_library(one_node, hydra(), "auto", kBoth).name, "openmpi");
}

TEST(MpiLibrary, ReadsVersions) {
  EXPECT_EQ(mpi_version_in("Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4"),
            "Open MPI 4.1.4");
  EXPECT_EQ(mpi_version_in("MPICH Version:      4.0.2\nMPICH Release date: Thu Apr  7"),
            "MPICH 4.0.2");
  EXPECT_EQ(mpi_version_in("Intel(R) MPI Library 2021.9\nmore"), "Intel(R) MPI Library 2021.9");
  EXPECT_EQ(mpi_version_in(""), "");
}

TEST(MpiLibrary, MpirunGetsTheProgramLast) {
  const auto open = mpirun_arguments("openmpi", 3, "/bin/scalemark", {"train", "--overwrite"});
  const auto mpich = mpirun_arguments("mpich", 3, "/bin/scalemark", {"train", "--overwrite"});
  const std::vector<std::string> end{"-n", "3", "/bin/scalemark", "train", "--overwrite"};
  for (const auto& all : {open, mpich}) {
    EXPECT_EQ(std::vector(all.end() - 5, all.end()), end);
  }
  EXPECT_EQ(open.front(), "--oversubscribe");
}

}  // namespace
}  // namespace scalemark::launching
