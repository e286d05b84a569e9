#include "core/settings/settings_json.h"

#include <gtest/gtest.h>

#include "core/settings/resolve.h"

namespace scalemark::settings {
namespace {

Settings resolved_settings(const RawSettings& given) {
  Resolution resolution = resolve(given, {.machine = {.cores = 2}});
  EXPECT_TRUE(resolution.problems.empty());
  return resolution.settings;
}

TEST(SettingsJson, WritesEveryKindOfValueExactly) {
  const auto flat =
      flat_settings(resolved_settings({{"workload", {"resnet50", "option"}},
                                       {"nproc_per_node", {"13", "option"}},
                                       {"learning_rate", {"0.30000000000000004", "option"}},
                                       {"clip_grad_norm", {"0.1", "option"}},
                                       {"data", {"tree", "option"}},
                                       {"epochs", {"3", "option"}},
                                       {"adam_betas", {"0.8,0.99", "option"}},
                                       {"no_progress", {"on", "option"}},
                                       {"timeout", {"100,window=7", "option"}},
                                       {"memory_limit", {"2GiB,12=512MiB", "option"}},
                                       {"seed", {"9223372036854775807", "option"}},
                                       {"local_rank", {"1", "option"}}}));
  const std::map<std::string, std::string> expected = {
      {"nproc_per_node", "13"},
      {"learning_rate", "0.30000000000000004"},
      {"clip_grad_norm", "0.1"},
      {"data", "\"tree\""},
      {"epochs", "3"},
      {"adam_betas", "[0.8,0.99]"},
      {"no_progress", "true"},
      {"timeout", "100.0"},
      {"timeout_by_phase", R"({"window":7.0})"},
      {"memory_limit", "2147483648"},
      {"memory_limit_by_rank", R"({"12":536870912})"},
      {"seed", "9223372036854775807"},
      {"local_rank", "1"}};
  for (const auto& [name, text] : expected) EXPECT_EQ(flat.at(name), text) << name;
  EXPECT_FALSE(flat.contains("iters"));
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
