#include "core/plan/collectives/collective_plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <set>

#include "core/plan/collectives/make_collective_plan.h"
#include "core/plan/collectives/support.h"

namespace scalemark::planning {
namespace {

using collectives::Collective;
using collectives::Via;
using settings::DeviceKind;

using Options = std::initializer_list<std::pair<const char*, const char*>>;

struct Machine {
  std::vector<int> node_of_rank = {0, 0, 0, 0};
  DeviceKind device = DeviceKind::kCpu;
  int gpus = 0;
  std::optional<std::uint64_t> memory;
};

settings::CommRequest asked_for(Options options) {
  settings::RawSettings raw;
  for (const auto& [name, text] : options) raw[name] = {text, "option"};
  return settings::read_comm(raw);
}

CollectivePlanAnswer answer_to(Options options, const Machine& machine = {}) {
  const settings::CommRequest asked = asked_for(options);
  for (const auto& problem : asked.problems) ADD_FAILURE() << to_line(problem);
  std::map<std::string, std::string> missing;
  if (machine.device == DeviceKind::kCpu) missing["nccl"] = "no CUDA plugin";
  return make_collective_plan({.asked = asked,
                               .device = machine.device,
                               .gpus_per_node = machine.gpus,
                               .node_of_rank = machine.node_of_rank,
                               .missing_backends = missing,
                               .memory_available_bytes = machine.memory});
}

CollectivePlan plan_of(Options options, const Machine& machine = {}) {
  CollectivePlanAnswer answer = answer_to(options, machine);
  for (const auto& problem : answer.problems) ADD_FAILURE() << to_line(problem);
  return std::move(answer.plan);
}

std::vector<std::string> groups(const CollectivePlan& plan) {
  std::vector<std::string> names;
  for (const CollectivePoint& point : plan.points) names.push_back(point.group);
  return names;
}

// The reason for which the only point is skipped.
std::string reason(Options options, const Machine& machine) {
  const CollectivePlanAnswer answer = answer_to(options, machine);
  const auto& points = answer.plan.points;
  const auto skipped = std::ranges::find_if(
      points, [](const CollectivePoint& point) { return point.skipped.has_value(); });
  return skipped == points.end() ? "" : *skipped->skipped;
}

TEST(CollectivePlan, DefaultsMeasureAllReduceOnAllRanks) {
  const CollectivePlanAnswer answer = answer_to({{"backend", "gloo"}});
  const CollectivePlan& plan = answer.plan;
  ASSERT_EQ(plan.points.size(), 9U);
  EXPECT_EQ(plan.points[1].group, "all-reduce-4KiB-fp32-w4-gloo");
  EXPECT_EQ(plan.points[1].elements, 1024);
  EXPECT_EQ(plan.points[1].bytes(), 4096);
  EXPECT_EQ(plan.points[1].members, (std::vector{0, 1, 2, 3}));
  EXPECT_TRUE(plan.points[1].in_place);
  EXPECT_EQ(plan.repetitions, 5);
  EXPECT_EQ(answer.comm.world_sizes, std::vector{4});
}

TEST(CollectivePlan, EveryBackendThatServesTheDeviceAndIsThere) {
  const auto backends = answer_to({{"sizes", "4KiB"}}).comm.backends;
  EXPECT_EQ(std::ranges::count(backends, "gloo"), 1);
  EXPECT_EQ(std::ranges::count(backends, "nccl"), 0);
  const auto on_gpus = answer_to({{"sizes", "4KiB"}}, {.device = DeviceKind::kCuda, .gpus = 4});
  EXPECT_EQ(on_gpus.comm.backends, (std::vector<std::string>{"nccl", "gloo"}));
}

TEST(CollectivePlan, TheCrossProductInTheOrderOfTheOptions) {
  const CollectivePlan plan = plan_of({{"collectives", "all-reduce,all-gather"},
                                       {"sizes", "1KiB,4KiB"},
                                       {"dtypes", "fp32,bf16"},
                                       {"backend", "gloo"},
                                       {"world_sizes", "2,4"}});
  EXPECT_EQ(groups(plan), (std::vector<std::string>{
                              "all-reduce-1KiB-fp32-w2-gloo", "all-reduce-1KiB-fp32-w4-gloo",
                              "all-reduce-1KiB-bf16-w2-gloo", "all-reduce-1KiB-bf16-w4-gloo",
                              "all-reduce-4KiB-fp32-w2-gloo", "all-reduce-4KiB-fp32-w4-gloo",
                              "all-reduce-4KiB-bf16-w2-gloo", "all-reduce-4KiB-bf16-w4-gloo",
                              "all-gather-1KiB-fp32-w2-gloo", "all-gather-1KiB-fp32-w4-gloo",
                              "all-gather-1KiB-bf16-w2-gloo", "all-gather-1KiB-bf16-w4-gloo",
                              "all-gather-4KiB-fp32-w2-gloo", "all-gather-4KiB-fp32-w4-gloo",
                              "all-gather-4KiB-bf16-w2-gloo", "all-gather-4KiB-bf16-w4-gloo"}));
}

TEST(CollectivePlan, WhatIsNotAsUsualIsInTheName) {
  EXPECT_EQ(
      groups(plan_of({{"collectives", "all-gather"},
                      {"sizes", "4KiB"},
                      {"backend", "gloo"},
                      {"in_place", "on,off"},
                      {"overlap_compute", "on"},
                      {"congestion", "on"}})),
      (std::vector<std::string>{"all-gather-4KiB-fp32-w4-gloo-in-place-overlap-compute-congestion",
                                "all-gather-4KiB-fp32-w4-gloo-overlap-compute-congestion"}));
  EXPECT_EQ(groups(plan_of({{"sizes", "4KiB"}, {"backend", "gloo"}, {"placement", "spread"}})),
            std::vector<std::string>{"all-reduce-4KiB-fp32-w4-gloo-spread"});
}

TEST(CollectivePlan, ABarrierIsOnePointWhateverTheSizes) {
  EXPECT_EQ(groups(plan_of({{"collectives", "barrier"},
                            {"sizes", "1KiB..64MiB*4"},
                            {"dtypes", "fp32,bf16"},
                            {"in_place", "on,off"},
                            {"backend", "gloo"}})),
            std::vector<std::string>{"barrier-w4-gloo"});
}

TEST(CollectivePlan, NamesAreUniqueAndSizesThatRoundToTheSameAreOne) {
  const CollectivePlan plan = plan_of({{"collectives", "all-reduce,all-gather"},
                                       {"sizes", "4096,4097,1Ki:elem,1KiB..64KiB*2"},
                                       {"backend", "gloo"},
                                       {"world_sizes", "2,3"}});
  const auto names = groups(plan);
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), names.size());
  EXPECT_EQ(std::ranges::count(names, "all-reduce-4KiB-fp32-w2-gloo"), 1);
  EXPECT_EQ(std::ranges::count(names, "all-gather-4080B-fp32-w3-gloo"), 1);  // 1360 B each
}

