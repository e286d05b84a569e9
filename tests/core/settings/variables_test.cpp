#include <gtest/gtest.h>

#include "core/settings/layers.h"
#include "core/settings/reader.h"
#include "core/settings/resolve.h"
#include "core/settings/settings_json.h"
#include "core/settings/sweep_settings.h"

namespace scalemark::settings {
namespace {

using Texts = std::vector<std::string>;

Layers layers_of(std::vector<std::string> variables, Command command = kSweep) {
  Sources sources;
  sources.variables = std::move(variables);
  return merge_layers(sources, command);
}

std::string only_variable_problem(std::vector<std::string> variables) {
  const Layers layers = layers_of(std::move(variables));
  EXPECT_EQ(layers.problems.size(), 1u);
  return layers.problems.empty() ? "" : to_line(layers.problems.front());
}

Texts elements(const std::string& text) { return read_list("env.A", {text, "option"}).texts; }

TEST(Variables, CommasPartValuesUnlessTheyAreEscaped) {
  EXPECT_EQ(elements("Ring,Tree"), (Texts{"Ring", "Tree"}));
  EXPECT_EQ(elements("eth0\\,eth1,eth2"), (Texts{"eth0\\,eth1", "eth2"}));
  EXPECT_EQ(value_of_variable("eth0\\,eth1"), "eth0,eth1");
  EXPECT_EQ(element_of("eth0,eth1"), "eth0\\,eth1");
  EXPECT_EQ(value_of_variable("C:\\x"), "C:\\x");
}

TEST(Variables, NothingIsUnset) {
  EXPECT_EQ(elements(""), (Texts{"unset"}));
  EXPECT_EQ(elements(",Ring"), (Texts{"unset", "Ring"}));
  EXPECT_EQ(read_list("env.A", {",unset", "option"}).notes.size(), 1u);
  EXPECT_EQ(layers_of({"NCCL_ALGO="}).raw["env.NCCL_ALGO"].text, "unset");
}

TEST(Variables, EachSourceSetsThem) {
  const Sources sources{
      .config_files = {{"a.json", R"({"env.A": "1", "env.B": ["x,y", "", "z"], "env.C": 3})"}},
      .environment = {},
      .options = {},
      .variables = {"A=2,3"},
      .set = {"env.C=4=5"}};
  Layers layers = merge_layers(sources, kSweep);
  EXPECT_TRUE(layers.problems.empty());
  EXPECT_EQ(layers.raw["env.A"].text, "2,3");
  EXPECT_EQ(layers.raw["env.A"].origin, "option");
  EXPECT_EQ(elements(layers.raw["env.B"].text), (Texts{"x\\,y", "unset", "z"}));
  EXPECT_EQ(layers.raw["env.B"].origin, "config a.json");
  EXPECT_EQ(layers.raw["env.C"].text, "4=5");
  EXPECT_EQ(layers.raw["env.C"].origin, "set");
}

TEST(Variables, WrongNamesAreRefusedWithWhatToDo) {
  EXPECT_NE(only_variable_problem({"NCCL_ALGO"}).find("NAME=VALUE is expected"), std::string::npos);
  EXPECT_NE(only_variable_problem({"1A=x"}).find("letters, digits and underscores"),
            std::string::npos);
  EXPECT_NE(only_variable_problem({"=x"}).find("letters, digits and underscores"),
            std::string::npos);
  EXPECT_EQ(only_variable_problem({"OMP_NUM_THREADS=4"}),
            "--env OMP_NUM_THREADS is '4' (from option); is no variable of --env. Hint: use "
            "--threads, which alone sets the number of threads");
  EXPECT_NE(only_variable_problem({"SCALEMARK_SEED=4"}).find("give the option"), std::string::npos);
  EXPECT_NE(only_variable_problem({"A=1", "A=2"}).find("is given twice"), std::string::npos);
  Sources sources;
  sources.config_files = {{"a.json", R"({"env": {"A": "1"}})"}};
  const Layers layers = merge_layers(sources, kSweep);
  ASSERT_FALSE(layers.problems.empty());
  EXPECT_NE(to_line(layers.problems.front()).find("env.NAME"), std::string::npos);
}

TEST(Variables, OldNamesAreReported) {
  EXPECT_EQ(layers_of({"NCCL_BLOCKING_WAIT=1"}).notes,
            (Texts{"--env: NCCL_BLOCKING_WAIT is the old name of TORCH_NCCL_BLOCKING_WAIT, and "
                   "still works"}));
  EXPECT_EQ(layers_of({"NCCL_DUMP_ON_TIMEOUT=1"}).notes,
            (Texts{"--env: NCCL_DUMP_ON_TIMEOUT is the old name of TORCH_NCCL_DUMP_ON_TIMEOUT, and "
                   "has no effect by that name"}));
  EXPECT_TRUE(layers_of({"TORCH_NCCL_BLOCKING_WAIT=1"}).notes.empty());
}

Resolution resolved_from(std::vector<std::string> variables) {
  return resolve(layers_of(std::move(variables), kTrain).raw, {.machine = {.cores = 2}});
}

TEST(Variables, TrainTakesOneValueOfEach) {
  const Resolution good = resolved_from({"A=x\\,y", "B="});
  EXPECT_TRUE(good.problems.empty());
  EXPECT_EQ(good.settings.launch.environment, (Variables{{"A", "x,y"}, {"B", "unset"}}));
  EXPECT_EQ(good.settings.origins.at("env.A"), "option");
  const Resolution bad = resolved_from({"A=x,y"});
  ASSERT_EQ(bad.problems.size(), 1u);
  EXPECT_NE(to_line(bad.problems.front()).find("only a sweep takes a list"), std::string::npos);
}

TEST(Variables, TellPointsApartAndRanksMustHaveTheSame) {
  Settings one, another;
  one.launch.environment = {{"A", "1"}};
  another.launch.environment = {{"A", "2"}};
  EXPECT_NE(identity_settings(one), identity_settings(another));
  EXPECT_EQ(identity_settings(one).at("env.A"), "\"1\"");
  EXPECT_FALSE(may_differ_between_ranks("env.A"));
}

SweepRequest sweep_of(std::vector<std::string> variables, RawSettings more = {}) {
  RawSettings raw = layers_of(std::move(variables)).raw;
  raw.insert(more.begin(), more.end());
  return read_sweep(raw);
}

TEST(Variables, AreAxesOfASweep) {
  const SweepRequest asked = sweep_of({"B=,2", "A=x,y"});
  EXPECT_TRUE(asked.problems.empty());
  ASSERT_EQ(asked.axes.size(), 2u);
  EXPECT_EQ(asked.axes[0].option, "env.A");
  EXPECT_EQ(asked.axes[1].values, (Texts{"unset", "2"}));
  const SweepRequest tuned = sweep_of({"A=x,y"}, {{"tune", {"env.A", "option"}}});
  EXPECT_TRUE(tuned.problems.empty());
  EXPECT_EQ(tuned.sweep.tune, "env.A");
}

}  // namespace
}  // namespace scalemark::settings
