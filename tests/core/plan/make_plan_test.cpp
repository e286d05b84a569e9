#include "core/plan/make_plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tests/core/plan/plans.h"

namespace scalemark::planning {
namespace {

using Names = std::vector<std::string>;

const settings::Gpu kGpu{"new", settings::ComputeCapability{9, 0}};

TEST(MakePlan, AloneIsTheMlpOnOneAndTwoRanksWithinTwoMinutes) {
  const Plan p = plan({}, {0, 0});
  EXPECT_EQ(groups(p),
            (Names{"mlp-b64-fp32-w1-none", "mlp-b64-fp32-w2-ddp", "mlp-b64-fp32-w2-none"}));
  EXPECT_EQ(p.points[0].role, Role::kBaseline);
  EXPECT_EQ(p.points[1].role, Role::kMeasured);
  EXPECT_EQ(p.points[2].role, Role::kSolo);
  EXPECT_TRUE(p.points[0].asked);
  EXPECT_FALSE(p.points[2].asked);
  EXPECT_EQ(p.runs.size(), 15u);
  EXPECT_LT(p.estimated_s, 120);
  ASSERT_EQ(p.slices.size(), 1u);
  EXPECT_EQ(p.slices[0].kind, SliceKind::kWeak);
  EXPECT_EQ(p.slices[0].rows, (std::vector<std::size_t>{0, 1}));
  EXPECT_EQ(p.slices[0].baseline, 0u);
  EXPECT_EQ(p.slices[0].solo, 2u);
  EXPECT_EQ(
      p.slices[0].fixed,
      (std::map<std::string, std::string>{
          {"workload", "mlp"}, {"precision", "fp32"}, {"strategy", "ddp"}, {"batch_size", "64"}}));
}

TEST(MakePlan, OnGpusItIsResNetOnAllOfThem) {
  const settings::Machine machine{.cores = 16, .gpus = std::vector(6, kGpu)};
  const settings::SweepRequest asked = settings::read_sweep({});
  EXPECT_EQ(ranks_wanted(asked, machine), 6);
  EXPECT_EQ(ranks_wanted(asked, {.cores = 16}), 2);
  for (const char* sizes : {"", "all"}) {
    settings::RawSettings raw{{"nnodes", {"16", "option"}}};
    if (*sizes) raw["world_sizes"] = {sizes, "config"};
    EXPECT_EQ(ranks_wanted(settings::read_sweep(raw), machine), 96);
    EXPECT_EQ(ranks_wanted(settings::read_sweep(raw), {.cores = 16}), 2);
    raw["world_sizes"] = {"1,32", "option"};
    EXPECT_EQ(ranks_wanted(settings::read_sweep(raw), machine), 32);
  }
  const Plan p = plan({}, {0, 0, 0, 0, 0, 0}, machine);
  EXPECT_EQ(p.sweep.world_sizes, (std::vector<int>{1, 2, 4, 6}));
  EXPECT_EQ(p.points[0].settings.task.workload, "resnet50");
  EXPECT_EQ(p.points[0].settings.parallel.backend, "nccl");
}

TEST(MakePlan, APointKnowsWhatElseVaries) {
  const Plan p = plan({{"world_sizes", "2"},
                       {"strategy", "ddp"},
                       {"optimizer", "sgd,adam"},
                       {"overlap", "on,off"},
                       {"gradient_accumulation_steps", "1,2"}},
                      {0, 0});
  std::set<std::vector<std::pair<std::string, std::string>>> measured, alone;
  for (const PlannedPoint& point : p.points) {
    (point.settings.parallel.strategy == "none" ? alone : measured).insert(point.varying);
    EXPECT_EQ(point.group.find(point_name(point.settings, point.world_size)), 0u) << point.group;
  }
  EXPECT_EQ(measured.size(), 4u);
  EXPECT_TRUE(measured.contains({{"optimizer", "adam"}, {"overlap", "off"}}));
  EXPECT_EQ(alone, (decltype(alone){{{"optimizer", "adam"}}, {{"optimizer", "sgd"}}}))
      << "what is about the exchange means nothing there";
}

TEST(MakePlan, TrainAndSweepNameAPointAlike) {
  settings::Settings settings;
  settings.task.workload = "mlp";
  settings.parallel.precision = settings::Precision::kFp32;
  settings.parallel.strategy = "ddp";
  settings.size = {8, 2, 32};
  EXPECT_EQ(point_name(settings, 2), "mlp-b8-a2-fp32-w2-ddp");
}

TEST(MakePlan, WeakAndStrongSlicesShareThePointsThatAreTheSame) {
  const Plan p =
      plan({{"world_sizes", "1,2,4"}, {"batch_size", "16"}, {"global_batch_size", "64"}});
  EXPECT_EQ(groups(p),
            (Names{"mlp-b16-fp32-w1-none", "mlp-b16-fp32-w2-ddp", "mlp-b16-fp32-w4-ddp",
                   "mlp-b16-fp32-w4-none", "mlp-b64-fp32-w1-none", "mlp-b32-fp32-w2-ddp"}));
  ASSERT_EQ(p.slices.size(), 2u);
  EXPECT_EQ(p.slices[0].rows, (std::vector<std::size_t>{0, 1, 2}));
  EXPECT_EQ(p.slices[1].kind, SliceKind::kStrongByBatch);
  EXPECT_EQ(p.slices[1].rows, (std::vector<std::size_t>{4, 5, 2}));
  EXPECT_EQ(p.slices[1].baseline, 4u);
  EXPECT_EQ(p.slices[1].solo, p.slices[0].solo);
  for (const std::size_t row : p.slices[1].rows) {
    EXPECT_EQ(p.points[row].settings.size.global_batch_size, 64);
  }
}

TEST(MakePlan, StrongByAccumulationKeepsTheBatch) {
  const Plan p = plan(
      {{"world_sizes", "1,2,3,4"}, {"global_batch_size", "64"}, {"strong_by", "accumulation"}});
  EXPECT_EQ(groups(p),
            (Names{"mlp-b16-a4-fp32-w1-none", "mlp-b16-a2-fp32-w2-ddp", "mlp-b16-g64-fp32-w3-ddp",
                   "mlp-b16-fp32-w4-ddp", "mlp-b16-fp32-w4-none"}));
  EXPECT_EQ(p.points[2].skipped,
            "--global-batch-size 64: a multiple of 48 (batch size 16 x 3 ranks), like 48 or 96");
  EXPECT_EQ(p.slices[0].kind, SliceKind::kStrongByAccumulation);
  for (const PlannedRun& run : p.runs) EXPECT_NE(run.point, 2u);
}

TEST(MakePlan, WhatDoesNotDivideIsSkippedWithItsReason) {
  const Plan p = plan({{"world_sizes", "2,3"}, {"global_batch_size", "8"}});
  EXPECT_EQ(groups(p), (Names{"mlp-b4-fp32-w2-ddp", "mlp-g8-fp32-w3-ddp", "mlp-b8-fp32-w1-none",
                              "mlp-b4-fp32-w2-none"}));
  EXPECT_EQ(p.points[1].skipped,
            "--global-batch-size 8: a multiple of 3 (accumulation 1 x 3 ranks), like 6 or 9");
  EXPECT_EQ(p.points[1].settings.size.batch_size, 0);
  EXPECT_EQ(p.slices[0].solo, 3u);  // 2 is the largest world size that can be measured
}

TEST(MakePlan, DdpOnOneRankIsARowOfItsOwn) {
  const Plan p = plan({{"world_sizes", "1,2"}, {"strategy", "ddp"}});
  EXPECT_EQ(find(p, "mlp-b64-fp32-w1-ddp").role, Role::kMeasured);
  EXPECT_FALSE(find(p, "mlp-b64-fp32-w1-none").asked);
  EXPECT_EQ(p.points.size(), 4u);
}

TEST(MakePlan, AskingForStrategyNoneMakesNoPointTwice) {
  const Plan p = plan({{"world_sizes", "1,2"}, {"strategy", "none,ddp"}});
  EXPECT_EQ(groups(p), (Names{"mlp-b64-fp32-w1-none", "mlp-b64-fp32-w2-none", "mlp-b64-fp32-w1-ddp",
                              "mlp-b64-fp32-w2-ddp"}));
  EXPECT_TRUE(p.points[1].asked);
}

TEST(MakePlan, OptionsOfTheExchangeShareTheirBaseline) {
  const Plan p = plan({{"world_sizes", "1,2"}, {"bucket_cap_mb", "1,25"}, {"overlap", "on,off"}});
  EXPECT_EQ(p.slices.size(), 4u);
  EXPECT_EQ(p.points.size(), 6u);
  for (const Slice& slice : p.slices) EXPECT_EQ(slice.baseline, p.slices[0].baseline);
  EXPECT_EQ(find(p, "mlp-b64-fp32-w2-ddp-overlap-off-bucket1").settings.parallel.overlap, false);
}

TEST(MakePlan, AnAxisThatAWorkloadDoesNotUseDoesNotRepeatIt) {
  const Plan p = plan({{"world_sizes", "1"},
                       {"workload", "mlp,resnet50"},
                       {"image_size", "64,128"},
                       {"batch_size", "2"}});
  EXPECT_EQ(groups(p), (Names{"mlp-b2-fp32-w1-none", "resnet50-b2-fp32-w1-none-i64",
                              "resnet50-b2-fp32-w1-none-i128"}));
}

TEST(MakePlan, OptionsOfReadingDoNotRepeatSyntheticPoints) {
  const Plan p = plan({{"world_sizes", "1"},
                       {"workload", "resnet50"},
                       {"data", "synthetic,/x"},
                       {"workers", "1,4,8"}});
  EXPECT_EQ(
      groups(p),
      (Names{"resnet50-b32-fp32-w1-none-data-synthetic", "resnet50-b32-fp32-w1-none-data-x-j1",
             "resnet50-b32-fp32-w1-none-data-x-j4", "resnet50-b32-fp32-w1-none-data-x-j8"}));
  EXPECT_EQ(p.runs.size(), 4u * 5u);
}

TEST(MakePlan, PinnedMemoryMeansSomethingToGpusOnly) {
  EXPECT_EQ(plan({{"world_sizes", "1"}, {"device", "cpu"}, {"pin_memory", "on,off"}}).points.size(),
            1u);
  const settings::Machine machine{.cores = 16, .gpus = {kGpu}};
  EXPECT_EQ(plan({{"world_sizes", "1"}, {"pin_memory", "on,off"}}, {0}, machine).points.size(), 2u);
}

TEST(MakePlan, AnAxisWithoutEffectIsDroppedBesideOthersAndElseRefused) {
  const Plan both = plan({{"pin_memory", "on,off"}, {"bucket_cap_mb", "1,25"}}, {0, 0});
  EXPECT_EQ(std::ranges::count(both.comparisons, "pin_memory", &Comparison::axis), 0);
  EXPECT_GT(std::ranges::count(both.comparisons, "bucket_cap_mb", &Comparison::axis), 0);
  const std::string dropped =
      "--pin-memory has no effect: the device is a CPU; only on is measured";
  EXPECT_EQ(std::ranges::count(both.notes, dropped), 1);
  const auto problems = answer({{"pin_memory", "on,off"}}, {0, 0}).problems;
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_NE(to_line(problems[0]).find("no axis is left to sweep"), std::string::npos);
}

TEST(MakePlan, FusedLayersAreAnAxisWhereThereAreAny) {
  const settings::Machine machine{.cores = 16, .gpus = {kGpu}};
  for (const char* device : {"cpu", "cuda"}) {
    const auto points_of = [&](const char* workloads) {
      return plan({{"world_sizes", "1"},
                   {"workload", workloads},
                   {"device", device},
                   {"fused_layers", "on,off"}},
                  {0}, machine)
          .points.size();
    };
    EXPECT_EQ(points_of("resnet50,bert-mini"), 4u) << device;
    EXPECT_EQ(points_of("resnet50,mlp"), 3u) << device;
  }
}

TEST(MakePlan, ImpossibleCombinationsOfValuesThatServeElsewhereAreSkipped) {
  const Plan p =
      plan({{"world_sizes", "1"}, {"workload", "mlp,resnet50"}, {"data", "synthetic,/pictures/"}});
  EXPECT_EQ(groups(p),
            (Names{"mlp-b64-fp32-w1-none-data-synthetic", "mlp-b64-fp32-w1-none-data-pictures",
                   "resnet50-b32-fp32-w1-none-data-synthetic",
                   "resnet50-b32-fp32-w1-none-data-pictures"}));
  EXPECT_EQ(p.points[1].skipped, "--data /pictures/: mlp trains on synthetic data only");
  EXPECT_FALSE(p.points[3].skipped);
}

TEST(MakePlan, FoldersOfOneNameAreToldApart) {
  const Plan p = plan({{"world_sizes", "1"}, {"workload", "resnet50"}, {"data", "/a/x,/b/x"}});
  EXPECT_EQ(groups(p),
            (Names{"resnet50-b32-fp32-w1-none-data-x", "resnet50-b32-fp32-w1-none-data-x-2"}));
}

TEST(MakePlan, ThreadsAreTheSameForEveryPoint) {
  for (const PlannedPoint& point : plan({{"world_sizes", "1,2,4"}}).points) {
    EXPECT_EQ(point.settings.parallel.threads, 2);  // 8 cores / 4 ranks, the baseline too
  }
  // Two nodes of two ranks: a node never holds more than two.
  EXPECT_EQ(plan({{"world_sizes", "1,4"}}, {0, 0, 1, 1}).points[0].settings.parallel.threads, 4);
  const Plan one_a_node = plan({{"world_sizes", "1,2"}, {"placement", "spread"}}, {0, 0, 1, 1});
  EXPECT_EQ(one_a_node.points[0].settings.parallel.threads, 8);
  EXPECT_EQ(one_a_node.points[1].members, (std::vector<int>{0, 2}));
  EXPECT_EQ(plan({{"threads", "3"}}).points[0].settings.parallel.threads, 3);
}

TEST(MakePlan, ASearchedBatchIsOneForTheSliceAndItsBaseline) {
  Plan p = plan({{"world_sizes", "1,2,4"}, {"batch_size", "auto,8"}, {"bucket_cap_mb", "1,25"}});
  ASSERT_EQ(p.searches.size(), 1u);
  const BatchSearch& search = p.searches[0];
  EXPECT_EQ(p.points[search.point].world_size, 4);
  EXPECT_EQ(p.points[search.point].settings.parallel.strategy, "ddp");
  EXPECT_EQ(search.users.size(), 6u);  // baseline, 2 and 4 ranks with two bucket sizes, solo
  for (const PlannedPoint& point : p.points) {
    EXPECT_EQ(point.batch_search.has_value(), point.group.find("bauto") != std::string::npos);
  }
  const auto found = with_batch_size(p.points[search.point].settings, 24, 4);
  EXPECT_EQ(found.size.batch_size, 24);
  EXPECT_EQ(found.size.global_batch_size, 96);
}

TEST(WithBatchSize, ScalesTheLearningRateAnew) {
  const Plan p = plan({{"world_sizes", "2"},
                       {"batch_size", "auto"},
                       {"lr_scaling", "linear"},
                       {"workload", "resnet50"}});
  const auto found = with_batch_size(find(p, "resnet50-bauto-fp32-w2-ddp").settings, 128, 2);
  EXPECT_DOUBLE_EQ(found.recipe.learning_rate, 0.1);  // the reference batch is 256
}

TEST(MakePlan, EstimatesStandBesideEveryPointThatRuns) {
  const Plan p = plan({{"world_sizes", "1,2,3"}, {"global_batch_size", "64"}});
  double sum = 0;
  for (const PlannedPoint& point : p.points) {
    EXPECT_EQ(point.memory_estimate_bytes > 0, !point.skipped) << point.group;
    EXPECT_EQ(point.estimated_s > 0, !point.skipped) << point.group;
    sum += point.estimated_s;
  }
  EXPECT_NEAR(p.estimated_s, 1 + 5 * sum, 1e-9);
}

TEST(MakePlan, GroupsAndIdsAreUnique) {
  const Plan p = plan({{"world_sizes", "1,2,4"},
                       {"batch_size", "1..8*2"},
                       {"global_batch_size", "16,32"},
                       {"overlap", "on,off"},
                       {"gradient_accumulation_steps", "1,2"},
                       {"workers", "0,2"}});
  std::set<std::string> names, ids;
  for (const std::string& name : groups(p)) {
    EXPECT_TRUE(names.insert(name).second) << name;
    EXPECT_EQ(name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                     "0123456789.-_"),
              std::string::npos);
  }
  for (const PlannedRun& run : p.runs) EXPECT_TRUE(ids.insert(run.id).second) << run.id;
}

// ---- a dedicated server ----

TEST(MakePlan, WorldSizesCountTrainingRanksAndTheServerIsOneProcessMore) {
  const Plan p =
      plan({{"world_sizes", "1,2"}, {"strategy", "ddp,parameter-server"}, {"server", "dedicated"}},
           {0, 0, 0});
  const PlannedPoint& served = find(p, "mlp-b64-fp32-w2-parameter-server");
  EXPECT_EQ(served.world_size, 2);
  EXPECT_EQ(served.processes, 3);
  EXPECT_EQ(served.settings.size.global_batch_size, 128);
  EXPECT_EQ(find(p, "mlp-b64-fp32-w2-ddp").processes, 2);
  EXPECT_EQ(find(p, "mlp-b64-fp32-w2-ddp").members, (std::vector<int>{0, 1}));
  EXPECT_EQ(find(p, "mlp-b64-fp32-w2-none").processes, 2);
  EXPECT_EQ(served.settings.parallel.threads, 2) << "8 cores, 3 processes";
  EXPECT_EQ(find(p, "mlp-b64-fp32-w2-ddp").settings.parallel.threads, 2) << "the same for all";
}

TEST(MakePlan, TheLaunchHasRoomForTheServer) {
  const auto wanted = [](Options options) {
    settings::RawSettings raw;
    for (const auto& [name, text] : options) raw[name] = {text, "option"};
    return ranks_wanted(settings::read_sweep(raw), {.cores = 8});
  };
  EXPECT_EQ(wanted({{"strategy", "ddp,parameter-server"}, {"server", "dedicated"}}), 3);
  EXPECT_EQ(wanted({{"strategy", "parameter-server"},
                    {"server", "rank0,dedicated"},
                    {"world_sizes", "1,2,4"}}),
            5);
  EXPECT_EQ(wanted({{"strategy", "ddp"}, {"world_sizes", "1,2,4"}}), 4);
  const Plan alone = plan({{"strategy", "parameter-server"}, {"server", "dedicated"}});
  EXPECT_EQ(alone.sweep.world_sizes, (std::vector<int>{1, 2, 3}));
}

TEST(MakePlan, APointThatLacksAProcessForItsServerIsSkipped) {
  const Plan p =
      plan({{"world_sizes", "1,2"}, {"strategy", "ddp,parameter-server"}, {"server", "dedicated"}},
           {0, 0});
  EXPECT_EQ(find(p, "mlp-b64-fp32-w2-parameter-server").skipped,
            "--server dedicated: needs 3 processes, and 2 are launched");
  EXPECT_FALSE(find(p, "mlp-b64-fp32-w1-parameter-server").skipped);
  const PlanAnswer none = answer(
      {{"world_sizes", "1,2"}, {"strategy", "parameter-server"}, {"server", "dedicated"}}, {0, 0});
  ASSERT_EQ(none.problems.size(), 1u);
  EXPECT_EQ(to_line(none.problems[0]),
            "--world-sizes is '2' (from option); at most 1, the ranks that are launched without "
            "the server. Hint: start more ranks, or leave it out");
}

TEST(MakePlan, ReplicasAreOneProcessBesideOnesOfManyRanks) {
  const Plan p = plan({{"world_sizes", "1,2"}, {"strategy", "ddp,data-parallel"}}, {0, 0});
  const PlannedPoint& replicas = find(p, "mlp-b64-fp32-w2-data-parallel");
  EXPECT_EQ(replicas.processes, 1);
  EXPECT_EQ(replicas.members, (std::vector<int>{0}));
  EXPECT_EQ(replicas.settings.size.global_batch_size, 128);
  EXPECT_EQ(replicas.settings.parallel.threads, 4) << "of each replica, as of each rank";
  EXPECT_EQ(find(p, "mlp-b64-fp32-w2-ddp").settings.parallel.threads, 4);
}

TEST(MakePlan, RankZeroAndADedicatedServerAreCompared) {
  const Plan p = plan(
      {{"world_sizes", "1,2"}, {"strategy", "parameter-server"}, {"server", "rank0,dedicated"}},
      {0, 0, 0});
  EXPECT_EQ(find(p, "mlp-b64-fp32-w2-parameter-server-server-rank0").processes, 2);
  EXPECT_EQ(find(p, "mlp-b64-fp32-w2-parameter-server-server-dedicated").processes, 3);
  ASSERT_EQ(p.comparisons.size(), 2u);
  EXPECT_EQ(p.comparisons[0].axis, "server");
}

// ---- refusals ----

std::string only_problem(Options options, std::vector<int> nodes = {0, 0, 0, 0}) {
  const PlanAnswer made = answer(options, std::move(nodes));
  EXPECT_EQ(made.problems.size(), 1u);
  return made.problems.empty() ? "" : to_line(made.problems.front());
}

TEST(MakePlan, RefusesValuesThatNoPointCanUse) {
  EXPECT_EQ(only_problem({{"world_sizes", "1,8"}}),
            "--world-sizes is '8' (from option); at most 4, the ranks that are launched. Hint: "
            "start more ranks, or leave it out");
  EXPECT_EQ(only_problem({{"precision", "fp32,tf32"}}),
            "--precision is 'tf32' (from option); tf32 exists on GPUs only; use fp32 on a CPU.");
  EXPECT_EQ(only_problem({{"workload", "mlp,resnet"}}).substr(0, 37),
            "--workload is 'resnet' (from option);");
  EXPECT_EQ(only_problem({{"data", "synthetic,/x"}}),
            "--data is '/x' (from option); mlp trains on synthetic data only.");
  EXPECT_EQ(only_problem({{"world_sizes", "2,4"}, {"global_batch_size", "8,7"}}),
            "--global-batch-size is '7' (from option); a multiple of 2 (accumulation 1 x 2 ranks), "
            "like 6 or 8.");
  EXPECT_EQ(only_problem({{"iters", "1,2"}}),
            "--iters is '1,2' (from option); a whole number from 1 on, or auto is allowed.");
}

TEST(MakePlan, RefusesSizesThatContradict) {
  EXPECT_EQ(only_problem({{"global_batch_size", "64"},
                          {"strong_by", "accumulation"},
                          {"gradient_accumulation_steps", "2"}}),
            "--gradient-accumulation-steps is '2' (from option); follows from --global-batch-size "
            "with --strong-by accumulation. Hint: leave it out");
  EXPECT_NE(
      only_problem(
          {{"global_batch_size", "64"}, {"strong_by", "accumulation"}, {"batch_size", "auto"}}),
      "");
}

TEST(MakePlan, RefusesTooManyPointsWithTheirNumber) {
  EXPECT_EQ(only_problem({{"world_sizes", "1,2"}, {"batch_size", "1..6000+1"}}),
            "'12000 points'; a sweep has at most 10000. Hint: shorten a list, or make several "
            "sweeps");
}

TEST(MakePlan, AllProblemsAtOnce) {
  const PlanAnswer made = answer(
      {{"batch_size", "0,x"}, {"precision", "fp8"}, {"quick", "maybe"}, {"world_sizes", "9"}});
  EXPECT_EQ(made.problems.size(), 5u);
}

}  // namespace
}  // namespace scalemark::planning
