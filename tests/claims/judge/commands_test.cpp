#include <gtest/gtest.h>

#include "claims/judge/claims.h"
#include "claims/rows/row.h"
#include "core/base/text.h"
#include "core/settings/config_file.h"

namespace scalemark::claims {
namespace {

std::vector<std::string> commands(const std::string& table, const std::string& precision = "") {
  const auto rows = published::own_library();
  std::vector<std::string> all;
  for (const PlannedCommand& planned : commands_for(published::find_tables(rows, table), precision))
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