TEST(CollectivePlan, PlacementsThatGiveTheSameRanksAreMeasuredOnce) {
  const CollectivePlan one = plan_of(
      {{"sizes", "4KiB"}, {"backend", "gloo"}, {"world_sizes", "2"}, {"placement", "fill,spread"}});
  EXPECT_EQ(one.points.size(), 1U);
  ASSERT_EQ(one.notes.size(), 1U);
  EXPECT_EQ(one.notes[0], "both placements give the same 2 ranks; they are measured once");
  const CollectivePlan two = plan_of(
      {{"sizes", "4KiB"}, {"backend", "gloo"}, {"world_sizes", "2"}, {"placement", "fill,spread"}},
      {.node_of_rank = {0, 0, 1, 1}});
  ASSERT_EQ(two.points.size(), 2U);
  EXPECT_EQ(two.points[0].members, (std::vector{0, 1}));
  EXPECT_EQ(two.points[1].members, (std::vector{0, 2}));
}

TEST(CollectivePlan, WhatCannotBeIsSkippedWithItsReason) {
  const Machine cpu, gpu{.device = DeviceKind::kCuda, .gpus = 2};
  EXPECT_EQ(reason({{"sizes", "4KiB"}, {"backend", "nccl,gloo"}}, cpu), "no CUDA plugin");
  EXPECT_EQ(reason({{"sizes", "4KiB"}, {"backend", "nccl,gloo"}}, gpu),
            "4 ranks on 2 GPUs: nccl takes one rank per GPU");
  EXPECT_EQ(reason({{"sizes", "4KiB"}, {"backend", "gloo"}, {"world_sizes", "1,2"}}, cpu),
            "one rank has nobody to exchange with");
  EXPECT_EQ(reason({{"sizes", "4KiB"}, {"backend", "gloo"}, {"via", "c10d,direct"}}, cpu),
            "gloo can be called through c10d only (direct: nccl, mpi)");
  EXPECT_EQ(reason({{"sizes", "4KiB"}, {"backend", "gloo"}, {"in_place", "on,off"}}, cpu),
            "c10d has all-reduce in place only");
  EXPECT_EQ(reason({{"collectives", "all-to-all"},
                    {"sizes", "4KiB"},
                    {"backend", "gloo"},
                    {"in_place", "on,off"}},
                   cpu),
            "all-to-all cannot be done in place: a rank would overwrite what it has not yet sent");
  EXPECT_EQ(
      reason({{"collectives", "send-recv,all-reduce"}, {"sizes", "4KiB"}, {"backend", "gloo"}},
             gpu),
      "gloo sends and receives tensors of the CPU only");
  EXPECT_EQ(reason({{"collectives", "all-gather"}, {"sizes", "8,64"}, {"backend", "gloo"}}, cpu),
            "too small: each of 4 ranks would have less than one element");
}

