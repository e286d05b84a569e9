#include <gtest/gtest.h>

#include "core/launch/describe.h"
#include "core/launch/detect.h"
#include "core/launch/meeting_point.h"
#include "tests/core/launch/environments.h"

namespace scalemark::launching {
namespace {

TEST(Detect, SlurmStep) {
  const auto detection = detect_in(slurm());
  expect_world(detection, {3, 5, 1, 2, 1, 3, "slurm"});
  EXPECT_EQ(detection.rendezvous.host, "gpu-a003");
  EXPECT_EQ(detection.rendezvous.run_id, "4711.2");
  EXPECT_EQ(detection.rendezvous.port, derived_port("4711.2"));
  const auto& from = detection.world.detected_from;
  EXPECT_EQ(from.at("rank"), "SLURM_PROCID");
  EXPECT_EQ(from.at("rendezvous"), "SLURM_STEP_NODELIST");
  EXPECT_EQ(from.at("port"), "run id");
}

TEST(Detect, EveryRankOfASlurmStepDerivesTheSameMeetingPoint) {
  const auto one = detect_in(slurm()).rendezvous;
  const auto other = detect_in(
      with(slurm(), {{"SLURM_PROCID", "4"}, {"SLURM_LOCALID", "0"}, {"SLURM_NODEID", "2"}}));
  expect_world(other, {4, 5, 0, 1, 2, 3, "slurm"});
  EXPECT_EQ(one.host, other.rendezvous.host);
  EXPECT_EQ(one.port, other.rendezvous.port);
}

TEST(Detect, MasterPortWinsOverTheDerivedOne) {
  EXPECT_EQ(detect_in(with(slurm(), {{"MASTER_PORT", "12345"}})).rendezvous.port, 12345);
}

TEST(Detect, ABatchScriptWithoutSrunIsNoStep) {
  expect_world(detect_in(without(slurm(), {"SLURM_STEP_ID"})), {.launcher = "single"});
  // salloc's interactive step
  expect_world(detect_in(with(slurm(), {{"SLURM_STEP_ID", "4294967290"}})), {.launcher = "single"});
}

TEST(Detect, OpenMpi) {
  const auto detection = detect_in(open_mpi());
  expect_world(detection, {1, 2, 1, 2, 0, 1, "openmpi"});
  EXPECT_EQ(detection.rendezvous.host, "127.0.0.1");
  EXPECT_EQ(detection.rendezvous.run_id, "3141592653");
  EXPECT_EQ(detection.rendezvous.port, derived_port("3141592653"));
}

TEST(Detect, OpenMpiOverTwoNodesNeedsAnAddress) {
  const auto two_nodes =
      with(open_mpi(), {{"OMPI_COMM_WORLD_LOCAL_SIZE", "1"}, {"OMPI_COMM_WORLD_LOCAL_RANK", "0"}});
  EXPECT_EQ(problems_of(detect_in(two_nodes)),
            Lines{"no address where the ranks meet; every rank needs the same one"});
  Request request{.environment = two_nodes};
  request.launch.rendezvous = "file:/shared/meet";
  const auto by_file = detect(request);
  expect_world(by_file, {1, 2, 0, 1, 1, 2, "openmpi"});
  EXPECT_EQ(by_file.rendezvous.kind, Rendezvous::Kind::kFile);
  EXPECT_EQ(by_file.rendezvous.file, "/shared/meet");
  request.launch.rendezvous = "n1";
  EXPECT_EQ(detect(request).rendezvous.port, derived_port("3141592653"));
}

// Open MPI 4 sets these on each of two machines: `mpirun -n 4 --map-by node`, and with 3 slots
// and 1.
TEST(Detect, MpirunSaysNothingOfTheNodesThatRanksAreOn) {
  const auto on = [](const char* rank, const char* local_rank, const char* local_size) {
    return detect_in(with(open_mpi(), {{"OMPI_COMM_WORLD_RANK", rank},
                                       {"OMPI_COMM_WORLD_SIZE", "4"},
                                       {"OMPI_COMM_WORLD_LOCAL_RANK", local_rank},
                                       {"OMPI_COMM_WORLD_LOCAL_SIZE", local_size},
                                       {"OMPI_MCA_orte_num_nodes", "2"},
                                       {"PMIX_RANK", rank},
                                       {"MASTER_ADDR", "n1"}}));
  };
  for (const auto& detection : {on("1", "0", "2"), on("2", "1", "2"), on("3", "0", "1")}) {
    EXPECT_EQ(problems_of(detection), Lines{});
    EXPECT_TRUE(detection.world.assumes_node);
    EXPECT_EQ(detection.world.nodes, 2);
  }
  EXPECT_FALSE(detect_in(slurm()).world.assumes_node);
  EXPECT_FALSE(detect_in(torchrun()).world.assumes_node);
  EXPECT_EQ(detect_in(slurm()).world.node_list, slurm().at("SLURM_STEP_NODELIST"));
}

TEST(NodesOf, TheLaunchersNumberWinsElseMachinesAreToldApart) {
  using Nodes = std::vector<int>;
  EXPECT_EQ(nodes_of({{0, "a"}, {0, "a"}, {1, "a"}}), (Nodes{0, 0, 1}));
  EXPECT_EQ(nodes_of({{{}, "b"}, {{}, "a"}, {{}, "b"}, {{}, "a"}}), (Nodes{0, 1, 0, 1}));
  EXPECT_EQ(nodes_of({{{}, "b"}, {{}, "b"}, {{}, "b"}, {{}, "a"}}), (Nodes{0, 0, 0, 1}));
  EXPECT_EQ(nodes_of({{1, "b"}, {{}, "a"}}), (Nodes{0, 1}));  // one that is not numbered
}

TEST(Detect, Hydra) {
  Request request{.environment = hydra(), .launcher_pid = 77};
  const auto detection = detect(request);
  expect_world(detection, {1, 2, 1, 2, 0, 1, "pmi"});
  EXPECT_EQ(detection.rendezvous.run_id, "pmi-77");
  EXPECT_EQ(detection.rendezvous.port, derived_port("pmi-77"));
}

TEST(Detect, PmiWithoutALocalRankSaysWhichOptionReplacesIt) {
  const auto flux = without(hydra(), {"MPI_LOCALRANKID", "MPI_LOCALNRANKS"});
  ASSERT_EQ(problems_of(detect_in(flux)).size(), 1u);
  EXPECT_EQ(detect_in(flux).problems[0].hint, "give --local-rank");
  Request request{.environment = flux};
  request.launch.local_rank = 1;
  request.launch.rendezvous = "127.0.0.1:29500";
  expect_world(detect(request), {1, 2, 1, 2, 0, 1, "pmi"});
}

TEST(Detect, TwoHydraJobsThatNothingTellsApartNeedAPort) {
  const auto detection = detect_in(hydra());
  EXPECT_EQ(problems_of(detection),
            Lines{"no port for the rendezvous at 127.0.0.1; HOST:PORT or a run id"});
}

TEST(Detect, Flux) {
  const auto detection = detect_in(with(flux(), {{"MASTER_ADDR", "n1"}}));
  expect_world(detection, {5, 8, 1, 4, 1, 2, "flux"});
  EXPECT_EQ(detection.rendezvous.host, "n1");
  EXPECT_EQ(detection.rendezvous.run_id, "f2VtS3Uk");
  EXPECT_EQ(detection.rendezvous.port, derived_port("f2VtS3Uk"));
  EXPECT_EQ(problems_of(detect_in(flux())),
            Lines{"no address where the ranks meet; every rank needs the same one"});
  const auto one_node = with(flux(), {{"FLUX_JOB_NNODES", "1"}, {"FLUX_TASK_LOCAL_ID", "5"}});
  expect_world(detect_in(one_node), {5, 8, 5, 8, 0, 1, "flux"});
  EXPECT_EQ(detect_in(one_node).rendezvous.host, "127.0.0.1");
}

TEST(Detect, FluxSaysNotHowManyTasksANodeHas) {
  EXPECT_EQ(problems_of(detect_in(
                with(flux(), {{"MASTER_ADDR", "n1"}, {"FLUX_JOB_SIZE", "7"}, {"PMI_SIZE", "7"}}))),
            Lines{"FLUX_JOB_SIZE=7 with FLUX_JOB_NNODES=2; as many tasks on each node: this "
                  "launcher does not say how many one has"});
  // The nodes have 6 and 2, of which the first sees that something is wrong.
  const auto uneven =
      with(flux(), {{"MASTER_ADDR", "n1"}, {"FLUX_TASK_RANK", "4"}, {"FLUX_TASK_LOCAL_ID", "4"}});
  EXPECT_EQ(problems_of(detect_in(uneven)),
            Lines{"FLUX_TASK_LOCAL_ID=4 with local_world_size 4; a local rank below the number of "
                  "ranks on the node"});
}

TEST(Detect, FluxsPluginForCrayNumbersTheNode) {
  const auto cyclic = with(flux(), {{"MASTER_ADDR", "n1"},
                                    {"FLUX_TASK_RANK", "2"},
                                    {"PALS_NODEID", "0"},
                                    {"PALS_RANKID", "2"},
                                    {"PALS_APID", "77"}});
  expect_world(detect_in(cyclic), {2, 8, 1, 4, 0, 2, "flux"});
}

TEST(Detect, Pals) {
  const auto detection = detect_in(with(pals(), {{"MASTER_ADDR", "n1"}}));
  expect_world(detection, {13, 24, 1, 12, 1, 2, "pals"});
  EXPECT_EQ(detection.rendezvous.run_id, "1b2c-4d");
  EXPECT_EQ(detection.world.detected_from.at("node"), "PALS_NODEID");
  EXPECT_EQ(detect_in(with(slurm(), pals())).world.launcher, "slurm");  // with mpi/cray_shasta
}

TEST(Detect, Jsrun) {
  const auto detection = detect_in(with(jsrun(), {{"MASTER_ADDR", "a1n1"}}));
  expect_world(detection, {7, 12, 1, 6, 1, 2, "jsrun"});
  EXPECT_EQ(detection.rendezvous.run_id, "1234");
  const auto spectrum = with(jsrun(), {{"OMPI_COMM_WORLD_RANK", "7"},
                                       {"OMPI_COMM_WORLD_SIZE", "12"},
                                       {"OMPI_COMM_WORLD_LOCAL_RANK", "1"},
                                       {"OMPI_COMM_WORLD_LOCAL_SIZE", "6"},
                                       {"MASTER_ADDR", "a1n1"}});
  expect_world(detect_in(spectrum), {7, 12, 1, 6, 1, 2, "openmpi"});
}

// One task of a scheduler that starts an mpirun of its own.
TEST(Detect, MpirunInsideATaskIsNotThatTask) {
  const Environment task{{"FLUX_TASK_RANK", "0"},     {"FLUX_JOB_SIZE", "1"},
                         {"FLUX_TASK_LOCAL_ID", "0"}, {"FLUX_JOB_NNODES", "1"},
                         {"PALS_RANKID", "0"},        {"PALS_LOCAL_RANKID", "0"}};
  EXPECT_EQ(detect_in(with(task, open_mpi())).world.launcher, "openmpi");
  Request request{.environment = with(task, hydra()), .launcher_pid = 7};
  request.environment["HYDI_CONTROL_FD"] = "8";
  expect_world(detect(request), {1, 2, 1, 2, 0, 1, "pmi"});
  request.environment.erase("HYDI_CONTROL_FD");
  expect_world(detect(request), {1, 2, 1, 2, 0, 1, "pmi"});
}

TEST(Detect, APodOfALeaderWorkerSet) {
  Request request{.environment = with(leader_worker_set(), {{"PET_NPROC_PER_NODE", "8"}})};
  const auto detection = detect(request);
  EXPECT_EQ(problems_of(detection), Lines{});
  ASSERT_TRUE(detection.node.has_value());
  EXPECT_EQ(detection.node->launcher, "kubernetes");
  EXPECT_EQ(detection.node->nproc_per_node, 8);
  EXPECT_EQ(detection.node->nnodes, 4);
  EXPECT_EQ(detection.node->node_rank, 2);
  EXPECT_EQ(detection.node->rendezvous.host, "train-0.train.default");
  EXPECT_EQ(detection.node->rendezvous.port, derived_port("train-0.train.default"));
  EXPECT_EQ(nodes_of_pod(detection), 4);
  const auto one_rank = detect_in(leader_worker_set());
  expect_world(one_rank, {2, 4, 0, 1, 2, 4, "kubernetes"});
  EXPECT_EQ(detect_in(with(leader_worker_set(), torchrun())).world.launcher, "torch");
  EXPECT_EQ(problems_of(detect_in(with(leader_worker_set(), {{"LWS_GROUP_SIZE", "many"}}))).at(0),
            "LWS_GROUP_SIZE=many; a number");
}

TEST(Detect, MpirunInsideASlurmAllocationIsNotTheStepOfItsDaemons) {
  const auto daemons = with(open_mpi(), {{"SLURM_JOB_ID", "1"},
                                         {"SLURM_STEP_ID", "0"},
                                         {"SLURM_PROCID", "0"},
                                         {"SLURM_LOCALID", "0"},
                                         {"SLURM_STEP_NUM_TASKS", "1"},
                                         {"SLURM_STEP_NODELIST", "n2"}});
  expect_world(detect_in(daemons), {1, 2, 1, 2, 0, 1, "openmpi"});
}

TEST(Detect, APodIsANodeThatStartsItsOwnRanks) {
  const auto detection = detect_in(pod());
  EXPECT_EQ(problems_of(detection), Lines{});
  ASSERT_TRUE(detection.node.has_value());
  EXPECT_EQ(detection.node->launcher, "kubernetes");
  EXPECT_EQ(detection.node->nproc_per_node, 4);
  EXPECT_EQ(detection.node->nnodes, 2);
  EXPECT_EQ(detection.node->node_rank, 1);
  EXPECT_EQ(detection.node->rendezvous.host, "job-worker-0");
  EXPECT_EQ(detection.node->rendezvous.port, 23456);
  EXPECT_EQ(detection.node->detected_from.at("nnodes"), "PET_NNODES");
}

TEST(Detect, APodWithOneRankIsThatRank) {
  const auto detection = detect_in(with(pod(), {{"PET_NPROC_PER_NODE", "1"}}));
  expect_world(detection, {1, 2, 0, 1, 1, 2, "kubernetes"});
  EXPECT_EQ(detection.rendezvous.port, 23456);
}

TEST(Detect, RankAndWorldSizeOfThePodAreNotTheRanks) {
  const auto detection = detect_in(with(pod(), {{"RANK", "1"}, {"WORLD_SIZE", "8"}}));
  ASSERT_TRUE(detection.node.has_value());
  EXPECT_EQ(detection.node->nproc_per_node, 4);
}

TEST(Detect, TorchrunInsideAPod) {
  EXPECT_EQ(detect_in(with(pod(), torchrun())).world.launcher, "torch");
  const auto elastic = detect_in(with(with(pod(), {{"PET_NNODES", "1:4"}}), torchrun()));
  EXPECT_EQ(problems_of(elastic), Lines{});
}

// A variable of the pod becomes --nnodes, and is named where it is more than that takes.
TEST(Detect, RefusesMoreThanOptionsTakeByTheVariable) {
  EXPECT_EQ(problems_of(detect_in(with(pod(), {{"PET_NNODES", "100000"}}))).at(0),
            "PET_NNODES=100000; at most 65536");
  EXPECT_EQ(problems_of(detect_in(with(pod(), {{"PET_NPROC_PER_NODE", "100000"}}))).at(0),
            "PET_NPROC_PER_NODE=100000; at most 4096");
}

TEST(Detect, RefusesElasticRangesAndWordsInPet) {
  const auto range = detect_in(with(pod(), {{"PET_NNODES", "1:4"}}));
  EXPECT_EQ(problems_of(range).at(0),
            "PET_NNODES=1:4; one number, since nothing tells this pod how many of them there are "
            "now");
  EXPECT_NE(range.problems.at(0).hint.find("torchrun --no-python scalemark train"),
            std::string::npos);
  EXPECT_EQ(detect_in(with(pod(), {{"PET_NNODES", "2:2"}})).node->nnodes, 2);
  EXPECT_EQ(problems_of(detect_in(with(pod(), {{"PET_NPROC_PER_NODE", "cpu"}}))).at(0),
            "PET_NPROC_PER_NODE=cpu; a number, auto or gpu");
  Request request{.environment = with(pod(), {{"PET_NPROC_PER_NODE", "auto"}}),
                  .auto_nproc_per_node = 8};
  EXPECT_EQ(detect(request).node->nproc_per_node, 8);
}

Request with_hosts(const std::string& text) {
  Request request{.origins = {{"hostfile", "option"}}, .hostfile = text};
  request.launch.hostfile = "hosts";
  return request;
}

// Hosts with their ranks, or why the file is refused.
std::string read_list(const std::string& text) {
  const auto detection = detect(with_hosts(text));
  if (detection.node) return detection.node->hosts;
  EXPECT_EQ(detection.problems.at(0).exit_code, ExitCode::kBadData);
  return detection.problems.at(0).what;
}

TEST(Hostfile, LinesOfOpenMpiAndOfMpich) {
  EXPECT_EQ(read_list("n1 slots=8\nn2 slots=4 # of 8\n"), "n1:8,n2:4");
  EXPECT_EQ(read_list("# two\r\n\r\n n1:8 # the first\r\n\tn2.ib:2"), "n1:8,n2.ib:2");
  EXPECT_EQ(read_list("n1\nn2"), "n1:1,n2:1");
  EXPECT_EQ(read_list("n1\nn1\nn2\nn1\nn2\n"), "n1:3,n2:2");  // $PBS_NODEFILE
}

// Each refusal names file, line and word, and what is allowed there.
TEST(Hostfile, RefusesWhatIsNoHost) {
  EXPECT_EQ(read_list("#"), "--hostfile hosts names no host");
  const std::string where = "--hostfile hosts, line 2: ", long_name(300, 'n');
  for (const auto& [line, said] : std::vector<std::pair<std::string, std::string>>{
           {"n1 slots=0", "n1 has '0' ranks"},
           {"n1 slots=-1", "n1 has '-1' ranks"},
           {"n1 slots=", "n1 has '' ranks"},
           {"n1 slots=x", "n1 has 'x' ranks"},
           {"n1 slots=1e3", "n1 has '1e3' ranks"},
           {"n1 slots=4097", "n1 has '4097' ranks"},
           {"n1 slots=99999999999", "n1 has '99999999999' ranks"},
           {"n1:x", "n1 has 'x' ranks"},
           {"n1:8,n2:8", "n1 has '8,n2:8' ranks"},
           {"n1 max_slots=8", "'max_slots=8' stands behind the host n1"},
           {"n1 8", "'8' stands behind the host n1"},
           {"n1:8 slots=8", "'slots=8' stands behind the number of ranks of n1"},
           {"n1 slots=2 slots=3", "'slots=3' stands behind the number of ranks of n1"},
           {"user@n1", "'user@n1' is no name of a host"},
           {"--mca", "'--mca' is no name of a host"},
           {"-x", "'-x' is no name of a host"},
           {"n1;reboot", "'n1;reboot' is no name of a host"},
           {"$(reboot)", "'$(reboot)' is no name of a host"},
           {":8", "'' is no name of a host"},
           {"\xff", "'\\xff' is no name of a host"},
           {long_name, "'" + long_name.substr(0, 40) + "' is no name of a host"},
           {"n0 slots=2", "n0 is named again, after line 1"}}) {
    EXPECT_EQ(read_list("n0\n" + line + "\n"), where + said);
  }
  EXPECT_EQ(read_list("n0:2\n\nn0\n"), "--hostfile hosts, line 3: n0 is named again, after line 1");
  std::string many;
  for (int i = 0; i < 4097; ++i) many += "n0\n";
  EXPECT_EQ(read_list(many), "--hostfile hosts, line 4097: n0 has '4097' ranks");
  const auto user = detect(with_hosts("user@n1\n")).problems.at(0);
  EXPECT_EQ(user.expected, "letters, digits, points, - and _");
  EXPECT_NE(user.hint.find("(User)"), std::string::npos);
}

TEST(Hostfile, MayBeginWithAMarkOfItsBytes) {
  EXPECT_EQ(read_list("\xEF\xBB\xBFn1 slots=8\r\nn2\r\n"), "n1:8,n2:1");
  EXPECT_NE(read_list(std::string("\xFF\xFEn\0001\0", 6)).find("UTF-16"), std::string::npos);
}

TEST(Hostfile, MpirunStartsTheRanksOfAllHosts) {
  const auto detection = detect(with_hosts("n1 slots=8\nn2 slots=4\n"));
  EXPECT_EQ(problems_of(detection), Lines{});
  ASSERT_TRUE(detection.node.has_value());
  EXPECT_EQ(detection.node->launcher, "mpirun");
  EXPECT_EQ(world_size_of(*detection.node), 12);
  EXPECT_EQ(nodes_of_pod(detection), 2);
  EXPECT_EQ(detection.node->rendezvous.host, "n1");
  EXPECT_NE(detection.node->rendezvous.port, 0);
  // Its ranks have the option, too, and perhaps no file.
  Request rank = with_hosts("");
  rank.hostfile.reset();
  rank.environment = open_mpi();
  expect_world(detect(rank), {1, 2, 1, 2, 0, 1, "openmpi"});
}

// The nodes of the built-in launcher may have different numbers of ranks.
TEST(Hostfile, ANodeStartsItsOwnRanks) {
  Request request = with_hosts("n1 slots=8\nn2 slots=4\nn3\n");
  request.origins["node_rank"] = "option";
  std::vector<int> first, count;
  for (request.launch.node_rank = 0; request.launch.node_rank < 2; ++request.launch.node_rank) {
    const auto detection = detect(request);
    EXPECT_EQ(problems_of(detection), Lines{});
    ASSERT_TRUE(detection.node.has_value());
    EXPECT_EQ(detection.node->launcher, "local");
    EXPECT_EQ(detection.node->hosts, "");
    EXPECT_EQ(world_size_of(*detection.node), 13);
    EXPECT_EQ(detection.node->rendezvous.host, "n1");
    first.push_back(first_rank_of(*detection.node));
    count.push_back(detection.node->nproc_per_node);
  }
  EXPECT_EQ(first, (std::vector{0, 8}));
  EXPECT_EQ(count, (std::vector{8, 4}));
  expect_world(detect(request), {12, 13, 0, 1, 2, 3, "local"});
  request.launch.node_rank = 3;
  EXPECT_EQ(problems_of(detect(request)), Lines{"--node-rank 3 with 3 hosts in hosts; a node rank "
                                                "below the number of hosts"});
}

TEST(LauncherWords, AreThoseBeforeOurs) {
  const Lines own{"sweep", "--output", "a b"};
  const auto before = [&](Lines words, const std::string& program) {
    words.push_back(program);
    words.insert(words.end(), own.begin(), own.end());
    return words_before(words, own);
  };
  const Lines mpirun{"mpirun", "-n", "2", "--host", "a,b"};
  EXPECT_EQ(before(mpirun, "scalemark"), mpirun);
  EXPECT_EQ(before(mpirun, "/opt/bin/scalemark"), mpirun);
  const Lines torchrun{"torchrun", "--nproc-per-node", "2", "--no-python"};
  EXPECT_EQ(before(torchrun, "./scalemark"), torchrun);
  EXPECT_EQ(
      before({"/usr/bin/python3", "/venv/bin/torchrun", "--nproc-per-node", "2", "--no-python"},
             "./scalemark"),
      torchrun);
  const Lines mpiexec{"mpiexec", "-hosts", "a", "-n", "2"};
  EXPECT_EQ(before(mpiexec, "scalemark"), mpiexec);
  EXPECT_EQ(before({"mpiexec", "-n", "2", "-hosts", "a", "b"}, "scalemark"), Lines{}) << "a,b";
  EXPECT_EQ(before({"mpirun", "-x", "PATH", "-n", "2"}, "scalemark").size(), 5u);
  EXPECT_EQ(before({"mpirun", "-x", "TOKEN=abc", "-n", "2"}, "scalemark"), Lines{}) << "a secret";
  EXPECT_EQ(before({"mpiexec", "-genv", "TOKEN", "abc", "-n", "2"}, "scalemark"), Lines{});
  EXPECT_EQ(before({"mpirun", "--mca", "mca_base_env_list", "A"}, "scalemark"), Lines{});
  EXPECT_EQ(before({}, "scalemark"), Lines{});
  EXPECT_EQ(before(mpirun, "job.sh"), Lines{});
  EXPECT_EQ(words_before(mpirun, own), Lines{});
  EXPECT_EQ(words_before({"mpirun", "scalemark", "train"}, own), Lines{});
}

TEST(Hostfile, SaysWhatIsWrong) {
  Request request = with_hosts("localhost slots=2\nn2\n");
  EXPECT_EQ(problems_of(detect(request)),
            Lines{"--hostfile hosts begins with localhost; a name under which the other hosts "
                  "reach the first one"});
  request = with_hosts("n1\n");
  request.origins["nproc_per_node"] = "option";
  EXPECT_EQ(problems_of(detect(request)),
            Lines{"--hostfile and --nproc-per-node; the file says how many ranks each host has"});
  request = with_hosts("n1\n");
  request.hostfile.reset();
  request.why_no_hostfile = "'hosts' is a folder";
  EXPECT_EQ(detect(request).problems.at(0).exit_code, ExitCode::kNoInput);
  EXPECT_EQ(problems_of(detect(request)),
            Lines{"--hostfile: 'hosts' is a folder; a file with lines such as `n1 slots=8`, `n1:8` "
                  "or `n1`"});
}

}  // namespace
}  // namespace scalemark::launching
