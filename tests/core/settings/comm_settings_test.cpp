#include "core/settings/comm_settings.h"

#include <gtest/gtest.h>

#include <initializer_list>

#include "core/settings/option.h"

namespace scalemark::settings {
namespace {

using collectives::Collective;
using collectives::DataType;

CommRequest read(std::initializer_list<std::pair<const char*, const char*>> options) {
  RawSettings raw;
  for (const auto& [name, text] : options) raw[name] = {text, "option"};
  return read_comm(raw);
}

std::vector<std::string> texts(const std::vector<collectives::MessageSize>& sizes) {
  std::vector<std::string> all;
  for (const auto& size : sizes) all.push_back(collectives::to_text(size));
  return all;
}

TEST(ReadComm, DefaultsAreUseful) {
  const CommRequest request = read({});
  EXPECT_TRUE(request.problems.empty());
  const CommSettings& comm = request.comm;
  EXPECT_EQ(comm.collectives, std::vector{Collective::kAllReduce});
  EXPECT_EQ(texts(comm.sizes), (std::vector<std::string>{"1KiB", "4KiB", "16KiB", "64KiB", "256KiB",
                                                         "1MiB", "4MiB", "16MiB", "64MiB"}));
  EXPECT_EQ(comm.dtypes, std::vector{DataType::kFp32});
  EXPECT_TRUE(comm.backends.empty());
  EXPECT_EQ(comm.vias, std::vector{collectives::Via::kC10d});
  EXPECT_TRUE(comm.in_place.empty());
  EXPECT_EQ(comm.overlap_compute, std::vector{false});
  EXPECT_EQ(comm.congestion, std::vector{false});
  EXPECT_TRUE(comm.world_sizes.empty());
  EXPECT_EQ(comm.placements, std::vector{Placement::kFill});
  EXPECT_EQ(comm.repetitions, 5);
}

TEST(ReadComm, EveryAxisTakesAList) {
  const CommRequest request = read({{"collectives", "all-gather,barrier"},
                                    {"sizes", "1KiB..4KiB*2,1Mi:elem"},
                                    {"dtypes", "bf16,int32"},
                                    {"backend", "gloo"},
                                    {"via", "direct,c10d"},
                                    {"in_place", "off,on"},
                                    {"overlap_compute", "on,off"},
                                    {"congestion", "on"},
                                    {"world_sizes", "4,1..2*2"},
                                    {"placement", "fill,spread"},
                                    {"repetitions", "3"},
                                    {"nproc_per_node", "4"},
                                    {"device", "cpu"}});
  EXPECT_TRUE(request.problems.empty());
  const CommSettings& comm = request.comm;
  EXPECT_EQ(comm.collectives, (std::vector{Collective::kAllGather, Collective::kBarrier}));
  EXPECT_EQ(texts(comm.sizes), (std::vector<std::string>{"1KiB", "2KiB", "4KiB", "1Mi:elem"}));
  EXPECT_EQ(comm.dtypes, (std::vector{DataType::kBf16, DataType::kInt32}));
  EXPECT_EQ(comm.backends, std::vector<std::string>{"gloo"});
  EXPECT_EQ(comm.vias, (std::vector{collectives::Via::kDirect, collectives::Via::kC10d}));
  EXPECT_EQ(comm.in_place, (std::vector{false, true}));
  EXPECT_EQ(comm.overlap_compute, (std::vector{true, false}));
  EXPECT_EQ(comm.congestion, std::vector{true});
  EXPECT_EQ(comm.world_sizes, (std::vector{1, 2, 4}));
  EXPECT_EQ(comm.placements, (std::vector{Placement::kFill, Placement::kSpread}));
  EXPECT_EQ(comm.repetitions, 3);
  EXPECT_EQ(request.common.size(), 2U) << "nproc_per_node and device are the process's";
}

TEST(ReadComm, AllProblemsAtOnceWithNearMatches) {
  const CommRequest request = read({{"collectives", "allreduce,barrier"},
                                    {"sizes", "4kib,1KiB"},
                                    {"dtypes", "fp64"},
                                    {"backend", "auto,gloo"},
                                    {"in_place", "maybe"},
                                    {"world_sizes", "0"},
                                    {"repetitions", "1,2"}});
  std::map<std::string, Problem> by_option;
  for (const Problem& problem : request.problems) by_option[problem.option] = problem;
  EXPECT_EQ(request.problems.size(), 7U);
  EXPECT_EQ(by_option["collectives"].hint, "did you mean 'all-reduce'?");
  EXPECT_EQ(to_line(by_option["sizes"]),
            "--sizes is '4kib' (from option); a size in bytes (4KiB, 64MiB, 1MB, 4096) or in "
            "elements (1Mi:elem) is allowed, or a list or range (1KiB..64MiBx4) of them.");
  for (const char* option : {"dtypes", "backend", "in_place", "world_sizes", "repetitions"}) {
    EXPECT_TRUE(by_option.contains(option)) << option;
  }
}

TEST(ReadComm, ChecksAreOfHealthOnly) {
  EXPECT_EQ(read({{"checks", "health"}}).comm.checks, "health");
  EXPECT_NE(to_json(read({{"checks", "health"}}).comm).find(R"("checks":"health")"),
            std::string::npos);
  const auto devices = read({{"checks", "devices,health"}}).problems;
  ASSERT_EQ(devices.size(), 1u);
  EXPECT_EQ(to_line(devices[0]),
            "--checks is 'devices' (from option); comm has health only. Hint: devices are measured "
            "by `scalemark sweep --checks devices`");
  EXPECT_EQ(read({{"checks", "health,x"}}).problems.size(), 1u);
}

TEST(ReadComm, SizesOfAWorkloadReplaceTheDefaultSizes) {
  EXPECT_TRUE(read({{"sizes_of", "mlp"}}).comm.sizes.empty());
  const CommRequest both = read({{"sizes_of", "mlp"}, {"sizes", "4KiB"}});
  EXPECT_EQ(both.comm.sizes_of, std::vector<std::string>{"mlp"});
  EXPECT_EQ(texts(both.comm.sizes), std::vector<std::string>{"4KiB"});
}

TEST(CommJson, NamesEveryListAndNothingOfATraining) {
  const CommRequest request = read({{"sizes", "4KiB"}, {"in_place", "on"}});
  EXPECT_EQ(to_json(request.comm),
            R"({"collectives":["all-reduce"],"congestion":[false],"dtypes":["fp32"],)"
            R"("in_place":[true],"overlap_compute":[false],"placement":["fill"],)"
            R"("repetitions":5,"retries":1,"sizes":["4KiB"],"via":["c10d"]})");
  Settings process;
  process.command = "comm";
  process.launch.nproc_per_node = 4;
  const auto flat = flat_settings(process, request.comm);
  EXPECT_EQ(flat.at("command"), "\"comm\"");
  EXPECT_EQ(flat.at("nproc_per_node"), "4");
  EXPECT_EQ(flat.at("sizes"), "[\"4KiB\"]");
  for (const char* of_training :
       {"workload", "batch_size", "learning_rate", "strategy", "backend"}) {
    EXPECT_FALSE(flat.contains(of_training)) << of_training;
  }
}

TEST(CommOptions, ListsHaveTheirPluralsInCommOnly) {
  EXPECT_EQ(find_option("backends", kComm), find_option("backend"));
  EXPECT_EQ(find_option("collective", kComm), find_option("collectives"));
  EXPECT_EQ(find_option("backends", kTrain), nullptr);
  EXPECT_TRUE(takes(kComm, *find_option("backend")));
  EXPECT_TRUE(takes(kComm, *find_option("output")));
  EXPECT_FALSE(takes(kComm, *find_option("resume")));
  EXPECT_FALSE(takes(kComm, *find_option("workload")));
  EXPECT_FALSE(takes(kSweep, *find_option("sizes")));
}

}  // namespace
}  // namespace scalemark::settings