TEST(CollectivePlan, WhatMemoryCannotHoldIsSkipped) {
  Machine small;
  small.memory = 3 << 20;
  const CollectivePlan plan = plan_of(
      {{"collectives", "all-reduce,send-recv"}, {"sizes", "2MiB,4MiB"}, {"backend", "gloo"}},
      small);
  ASSERT_EQ(plan.points.size(), 4U);
  EXPECT_FALSE(plan.points[0].skipped) << "in place: one buffer";
  EXPECT_EQ(plan.points[1].skipped, "its buffers need 4 MiB, and a rank has 3 MiB");
  EXPECT_EQ(plan.points[2].skipped, "its buffers need 4 MiB, and a rank has 3 MiB");
}

TEST(CollectivePlan, ValuesThatNoPointCanUseAreRefused) {
  const auto too_many = answer_to({{"world_sizes", "2,8"}}).problems;
  ASSERT_EQ(too_many.size(), 1U);
  EXPECT_EQ(to_line(too_many[0]),
            "--world-sizes is '8' (from option); at most 4, the ranks that are launched. Hint: "
            "start more ranks, or leave it out");
  const auto alone = answer_to({{"sizes", "4KiB"}, {"backend", "gloo"}}, {.node_of_rank = {0}});
  ASSERT_EQ(alone.problems.size(), 1U);
  EXPECT_NE(alone.problems[0].allowed.find("one rank has nobody to exchange with"),
            std::string::npos);
  EXPECT_NE(alone.problems[0].hint.find("--nproc-per-node 2"), std::string::npos);
  const auto endless =
      answer_to({{"sizes", "4..40000+4"}, {"backend", "gloo"}, {"world_sizes", "2,3"}}).problems;
  ASSERT_EQ(endless.size(), 1U);
  EXPECT_EQ(endless[0].found, "20000 points");
}

TEST(CollectivePlan, SizesOfAWorkloadAreItsGradientsAndBuckets) {
  std::vector<std::string> texts;
  for (const auto& size : gradient_sizes("resnet50")) texts.push_back(to_text(size));
  // 25,557,032 parameters: 1 MiB, then 25 MiB as often as it fits, then the rest.
  EXPECT_EQ(texts, (std::vector<std::string>{"256Ki:elem", "5634088:elem", "6400Ki:elem",
                                             "25557032:elem"}));
  EXPECT_EQ((25557032 - 262144) % 6553600, 5634088);
  EXPECT_TRUE(gradient_sizes("none").empty());
  const CollectivePlan plan =
      plan_of({{"sizes_of", "mlp"}, {"dtypes", "fp32,bf16"}, {"backend", "gloo"}});
  EXPECT_EQ(plan.points.front().group, "all-reduce-1MiB-fp32-w4-gloo");
  EXPECT_EQ(plan.points[1].group, "all-reduce-512KiB-bf16-w4-gloo");
}

TEST(Batches, HoldEveryPointThatCanRunOnceWithItsOwnRanks) {
  const CollectivePlan plan = plan_of({{"collectives", "all-reduce,all-gather"},
                                       {"sizes", "1KiB..64KiB*2"},
                                       {"backend", "gloo,nccl"},
                                       {"world_sizes", "1,2,4"}});
  std::set<std::string> names;
  for (const int k : {0, 1, 1000}) {
    std::set<std::size_t> seen;
    const auto batches = batches_of_block(plan, k);
    EXPECT_EQ(batches.size(), 2U) << "gloo on 2 and on 4 ranks";
    for (const CollectiveBatch& batch : batches) {
      EXPECT_TRUE(names.insert(batch.name).second) << batch.name;
      EXPECT_EQ(batch.repetition, k);
      for (const std::size_t i : batch.points) {
        EXPECT_TRUE(seen.insert(i).second);
        EXPECT_EQ(plan.points[i].members, batch.members);
        EXPECT_EQ(plan.points[i].backend, batch.backend);
        EXPECT_FALSE(plan.points[i].skipped);
      }
    }
    EXPECT_EQ(seen.size(), 28U);
  }
}

