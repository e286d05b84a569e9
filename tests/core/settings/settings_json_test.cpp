#include "core/settings/settings_json.h"

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/settings/resolve.h"

namespace scalemark::settings {
namespace {

Settings resolved_settings(const RawSettings& given) {
  Resolution resolution = resolve(given, {.machine = {.cores = 2}});
  EXPECT_TRUE(resolution.problems.empty());
  return resolution.settings;
}

TEST(SettingsJson, RoundTripIsExact) {
  const Settings settings = resolved_settings({{"workload", {"resnet50", "option"}},
                                               {"nproc_per_node", {"13", "option"}},
                                               {"learning_rate", {"0.30000000000000004", "option"}},
                                               {"clip_grad_norm", {"0.1", "option"}},
                                               {"data", {"tree", "option"}},
                                               {"epochs", {"3", "option"}},
                                               {"no_progress", {"on", "option"}},
                                               {"timeout", {"100,window=7", "option"}},
                                               {"memory_limit", {"2GiB,12=512MiB", "option"}},
                                               {"seed", {"9223372036854775807", "option"}},
                                               {"local_rank", {"1", "option"}}});
  const Settings back = from_json(to_json(settings));
  EXPECT_EQ(to_json(back), to_json(settings));
  EXPECT_EQ(back.recipe.learning_rate, 0.30000000000000004);
  EXPECT_EQ(back.recipe.clip_grad_norm, 0.1);
  EXPECT_EQ(back.measuring.epochs, 3);
  EXPECT_FALSE(back.measuring.iters);
  EXPECT_TRUE(back.general.no_progress);
  EXPECT_EQ(back.recipe.seed, 9223372036854775807u);
  EXPECT_EQ(back.launch.timeout.every_s, 100);
  EXPECT_EQ(back.launch.timeout.phase_s.at("window"), 7);
  EXPECT_EQ(back.parallel.memory_limit.every_bytes, std::int64_t{2} << 30);
  EXPECT_EQ(back.parallel.memory_limit.bytes_of_rank.at(12), 512 << 20);
  EXPECT_EQ(back.recipe.adam_betas.second, settings.recipe.adam_betas.second);
}

TEST(SettingsJson, RefusesWhatItDoesNotWrite) {
  EXPECT_THROW(from_json("{"), Error);
  EXPECT_THROW(from_json(R"({"batch_size": "many"})"), Error);
  EXPECT_THROW(from_json(R"({"batchsize": 1})"), Error);
}

TEST(SettingsJson, FlatSettingsHoldOneTextPerKey) {
  const auto flat = flat_settings(resolved_settings({{"batch_size", {"8", "option"}}}));
  EXPECT_EQ(flat.at("batch_size"), "8");
  EXPECT_EQ(flat.at("workload"), "\"mlp\"");
  EXPECT_EQ(flat.at("command"), "\"train\"");
  EXPECT_FALSE(flat.contains("epochs"));
}

TEST(MayDifferBetweenRanks, PlaceAndTalkMayWorkMayNot) {
  for (const char* name : {"node_rank", "local_rank", "output", "quiet", "torch", "rendezvous"}) {
    EXPECT_TRUE(may_differ_between_ranks(name)) << name;
  }
  for (const char* name : {"batch_size", "seed", "precision", "threads", "timeout", "unknown"}) {
    EXPECT_FALSE(may_differ_between_ranks(name)) << name;
  }
}

}  // namespace
}  // namespace scalemark::settings
