#include <gtest/gtest.h>

#include "claims/judge/claims.h"
#include "claims/rows/row.h"
#include "core/base/text.h"
#include "core/settings/config_file.h"

namespace scalemark::claims {
namespace {

std::vector<std::string> commands(const std::string& table, const std::string& precision = "",
                                  bool scaled_down = false) {
  const auto rows = published::own_library();
  std::vector<std::string> all;
  for (const PlannedCommand& planned :
       commands_for(published::find_tables(rows, table), precision, scaled_down))
    all.push_back(joined(planned.words(), " "));
  return all;
}

using Texts = std::vector<std::string>;

TEST(ClaimCommands, ATableIsASweep) {
  EXPECT_EQ(commands("dle-resnet50-a100"),
            Texts{"sweep --workload resnet50 --precision amp-fp16,tf32 --world-sizes 1,8 "
                  "--batch-size 256"});
  EXPECT_EQ(commands("dle-resnet50-a100", "tf32"),
            Texts{"sweep --workload resnet50 --precision tf32 --world-sizes 1,8 --batch-size 256"});
}

// Batches that differ by precision are no cross product.
TEST(ClaimCommands, ATableThatIsNoCrossProductIsSeveral) {
  EXPECT_EQ(
      commands("lambda-h100-resnet50"),
      (Texts{
          "sweep --workload resnet50 --precision fp32,tf32 --world-sizes 1,2,4,8 --batch-size 640",
          "sweep --workload resnet50 --precision amp-fp16 --world-sizes 1,2,4,8 --batch-size "
          "1280"}));
}

TEST(ClaimCommands, AConfigurationThatNamesTheTableIsTaken) {
  EXPECT_EQ(commands("practice-buckets"), Texts{"sweep --config bucket-size"});
  EXPECT_EQ(commands("practice-backends"), Texts{"comm --config backends"});
}

// Made smaller, a command names what the claims need even so.
TEST(ClaimCommands, ScaledDownKeepsWhatTheClaimsAskFor) {
  EXPECT_EQ(commands("practice-buckets", "", true),
            Texts{"sweep --config bucket-size --bucket-cap-mb 25,1,100,200 --repetitions 3"});
  EXPECT_EQ(commands("practice-mechanisms", "", true),
            Texts{"sweep --config comm-mechanisms --strategy ddp,parameter-server,data-parallel "
                  "--communication-cost --repetitions 3"});
  EXPECT_EQ(
      commands("practice-accumulation", "", true),
      Texts{"sweep --config accumulation --gradient-accumulation-steps 1,16 --repetitions 3"});
}

TEST(ClaimCommands, ARangeOfSpeedUpsIsASweep) {
  EXPECT_EQ(commands("practice-scaling"),
            Texts{"sweep --workload resnet50 --precision fp32 --world-sizes 1,8"});
}

Answerable answerable(const std::string& table, const Machine& machine) {
  static const auto rows = published::own_library();
  return answerable_on(machine, published::find_tables(rows, table));
}

TEST(AnswerableClaims, AreThoseOfTheMachine) {
  const Machine cores{.ranks = 2, .precisions = {"fp32"}};
  Machine scaled = cores;
  scaled.scaled_down = true;
  const Machine node{.chip = "H100 80GB HBM3",
                     .gpus = 8,
                     .ranks = 8,
                     .precisions = {"fp32", "tf32", "amp-fp16", "amp-bf16"}};
  const auto here = answerable("lambda-h100-resnet50", node);
  EXPECT_EQ(here.claims, here.all);
  EXPECT_EQ(here.ranks, (std::set<std::int64_t>{1, 2, 4, 8}));
  EXPECT_EQ(answerable("lambda-h100-resnet50", cores).claims, 0u);
  // Two ranks answer the speed-ups on two GPUs, of each precision.
  const auto small = answerable("lambda-h100-resnet50", scaled);
  EXPECT_EQ(small.claims, 2u);
  EXPECT_EQ(answerable_text(scaled, small), std::to_string(small.claims) + " of " +
                                                std::to_string(small.all) +
                                                " claims can be answered here, on 1, 2 ranks");
  ASSERT_EQ(small.runs.size(), 1u);
  for (const published::Row* row : small.runs.front().rows) EXPECT_LE(*row->gpus, 2);
  const auto none = answerable("dle-bert-large-a100", scaled);
  EXPECT_EQ(none.claims, 0u);
  EXPECT_TRUE(none.runs.empty());
  EXPECT_NE(answerable_text(scaled, none).find("and here are 2"), std::string::npos);
  // Bytes are counted, and memory is a GPU's.
  const auto counted = answerable("practice-fp16-communication", scaled);
  EXPECT_EQ(counted.claims, 1u);
  EXPECT_TRUE(counted.runs.empty());
  EXPECT_EQ(answerable("practice-checkpointing", scaled).claims, 0u);
  EXPECT_EQ(answerable("practice-checkpointing", node).claims, 1u);
}

TEST(ClaimCommands, CollectivesAreOneCommandOfComm) {
  const Texts all = commands("nccl-h100");
  ASSERT_EQ(all.size(), 1u);
  EXPECT_TRUE(
      all[0].starts_with("comm --collectives all-reduce --backends nccl --world-sizes 8 "
                         "--sizes 8,16,32,"))
      << all[0];
  EXPECT_TRUE(all[0].ends_with(",17179869184 --dtypes fp32 --in-place off,on --via direct"))
      << all[0];
}

TEST(ClaimCommands, NothingIsRunForWhatCannotBeTested) {
  EXPECT_EQ(commands("dle-resnet50-v100"), Texts{});
}

// A table or row that a configuration names must be there.
TEST(ClaimCommands, ConfigurationsNameTablesOfTheLibrary) {
  const auto rows = published::own_library();
  int named = 0;
  for (const NamedText& config : settings::builtin_configs()) {
    for (const std::string& claim : settings::facts_of(config.text).claims) {
      EXPECT_FALSE(published::find_tables(rows, claim).empty()) << config.name << " " << claim;
      named++;
    }
  }
  EXPECT_GE(named, 12);
}

}  // namespace
}  // namespace scalemark::claims
