#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/plan/plan_json.h"
#include "tests/core/plan/plans.h"

namespace scalemark::planning {
namespace {

TEST(SettingsFingerprint, DoesNotDependOnWhereAndHowOften) {
  const std::string one = settings_digest(plan({{"world_sizes", "1,2"}}));
  EXPECT_EQ(one.size(), 16u);
  EXPECT_EQ(one, settings_digest(plan({{"world_sizes", "2,1"},
                                       {"repetitions", "9"},
                                       {"output", "elsewhere"},
                                       {"timeout", "10"},
                                       {"retries", "3"},
                                       {"quiet", "on"}})));
}

TEST(SettingsFingerprint, ChangesWithWhatIsMeasured) {
  const std::string one = settings_digest(plan({{"world_sizes", "1,2"}}));
  const Options changes[] = {{{"world_sizes", "1,2,4"}},
                             {{"world_sizes", "1,2"}, {"batch_size", "8"}},
                             {{"world_sizes", "1,2"}, {"iters", "50"}},
                             {{"world_sizes", "1,2"}, {"min_time", "5"}},
                             {{"world_sizes", "1,2"}, {"seed", "5"}},
                             {{"world_sizes", "1,2"}, {"threads", "1"}},
                             {{"world_sizes", "1,2"}, {"overlap", "off"}}};
  for (const Options& change : changes) {
    EXPECT_NE(one, settings_digest(plan(change)));
  }
}

TEST(ResumeSettings, NamesEachSettingWithItsValues) {
  const auto values = resume_settings(plan({{"world_sizes", "1,2"}, {"batch_size", "8,16"}}));
  EXPECT_EQ(values.at("batch_size"), "8,16");
  EXPECT_EQ(values.at("world_sizes"), "1,2");
  EXPECT_EQ(values.at("workload"), "\"mlp\"");
  EXPECT_FALSE(values.contains("output"));
  EXPECT_FALSE(values.contains("nproc_per_node"));
  EXPECT_FALSE(values.contains("timeout"));
}

TEST(ResumeSettings, HoldNoBatchOfAPointThatHasNone) {
  const auto values = resume_settings(plan({{"world_sizes", "1,2"}, {"global_batch_size", "33"}}));
  EXPECT_EQ(values.at("batch_size"), "33");
  EXPECT_EQ(values.at("global_batch_size"), "33");
}

TEST(SettingsJson, HoldsValuesAndListsOfThem) {
  const auto json = nlohmann::json::parse(
      settings_json(plan({{"world_sizes", "1,2"}, {"batch_size", "8,16"}, {"precision", "fp32"}})));
  EXPECT_EQ(json.at("batch_size"), nlohmann::json::parse("[8, 16]"));
  EXPECT_EQ(json.at("world_sizes"), nlohmann::json::parse("[1, 2]"));
  EXPECT_EQ(json.at("workload"), "mlp");
  EXPECT_EQ(json.at("placement"), "fill");
  EXPECT_EQ(json.at("overlap"), true);
  EXPECT_EQ(json.at("adam_betas"), nlohmann::json::parse("[0.9, 0.999]"));
  EXPECT_EQ(json.at("repetitions"), 5);
  EXPECT_EQ(json.at("retries"), 1);
  EXPECT_FALSE(json.contains("until_ci"));
}

}  // namespace
}  // namespace scalemark::planning