TEST(Batches, TheOrderFollowsFromSeedAndBlockAlone) {
  CollectivePlan plan =
      plan_of({{"sizes", "1KiB..64MiB*2"}, {"backend", "gloo"}, {"world_sizes", "2,3,4"}});
  const auto order = [&](int k) {
    std::vector<std::size_t> points;
    for (const CollectiveBatch& batch : batches_of_block(plan, k)) {
      points.insert(points.end(), batch.points.begin(), batch.points.end());
    }
    return points;
  };
  EXPECT_EQ(order(3), order(3));
  EXPECT_NE(order(3), order(4));
  const auto fourth = order(4);
  plan.seed = 1;
  EXPECT_EQ(order(3), fourth) << "seed + k";
}

TEST(AssignMembers, OnceTheNodesAreKnown) {
  CollectivePlan plan = plan_of({{"sizes", "4KiB"}, {"backend", "gloo"}, {"world_sizes", "2"}});
  assign_members(plan, {0, 1, 0, 1});
  EXPECT_EQ(plan.points[0].members, (std::vector{0, 2}));
  EXPECT_EQ(run_id(plan.points[0], 3), "all-reduce-4KiB-fp32-w2-gloo/r3");
}

TEST(PlanFingerprint, IsOfWhatIsMeasuredNotOfAMachine) {
  const Options options{{"sizes", "2MiB,4MiB"}, {"backend", "gloo"}};
  Machine some, other;
  some.memory = 3 << 20;
  other.memory = (3 << 20) + 1'000'000;
  const CollectivePlan a = plan_of(options, some), b = plan_of(options, other);
  EXPECT_NE(a.points[1].skipped, b.points[1].skipped) << "each says what its rank has";
  EXPECT_EQ(plan_digest(a), plan_digest(b));
  EXPECT_NE(plan_digest(a), plan_digest(plan_of(options))) << "there 4 MiB runs";
}

TEST(PlanJson, SaysWhatRunsAndWhatDoesNot) {
  const CollectivePlan plan =
      plan_of({{"sizes", "4KiB"}, {"backend", "gloo"}, {"in_place", "on,off"}});
  const auto json = nlohmann::json::parse(to_json(plan));
  EXPECT_EQ(json["runs"], 5);
  EXPECT_EQ(json["points"][0]["group"], "all-reduce-4KiB-fp32-w4-gloo");
  EXPECT_EQ(json["points"][0]["bytes"], 4096);
  EXPECT_FALSE(json["points"][0].contains("skipped"));
  EXPECT_EQ(json["points"][1]["skipped"], "c10d has all-reduce in place only");
}

TEST(EstimatedTime, GrowsWithPointsAndSizes) {
  const auto seconds = [](Options options) { return estimated_s(plan_of(options)); };
  const double few = seconds({{"sizes", "4KiB"}, {"backend", "gloo"}});
  EXPECT_GT(seconds({{"sizes", "4KiB,8KiB"}, {"backend", "gloo"}}), few);
  EXPECT_GT(seconds({{"sizes", "1GiB"}, {"backend", "gloo"}}), 10 * few);
}

TEST(Support, DirectCallsHaveBothPlaces) {
  CollectiveCall call{.collective = Collective::kAllReduce,
                      .backend = "mpi",
                      .via = Via::kDirect,
                      .in_place = false};
  EXPECT_FALSE(lack_of(call));
  call.via = Via::kC10d;
  EXPECT_TRUE(lack_of(call));
  call.device = DeviceKind::kCuda;
  call.in_place = true;
  EXPECT_EQ(lack_of(call), "mpi takes no tensors of --device cuda");
  EXPECT_EQ(staging_of("gloo", DeviceKind::kCuda), collectives::Staging::kHost);
  EXPECT_EQ(staging_of("gloo", DeviceKind::kCpu), collectives::Staging::kNone);
  EXPECT_EQ(staging_of("nccl", DeviceKind::kCuda), collectives::Staging::kNone);
}

TEST(RanksWanted, TheLargestWorldSizeOrAllGpusOrTwo) {
  const settings::Machine cpu{.cores = 8}, gpus{.cores = 8, .gpus = {{}, {}, {}}};
  EXPECT_EQ(ranks_wanted(asked_for({}), cpu), 2);
  EXPECT_EQ(ranks_wanted(asked_for({}), gpus), 3);
  EXPECT_EQ(ranks_wanted(asked_for({{"device", "cpu"}}), gpus), 2);
  EXPECT_EQ(ranks_wanted(asked_for({{"world_sizes", "2,4"}}), gpus), 4);
}

TEST(RanksWanted, TheGpusOfEveryNode) {
  const settings::Machine cpu{.cores = 8}, gpus{.cores = 8, .gpus = {{}, {}, {}}};
  EXPECT_EQ(ranks_wanted(asked_for({{"nnodes", "16"}}), gpus), 48);
  EXPECT_EQ(ranks_wanted(asked_for({{"nnodes", "16"}}), cpu), 2);
  EXPECT_EQ(ranks_wanted(asked_for({{"nnodes", "2"}, {"world_sizes", "2,4"}}), gpus), 4);
  for (const char* none : {"0", "-1", "65537", "99999999999999999999", "two"}) {
    settings::CommRequest asked;
    asked.common["nnodes"] = {none, "option"};
    EXPECT_EQ(ranks_wanted(asked, gpus), 3) << none;
  }
}

TEST(EstimatedTime, OfPairsIsThatOfTheRounds) {
  const auto seconds = [](const char* by, std::vector<int> nodes) {
    return estimated_s(plan_of({{"pairs", "on"}, {"pair_by", by}, {"backend", "gloo"}},
                               {.node_of_rank = std::move(nodes)}));
  };
  const double one_round = seconds("node", {0, 1});
  EXPECT_EQ(seconds("node", {0, 0, 1, 1}), one_round);
  EXPECT_EQ(seconds("rank", {0, 0, 1, 1}), one_round);
  EXPECT_GT(seconds("node", {0, 0, 0, 0}), seconds("node", {0, 0}));
  EXPECT_GT(seconds("rank", {0, 1, 2, 3}), one_round);
}

TEST(PointsOfParts, HaveMessagesThatTheSlowestLinkCarriesSoon) {
  constexpr std::int64_t kMiB = 1 << 20;
  const PairPlan pairs{.backend = "nccl", .seed = 7};
  const auto largest = [&](int nodes, settings::DeviceKind device, double bytes_per_s) {
    std::vector<int> node_of_rank;
    for (int node = 0; node < nodes; ++node) node_of_rank.insert(node_of_rank.end(), 8, node);
    const std::vector<double> slowest(static_cast<std::size_t>(nodes), bytes_per_s);
    const auto divisions = points_of_parts(pairs, device, node_of_rank, slowest);
    EXPECT_EQ(divisions.front().front().world_size, 8 * nodes);
    return divisions.front().front().bytes() / kMiB;
  };
  using enum settings::DeviceKind;
  EXPECT_EQ(largest(8, kCuda, 50e9), 256);
  EXPECT_EQ(largest(64, kCuda, 1e12), 2048);
  EXPECT_EQ(largest(1000, kCuda, 1e12), 8192);
  EXPECT_EQ(largest(8, kCpu, 1e9), 16);
  EXPECT_EQ(largest(8, kCuda, 1.25e9), 32) << "10 Gbit/s";
  EXPECT_EQ(largest(8, kCuda, 0), 4) << "halved six times at most";
  const auto divisions =
      points_of_parts(pairs, kCpu, {0, 0, 1, 1, 2, 2, 3, 3}, {1e9, 1e9, 1e9, 1e9});
  ASSERT_EQ(divisions.size(), 2U);
  EXPECT_EQ(divisions[1][0].group, "all-reduce-16MiB-fp32-w4-nccl-part-1-of-2");
  EXPECT_EQ(divisions[1][1].group, "all-reduce-16MiB-fp32-w4-nccl-part-2-of-2");
  const auto with_one =
      points_of_parts(pairs, kCpu, {0, 0, 1, 1, 2, 2, 3, 3}, {1e7, 1e9, 1e9, 1e9});
  for (const CollectivePoint& part : with_one[1]) {
    const bool has_it = std::ranges::count(part.members, 0) > 0;
    EXPECT_EQ(part.bytes(), has_it ? kMiB / 4 : 16 * kMiB) << "its own part alone is short";
  }
}

TEST(UsedBackends, OfPointsThatRun) {
  EXPECT_EQ(used_backends(plan_of({{"sizes", "4KiB"}, {"backend", "nccl,gloo"}})),
            std::vector<std::string>{"gloo"});
}

}  // namespace
}  // namespace scalemark::planning
